/** The answer of a call: its body as it arrives from Envoy, and how it goes on to the client. */
import { ClientGoneError, type UpstreamAnswer } from '../proxy/proxy.ts';
import { headOf, type Head } from './headers.ts';
import {
  bodyReply,
  headersReply,
  streamedReply,
  trailersReply,
  type HeaderChanges,
  type HttpHeaders,
} from './messages.ts';
import type { BodyMode } from './modes.ts';
import { partsOf } from './requestSide.ts';
import type { ProcessorStream } from './stream.ts';

/**
 * An answer that Envoy holds until the guardrail sends it on. In the modes STREAMED and BUFFERED, Envoy waits for one answer
 * to each part that it sends: what is written since the last part answers the next one.
 */
export class AnswerSide implements UpstreamAnswer {
  readonly status: number;
  readonly headers: Head['headers'];
  readonly isReady = false;
  readonly #stream: ProcessorStream;
  readonly #mode: BodyMode;
  /** The changes of the headers if nobody decides otherwise: those of an answer whose bytes change. */
  readonly #defaults: () => HeaderChanges;
  readonly #hasBody: boolean;
  #isHeadSent = false;
  /** All parts have arrived. */
  #isComplete: boolean;
  #hasTrailers = false;
  /** Envoy waits for the answer to a part. */
  #isOwed = false;
  /** Written, but not sent; for all modes but FULL_DUPLEX_STREAMED. */
  #written: Buffer[] = [];

  constructor(
    stream: ProcessorStream,
    mode: BodyMode,
    head: HttpHeaders,
    defaults: (answer: Pick<UpstreamAnswer, 'headers'>) => HeaderChanges,
  ) {
    const { headers, pseudo } = headOf(head, 'utf8');
    this.status = Number(pseudo(':status'));
    this.headers = headers;
    this.#stream = stream;
    this.#mode = mode;
    this.#hasBody = head.endOfStream !== true;
    this.#isComplete = !this.#hasBody;
    this.#defaults = () => defaults(this);
  }

  /** Whether the client can already have a part of the answer, so that no other answer can replace it. */
  get isOnItsWay(): boolean {
    return this.#isHeadSent && this.#mode !== 'whole';
  }

  async sendHead(changes: HeaderChanges): Promise<void> {
    if (this.#isHeadSent) return;
    this.#isHeadSent = true;
    await this.#stream.write(headersReply('response', changes));
  }

  async each(take: (part: Buffer) => Promise<void> | undefined): Promise<void> {
    for (let part = await this.#next(); part; part = await this.#next()) await take(part);
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.#mode !== 'duplex') this.#written.push(bytes);
    else for await (const part of partsOf(bytes)) await this.#stream.write(streamedReply('response', part, false));
  }

  /** Sends the last bytes of an answer that cannot go on. */
  async break(bytes: Buffer): Promise<void> {
    await this.write(bytes);
    await this.#answerPart();
  }

  /** @param length sets the header Content-Length, where Envoy still holds the headers */
  async end(bytes: Buffer, length?: number): Promise<void> {
    await this.write(bytes);
    if (this.#mode === 'duplex') {
      if (this.#hasBody && !this.#hasTrailers)
        await this.#stream.write(streamedReply('response', Buffer.alloc(0), true));
    } else if (this.#isOwed) await this.#answerPart(this.#mode === 'whole' ? length : undefined);
    else if (this.#written.some((part) => part.length > 0)) {
      // Only trailers are left, so that the end of the answer has no place.
      throw new ClientGoneError();
    }
    if (this.#hasTrailers) await this.#stream.write(trailersReply('response'));
  }

  cancel(): void {
    // Envoy ends the request to the upstream when the call ends.
  }

  /** @returns the next part; undefined at the end */
  async #next(): Promise<Buffer | undefined> {
    while (!this.#isComplete) {
      // Without an answer to the headers, Envoy sends no part in these modes.
      if (this.#mode !== 'duplex') await this.sendHead(this.#defaults());
      await this.#answerPart();
      const message = await this.#stream.next();
      if (message?.responseTrailers) {
        this.#hasTrailers = true;
        this.#isComplete = true;
      } else if (message?.responseBody) {
        const { body = Buffer.alloc(0), endOfStream = false } = message.responseBody;
        this.#isOwed = this.#mode !== 'duplex';
        this.#isComplete = endOfStream || this.#mode === 'whole';
        if (body.length > 0) return body;
      } else throw new ClientGoneError();
    }
    return undefined;
  }

  async #answerPart(length?: number): Promise<void> {
    if (!this.#isOwed) return;
    this.#isOwed = false;
    const written = Buffer.concat(this.#written);
    this.#written = [];
    const changes: HeaderChanges | undefined =
      length === undefined ? undefined : { set: [['content-length', Buffer.from(String(length))]], remove: [] };
    await this.#stream.write(bodyReply('response', written, changes));
  }
}
