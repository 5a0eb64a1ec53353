/** The request of a call: its body as it arrives from Envoy, and how it goes on to the upstream. */
import { Readable } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import { ClientGoneError, type InlineContext, type UpstreamRequest } from '../proxy/proxy.ts';
import { requestChanges, type Head } from './headers.ts';
import {
  bodyReply,
  headersReply,
  namesIn,
  streamedReply,
  trailersReply,
  type HeaderChanges,
  type HttpTrailers,
} from './messages.ts';
import type { Modes } from './modes.ts';
import type { ProcessorStream } from './stream.ts';

/** A larger body is sent in parts of this size, in bytes, so that Envoy's flow control applies. */
export const PART_BYTES = 64 * 1024;

interface RequestOptions {
  readonly stream: ProcessorStream;
  readonly head: Head;
  readonly mode: Modes['request'];
  readonly hasBody: boolean;
}

/** A request that Envoy holds until the guardrail sends it on. Its body is read on demand. */
export class RequestSide extends Readable {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly repeatedHeaders: ReadonlySet<string>;
  /** The framing that {@link headOf} gives to all requests. */
  readonly httpVersion = '1.1';
  readonly #options: RequestOptions;
  /** Whether Envoy waits for an answer to the headers. */
  #isHeadPending = true;
  #trailers: HttpTrailers | undefined;
  /** Envoy, or another filter, has answered before the request was sent on. */
  #isAnswered = false;

  constructor(options: RequestOptions) {
    super({ highWaterMark: PART_BYTES });
    const { head, hasBody } = options;
    this.#options = options;
    this.method = head.pseudo(':method');
    this.url = head.pseudo(':path');
    this.headers = head.headers;
    this.repeatedHeaders = head.repeated;
    if (!hasBody) this.push(null);
    // Whoever reads the body learns of its end by other events.
    this.on('error', () => undefined);
  }

  get context(): Pick<InlineContext, 'req' | 'method' | 'get'> {
    return {
      req: this,
      method: this.method,
      get: (name) => {
        const value = this.headers[name.toLowerCase()] ?? '';
        return typeof value === 'string' ? value : value.join(', ');
      },
    };
  }

  /** Whether the answer is there already, so that nothing of this call has reached the upstream. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Sends the request on. @throws ClientGoneError */
  async send({ path, headers, body }: UpstreamRequest): Promise<void> {
    const { stream, mode, hasBody } = this.#options;
    const changes = requestChanges(this.headers, headers, path === this.url ? undefined : path);
    if (!hasBody) await stream.write(headersReply('request', changes));
    else if (mode === 'whole') await this.#sendWhole(body, changes);
    else await this.#sendParts(body, changes);
    // Like the proxy, the guardrail sends no trailers on: nothing checks them.
    if (this.#trailers) await stream.write(trailersReply('request', namesIn(this.#trailers.trailers)));
  }

  override _read(): void {
    this.#readPart().catch((error: unknown) => {
      this.destroy(error as Error);
    });
  }

  async #readPart(): Promise<void> {
    const { stream, mode } = this.#options;
    if (mode === 'whole') await this.#continueToBody();
    const message = await stream.next();
    if (message?.requestBody) {
      const { body = Buffer.alloc(0), endOfStream = false } = message.requestBody;
      const isLast = endOfStream || mode === 'whole';
      if (body.length > 0) this.push(body);
      if (isLast) this.push(null);
      else if (body.length === 0) await this.#readPart();
    } else if (message?.requestTrailers) {
      this.#trailers = message.requestTrailers;
      this.push(null);
    } else {
      if (message?.responseHeaders) {
        this.#isAnswered = true;
        stream.unread(message);
      }
      throw new ClientGoneError();
    }
  }

  /** In the mode BUFFERED, Envoy sends the body only when the headers are answered. They are still changed with the body. */
  async #continueToBody(): Promise<void> {
    if (!this.#isHeadPending) return;
    this.#isHeadPending = false;
    await this.#options.stream.write(headersReply('request'));
  }

  async #sendWhole(body: UpstreamRequest['body'], { set, remove }: HeaderChanges): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of partsOf(body ?? this)) parts.push(part);
    const bytes = Buffer.concat(parts);
    const length = ['content-length', Buffer.from(String(bytes.length))] as const;
    await this.#options.stream.write(bodyReply('request', bytes, { set: [...set, length], remove }));
  }

  async #sendParts(body: UpstreamRequest['body'], changes: HeaderChanges): Promise<void> {
    const { stream } = this.#options;
    await stream.write(headersReply('request', changes));
    for await (const part of partsOf(body ?? this)) await stream.write(streamedReply('request', part, false));
    if (!this.#trailers) await stream.write(streamedReply('request', Buffer.alloc(0), true));
  }
}

/** The parts of a body, none larger than {@link PART_BYTES}. */
export async function* partsOf(body: Buffer | Readable): AsyncGenerator<Buffer> {
  for await (const chunk of Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>)) {
    for (let at = 0; at < chunk.length; at += PART_BYTES) yield chunk.subarray(at, at + PART_BYTES);
  }
}
