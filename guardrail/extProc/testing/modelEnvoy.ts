/** Test support: a model of Envoy. It sends a call to the external processor, and applies the answers as Envoy 1.40 does. */
import { credentials, makeClientConstructor, type ChannelCredentials, type ClientDuplexStream } from '@grpc/grpc-js';
import { externalProcessor } from '../descriptor.ts';
import type { HeaderValue, HttpBody, ProcessingRequest, ProcessingResponse } from '../messages.ts';

export type Mode = 'NONE' | 'STREAMED' | 'BUFFERED' | 'BUFFERED_PARTIAL' | 'FULL_DUPLEX_STREAMED';

const MODES: readonly Mode[] = ['NONE', 'STREAMED', 'BUFFERED', 'BUFFERED_PARTIAL', 'FULL_DUPLEX_STREAMED'];

export type Headers = Readonly<Record<string, string>>;

export interface Message {
  readonly headers: Headers;
  /** The parts of the body. Without a part, there is no body. */
  readonly parts: readonly Buffer[];
  readonly trailers?: Headers;
}

export interface EnvoyCall extends Message {
  readonly request?: Mode;
  readonly response?: Mode;
  /** More fields of the first message, or others in their place. */
  readonly first?: ProcessingRequest;
}

/** A message after the changes of the processor. */
export interface Changed {
  readonly headers: Headers;
  readonly body: Buffer;
  readonly trailers?: Headers;
}

export type Outcome =
  /** `sent` is what reached the upstream. */
  | ({ readonly kind: 'answer'; readonly sent: Changed } & Changed)
  | ({ readonly kind: 'immediate'; readonly status: number; readonly sent: Changed | undefined } & Changed)
  /** The stream ended with an error: Envoy answers 500, or breaks the connection after what was sent. */
  | { readonly kind: 'error'; readonly sent: Changed | undefined; readonly body: Buffer };

/** The stream of one call. */
export class EnvoyStream {
  readonly call: ClientDuplexStream<ProcessingRequest, ProcessingResponse>;
  readonly #responses: AsyncIterator<ProcessingResponse, undefined>;

  constructor(call: ClientDuplexStream<ProcessingRequest, ProcessingResponse>) {
    this.call = call;
    this.#responses = call.iterator({ destroyOnReturn: false }) as AsyncIterator<ProcessingResponse, undefined>;
  }

  send(message: ProcessingRequest): void {
    this.call.write(message);
  }

  /** @throws Immediate, or Failed if the stream ends without an answer */
  async next(): Promise<ProcessingResponse> {
    const { value } = await this.#responses.next().catch(() => {
      throw new Failed();
    });
    if (value?.immediateResponse) throw new Immediate(value.immediateResponse);
    if (!value) throw new Failed();
    return value;
  }

  /** Ends the call. Resolves when the processor has ended it, too. @throws Failed */
  async end(): Promise<void> {
    this.call.end();
    const { value } = await this.#responses.next().catch(() => {
      throw new Failed();
    });
    if (value) throw new Error('The processor sent a message too many.');
  }
}

class Failed extends Error {}

class Immediate extends Error {
  readonly response: NonNullable<ProcessingResponse['immediateResponse']>;

  constructor(response: NonNullable<ProcessingResponse['immediateResponse']>) {
    super('immediate response');
    this.response = response;
  }
}

export class ModelEnvoy {
  readonly #client;

