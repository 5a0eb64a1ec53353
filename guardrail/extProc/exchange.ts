/** One call through Envoy: both of its sides, as the proxy serves them. */
import type { ErrorBody } from '../bodies/bodies.ts';
import type { CallState } from '../http/http.ts';
import {
  answerHeaders,
  ClientGoneError,
  type AnswerHead,
  type Client,
  type InlineContext,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '../proxy/proxy.ts';
import { AnswerSide } from './answerSide.ts';
import { answerChanges, headOf } from './headers.ts';
import { immediateReply, namesIn, trailersReply, type HeaderChanges, type HttpHeaders } from './messages.ts';
import type { Modes } from './modes.ts';
import { RequestSide } from './requestSide.ts';
import type { ProcessorStream } from './stream.ts';

const EMPTY = Buffer.alloc(0);
const UNCHANGED: HeaderChanges = { set: [], remove: [] };
/** The base of a request without a usable authority: no address of an answer belongs to it. */
const NOWHERE = new URL('http://upstream.invalid');

/** A call. Envoy is its client, because it carries the answer there, and its upstream, because it carries the request there. */
export class Exchange implements Client, Upstream {
  readonly signal: AbortSignal;
  readonly base: URL;
  readonly context: InlineContext;
  readonly #stream: ProcessorStream;
  readonly #modes: Modes;
  readonly #request: RequestSide;
  /** Headers of the answer that the guardrail sets. */
  readonly #headers: Record<string, string> = {};
  #answer: AnswerSide | undefined;
  /** How the answer begins; undefined until that is decided. */
  #begun: { readonly changes: HeaderChanges; readonly length: number | undefined } | undefined;
  #isRefused = false;
  /** What remains to be sent when the call is served. */
  #rest: Promise<void> = Promise.resolve();

  constructor(stream: ProcessorStream, head: HttpHeaders, modes: Modes) {
    const received = headOf(head, 'latin1');
    this.signal = stream.signal;
    this.base = URL.parse(`${received.pseudo(':scheme')}://${received.pseudo(':authority')}`) ?? NOWHERE;
    this.#stream = stream;
    this.#modes = modes;
    this.#request = new RequestSide({
      stream,
      head: received,
      mode: modes.request,
      hasBody: head.endOfStream !== true,
    });
    this.context = {
      ...this.#request.context,
      carrier: (name) => stream.traceContext(name, this.#request.context.get(name)),
      status: 500,
      // The request id and the log follow in the middleware.
      state: {} as CallState,
      set: (name, value) => {
        this.#headers[name] = value;
      },
    };
  }

  get hasBegun(): boolean {
    return this.#begun !== undefined;
  }

  abort(reason: Error): void {
    this.#stream.abort(reason);
  }

  async send(request: UpstreamRequest): Promise<UpstreamAnswer> {
    await this.#request.send(request);
    return this.#receive();
  }

  begin(head: AnswerHead, isChanged: boolean, length?: number): void {
    this.context.status = head.status;
    this.#begun = { changes: this.#changesOf(head, isChanged), length };
  }

  flush(): void {
    // A failure is thrown by the next write.
    this.#sendHead().catch(() => undefined);
  }

  async write(bytes: Buffer): Promise<void> {
    await this.#sendHead();
    await this.#answer?.write(bytes);
  }

  async end(bytes = EMPTY): Promise<void> {
    await this.#sendHead();
    await this.#answer?.end(bytes, this.#begun?.length);
  }

  break(bytes: Buffer): void {
    this.#leave(this.#breakWith(bytes));
  }

  refuse(status: number, headers: Readonly<Record<string, string>>, { contentType, body }: ErrorBody): void {
    this.context.status = status;
    if (this.#request.isAnswered) this.#leave(this.#passAnswer());
    else if (this.#answer?.isOnItsWay === true) this.#stream.fail();
    else {
      this.#isRefused = true;
      const all = { ...this.#headers, ...headers, 'content-type': contentType };
      this.#leave(this.#stream.post(immediateReply(status, all, body)));
    }
  }

  drop(status?: number): void {
    if (status !== undefined && !this.hasBegun) this.context.status = status;
    if (this.#request.isAnswered) this.#leave(this.#passAnswer());
    else this.#stream.fail();
  }

  /** Ends the stream of a call that is served, when Envoy has ended its side. */
  async finish(): Promise<void> {
    try {
      await this.#rest;
      for (let message = await this.#stream.next(); message; message = await this.#stream.next()) {
        if (message.responseTrailers) await this.#stream.write(trailersReply('response'));
        // What was on its way when the call was refused needs no answer.
        else if (!this.#isRefused) throw new ClientGoneError();
      }
      this.#stream.end();
    } catch {
      this.#stream.fail();
    }
  }

  /** Leaves work to {@link finish}, which throws its failure. */
  #leave(work: Promise<void>): void {
    work.catch(() => undefined);
    this.#rest = work;
  }

  async #receive(): Promise<AnswerSide> {
    let message = await this.#stream.next();
    if (message?.requestTrailers) {
      await this.#stream.write(trailersReply('request', namesIn(message.requestTrailers.trailers)));
      message = await this.#stream.next();
    }
    if (!message?.responseHeaders) throw new ClientGoneError();
    this.#answer = new AnswerSide(this.#stream, this.#modes.response, message.responseHeaders, (answer) =>
      this.#changesOf(answer, true),
    );
    return this.#answer;
  }

  #changesOf({ headers }: Pick<AnswerHead, 'headers'>, isChanged: boolean): HeaderChanges {
    return answerChanges(headers, { ...answerHeaders(headers, isChanged, this.base), ...this.#headers });
  }

  async #sendHead(): Promise<void> {
    if (this.#begun) await this.#answer?.sendHead(this.#begun.changes);
  }

  async #breakWith(bytes: Buffer): Promise<void> {
    try {
      await this.#sendHead();
      await this.#answer?.break(bytes);
    } finally {
      this.#stream.fail();
    }
  }

  /** Lets an answer pass to a request that was never sent on: another filter has written it, and it contains no pseudonym. */
  async #passAnswer(): Promise<void> {
    const answer = await this.#receive();
    this.context.status = answer.status;
    await answer.sendHead(UNCHANGED);
    await answer.each((part) => answer.write(part));
    await answer.end(EMPTY);
  }
}
