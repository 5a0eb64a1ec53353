/** The gRPC stream of a call: messages one by one, with backpressure, and an end that Envoy cannot take for success. */
import { status, type ServerDuplexStream } from '@grpc/grpc-js';
import { ClientGoneError } from '../proxy/proxy.ts';
import type { ProcessingRequest, ProcessingResponse } from './messages.ts';

export type ProcessorCall = ServerDuplexStream<ProcessingRequest, ProcessingResponse>;

/** The headers that name a span, one for each format. */
const TRACE_HEADERS = ['traceparent', 'b3', 'x-b3-traceid', 'uber-trace-id'];

/**
 * Envoy lets the rest of a call pass unprocessed when its stream ends without an error. So the stream ends only after
 * Envoy has ended its own side, or with an error.
 */
export class ProcessorStream {
  /** Aborted when Envoy ends the call, and by {@link abort}. */
  readonly signal: AbortSignal;
  readonly #call: ProcessorCall;
  readonly #messages: AsyncIterator<ProcessingRequest, undefined>;
  readonly #controller = new AbortController();
  #returned: ProcessingRequest | undefined;
  #isOver = false;

  constructor(call: ProcessorCall) {
    this.#call = call;
    this.#messages = call.iterator({ destroyOnReturn: false }) as AsyncIterator<ProcessingRequest, undefined>;
    this.signal = this.#controller.signal;
    call.once('cancelled', () => {
      this.abort(new ClientGoneError());
    });
    call.on('error', () => {
      this.abort(new ClientGoneError());
    });
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /**
   * The sender of the call for its trace: Envoy itself, which names its span in the metadata of the stream, or else, if
   * Envoy is not traced, the sender of the request.
   * @param ofRequest the header of the request; empty if it is absent
   */
  traceContext(name: string, ofRequest: string): string | undefined {
    const { metadata } = this.#call;
    if (!TRACE_HEADERS.some((header) => metadata.get(header).length > 0)) return ofRequest || undefined;
    const [own] = metadata.get(name);
    return own === undefined ? undefined : String(own);
  }

  /** @returns the next message; undefined when Envoy has ended its side. @throws ClientGoneError, or the reason of `abort` */
  async next(): Promise<ProcessingRequest | undefined> {
    const returned = this.#returned;
    this.#returned = undefined;
    if (returned) return returned;
    const { value } = await this.#whileOpen(() => this.#messages.next());
    return value;
  }

  /** The message is the next one again. */
  unread(message: ProcessingRequest): void {
    this.#returned = message;
  }

  /** Resolves when the message is on its way. @throws ClientGoneError, or the reason of `abort` */
  async write(message: ProcessingResponse): Promise<void> {
    if (this.#isOver) throw new ClientGoneError();
    await this.#whileOpen(() => this.post(message));
  }

  /** Sends a message, whether the call is aborted or not. */
  post(message: ProcessingResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#call.write(message, (error: Error | null | undefined) => {
        if (error) reject(new ClientGoneError());
        else resolve();
      });
    });
  }

  /** Ends the call with an error: Envoy answers with 500, or breaks the connection of an answer that has begun. */
  fail(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const error = Object.assign(new Error('The call failed.'), { code: status.INTERNAL });
    this.#call.emit('error', error);
  }

  /** Ends a call of which Envoy has ended its side. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.end();
  }

  /** Begins the work only if the call is open: nobody would handle the failure of work on a call that has ended. */
  async #whileOpen<T>(begin: () => Promise<T>): Promise<T> {
    const { signal } = this;
    signal.throwIfAborted();
    let abort: () => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
    });
    try {
      return await Promise.race([begin(), aborted]);
    } catch (thrown) {
      signal.throwIfAborted();
      throw thrown;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}