  constructor(port: number, channel: ChannelCredentials = credentials.createInsecure()) {
    const Client = makeClientConstructor(externalProcessor(), 'ExternalProcessor');
    this.#client = new Client(`127.0.0.1:${port}`, channel, {
      'grpc.max_receive_message_length': -1,
      // TLS names no addresses.
      'grpc.ssl_target_name_override': 'localhost',
    });
  }

  open(): EnvoyStream {
    const process = this.#client.process as () => ClientDuplexStream<ProcessingRequest, ProcessingResponse>;
    return new EnvoyStream(process.call(this.#client));
  }

  close(): void {
    this.#client.close();
  }

  /** @param upstream answers what reaches it */
  async call(call: EnvoyCall, upstream: (sent: Changed) => Message): Promise<Outcome> {
    const { request = 'FULL_DUPLEX_STREAMED', response = 'FULL_DUPLEX_STREAMED', first } = call;
    const stream = this.open();
    const received: Buffer[] = [];
    let sent: Changed | undefined;
    try {
      const protocolConfig = { requestBodyMode: MODES.indexOf(request), responseBodyMode: MODES.indexOf(response) };
      sent = await pass(stream, 'request', request, call, [], { protocolConfig, ...first });
      const answer = await pass(stream, 'response', response, upstream(sent), received);
      await stream.end();
      return { kind: 'answer', sent, ...answer };
    } catch (error) {
      if (error instanceof Failed) return { kind: 'error', sent, body: Buffer.concat(received) };
      if (!(error instanceof Immediate)) throw error;
      const { status, headers, body } = error.response;
      await stream.end();
      return { kind: 'immediate', status: status.code, headers: apply({}, headers), body, sent };
    }
  }
}

/** @param received receives what goes on */
async function pass(
  stream: EnvoyStream,
  direction: 'request' | 'response',
  mode: Mode,
  { headers, parts, trailers }: Message,
  received: Buffer[],
  more: ProcessingRequest = {},
): Promise<Changed> {
  const hasBody = parts.length > 0;
  const list = Object.entries(headers).map(([key, value]) => ({ key, rawValue: Buffer.from(value) }));
  let current: Headers = headers;
  let trailing = trailers ?? {};
  stream.send({ [`${direction}Headers`]: { headers: { headers: list }, endOfStream: !hasBody }, ...more });
  const head = async (): Promise<void> => {
    const reply = await stream.next();
    const { response } = reply[`${direction}Headers`] ?? unexpected(reply);
    current = apply(current, response.headerMutation);
    // Envoy removes the length where it cannot know it.
    if (hasBody && mode !== 'BUFFERED') current = apply(current, { setHeaders: [], removeHeaders: ['content-length'] });
  };
  const send = (body: Buffer, endOfStream: boolean): void => {
    stream.send({ [`${direction}Body`]: { body, endOfStream } });
  };
  const trail = (): void => {
    const own = Object.entries(trailers ?? {}).map(([key, value]): HeaderValue => ({
      key,
      rawValue: Buffer.from(value),
    }));
    stream.send({ [`${direction}Trailers`]: { trailers: { headers: own } } });
  };
  if (!hasBody) await head();
  else if (mode === 'FULL_DUPLEX_STREAMED') {
    for (const [at, part] of parts.entries()) send(part, !trailers && at === parts.length - 1);
    if (trailers) trail();
    await head();
    for (let isLast = false; !isLast;) {
      const reply = await stream.next();
      const ofTrailers = reply[`${direction}Trailers`];
      if (ofTrailers) {
        trailing = apply(trailing, ofTrailers.headerMutation);
        isLast = true;
      } else {
        const { streamedResponse } = bodyMutationOf(reply, direction);
        const { body = Buffer.alloc(0), endOfStream = false } = streamedResponse ?? unexpected(reply);
        received.push(body);
        isLast = endOfStream;
      }
    }
  } else {
    await head();
    const sent = mode === 'BUFFERED' ? [Buffer.concat(parts)] : parts;
    // Envoy sends the parts without waiting for the answers.
    for (const [at, part] of sent.entries()) send(part, !trailers && at === sent.length - 1);
    for (let left = sent.length; left > 0; left -= 1) {
      const reply = await stream.next();
      const { body, clearBody } = bodyMutationOf(reply, direction);
      current = apply(current, reply[`${direction}Body`]?.response.headerMutation);
      received.push(clearBody === true ? Buffer.alloc(0) : (body ?? unexpected(reply)));
    }
    if (trailers) {
      trail();
      const reply = await stream.next();
      const ofTrailers = reply[`${direction}Trailers`] ?? unexpected(reply);
      trailing = apply(trailing, ofTrailers.headerMutation);
    }
  }
  return { headers: current, body: Buffer.concat(received), trailers: trailing };
}

function bodyMutationOf(
  reply: ProcessingResponse,
  direction: 'request' | 'response',
): { readonly body?: Buffer; readonly clearBody?: boolean; readonly streamedResponse?: HttpBody } {
  return reply[`${direction}Body`]?.response.bodyMutation ?? unexpected(reply);
}

function unexpected(reply: ProcessingResponse): never {
  throw new Error(`Envoy would refuse this message: ${JSON.stringify(reply)}`);
}

interface Mutation {
  readonly setHeaders?: readonly { readonly header: HeaderValue }[];
  readonly removeHeaders?: readonly string[];
}

function apply(headers: Headers, mutation: Mutation = {}): Headers {
  const removed = new Set(mutation.removeHeaders);
  const kept = Object.entries(headers).filter(([name]) => !removed.has(name));
  const set = (mutation.setHeaders ?? []).map(({ header }) => [header.key ?? '', header.rawValue?.toString() ?? '']);
  return Object.fromEntries([...kept, ...set]) as Headers;
}
