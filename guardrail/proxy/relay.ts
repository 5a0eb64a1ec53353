/** The way of an answer to the client: relayed as it is, restored as a whole, or restored while it arrives. */
import { once } from 'node:events';
import { PassThrough, type Duplex, type Writable } from 'node:stream';
import { errorEventOf, restoreBody, restoreStream, UnreadableAnswerError, type ByteStream } from '../bodies/bodies.ts';
import { DocumentTooDeepError } from '../messages/messages.ts';
import { decodersFor, recordPseudonyms, type CallScope } from '../http/http.ts';
import { ResponseTooLargeError } from '../pseudonymization/pseudonymization.ts';
import { answerModeOf } from './answerMode.ts';
import type { Call, InlineOptions, Restoring } from './call.ts';
import { ClientGoneError, ProxyError } from './errors.ts';
import { problemOf } from './failures.ts';
import { leadsAway } from './headers.ts';
import { AnswerId } from './storedAnswers.ts';
import type { UpstreamAnswer } from './upstream.ts';

/**
 * Sends an answer to the client. An error before its first byte is thrown. A later one ends the answer with an event that
 * describes it, and breaks the connection. Not `async`: a stream would hold one more suspended function while it is open.
 * @param restoring undefined: the answer is relayed as it is
 * @throws ProxyError, ServiceError, ClientGoneError, and the errors of the guard
 */
export function relay(
  call: Call,
  answer: UpstreamAnswer,
  restoring: Restoring | undefined,
  options: InlineOptions,
): Promise<void> {
  const { status, headers } = answer;
  if (leadsAway(status, headers, call.base)) throw new ProxyError('redirect_refused');
  const { method } = call.context;
  const mode = answerModeOf({ method, status, headers, operation: call.operation, isRestored: !!restoring });
  if (restoring && mode === 'whole') return relayWhole(call, answer, restoring, options);
  if (restoring && mode === 'stream') return relayStream(call, answer, restoring, options);
  return relayAsIs(call, answer, mode === 'bare' && !!restoring);
}

/** @param isChanged the headers describe bytes that would be changed, and that are not there: the answer to HEAD */
export async function relayAsIs(
  { client }: Pick<Call, 'client'>,
  answer: UpstreamAnswer,
  isChanged: boolean,
): Promise<void> {
  client.begin(answer, isChanged);
  if (!answer.isReady) client.flush();
  try {
    await answer.each((part) => client.write(part));
    await client.end();
  } catch (thrown) {
    client.drop();
    throw thrown;
  }
}

async function relayWhole(
  call: Call,
  answer: UpstreamAnswer,
  restoring: Restoring,
  options: InlineOptions,
): Promise<void> {
  const { context, client, operation } = call;
  await withWholeAnswer(context, answer, options, async (body) => {
    const type = answer.headers['content-type'];
    const restored = await restoreBody(operation, body, type, options.guard, restoring).catch(throwUnreadable);
    if (restoring.onId) await reportId(restoring, new AnswerId(), restored.body);
    report(call, restored.counts, options);
    client.begin(answer, true, restored.body.length);
    await client.end(restored.body);
  });
}

/**
 * Reads an answer within the limit and the memory of admission, decoded.
 * @param use receives the body, which counts until it is finished
 * @throws ProxyError 502, ServiceError 429, ClientGoneError
 */
export async function withWholeAnswer(
  context: CallScope,
  answer: UpstreamAnswer,
  { maxBody, admission }: Pick<InlineOptions, 'maxBody' | 'admission'>,
  use: (body: Buffer) => Promise<void>,
): Promise<void> {
  const declared = Number(answer.headers['content-length']) || 0;
  if (declared > maxBody) throw new ProxyError('answer_too_large');
  const reservation = admission.reserveAnswer(context, declared);
  const parts: Buffer[] = [];
  let length = 0;
  try {
    const decoded = decodedBy(answer);
    try {
      await decoded.each((part) => {
        length += part.length;
        if (length > maxBody) throw new ProxyError('answer_too_large');
        reservation.addBytes(part.length);
        parts.push(part);
        return undefined;
      });
    } finally {
      decoded.close();
    }
    await use(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, length));
  } finally {
    reservation.release();
  }
}

async function relayStream(
  call: Call,
  answer: UpstreamAnswer,
  restoring: Restoring,
  options: InlineOptions,
): Promise<void> {
  const { client, operation } = call;
  const type = answer.headers['content-type'] ?? '';
  const stream = restoreStream(operation, type, options.guard, restoring);
  const answerId = new AnswerId();
  const decoded = decodedBy(answer);
  const start = (): void => {
    if (!client.hasBegun) client.begin(answer, true);
  };
  if (!answer.isReady) {
    start();
    client.flush();
  }
  const write = (restored: Buffer): Promise<void> | undefined => {
    start();
    if (restored.length > 0) return client.write(restored);
    // Everything is held back. The client learns that the answer has begun.
    client.flush();
    return undefined;
  };
  const reportAndWrite = async (restored: Buffer): Promise<void> => {
    await reportId(restoring, answerId, restored);
    await write(restored);
  };
  const send = restoring.onId ? reportAndWrite : write;
  // Not `async`: most parts wait for nothing, and need no promise.
  const relayPart = (part: Buffer): Promise<void> | undefined => {
    const restored = stream.push(part);
    return restored instanceof Promise ? restored.then(send) : send(restored);
  };
  try {
    await decoded.each(relayPart);
    const rest = await stream.end();
    start();
    report(call, stream.counts(), options);
    await client.end(rest);
  } catch (thrown) {
    const problem = asAnswerProblem(thrown);
    if (client.hasBegun && !(problem instanceof ClientGoneError)) {
      client.break(errorEventOf(operation, type, problemOf(problem)));
    }
    throw problem;
  } finally {
    decoded.close();
  }
}

/** Reports the id of an answer that the API stores, if these bytes complete it. */
async function reportId({ onId }: Restoring, answerId: AnswerId, bytes: Buffer): Promise<void> {
  const id = onId && answerId.push(bytes);
  if (id !== undefined) await onId?.(id);
}

/** The action of the call is that of its request. */
function report(
  { context }: Call,
  counts: ReturnType<ByteStream['counts']>,
  { metrics, protocol }: InlineOptions,
): void {
  metrics.guardrailCall('response', protocol, recordPseudonyms(context.state, counts, metrics));
}

/** The parts of an answer, decoded. */
interface Decoded extends Pick<UpstreamAnswer, 'each'> {
  /** Frees the decoder. */
  close(): void;
}

/** @throws ProxyError 502 for an encoding that the proxy did not ask for and cannot decode */
export function decodedBy(answer: UpstreamAnswer): Decoded {
  const decoders = decodersFor(answer.headers['content-encoding']);
  if (!decoders) throw new ProxyError('answer_unreadable');
  const [decoder] = decoders;
  if (!decoder) return { each: (take) => answer.each(take), close: () => undefined };
  return decodedWith(answer, decoder);
}

function decodedWith(answer: UpstreamAnswer, decoder: Duplex): Decoded {
  // A problem of the upstream is more precise than the one of the decoder that follows from it.
  let problem: Error | undefined;
  const source = new PassThrough();
  answer
    .each((part) => (source.write(part) ? undefined : drained(source)))
    .then(
      () => source.end(),
      (error: unknown) => source.destroy(error as Error),
    );
  source.once('error', (error) => {
    problem = error;
    decoder.destroy();
  });
  const parts = source.pipe(decoder)[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  const next = (): ReturnType<typeof parts.next> =>
    parts.next().catch(() => {
      throw problem ?? new ProxyError('answer_unreadable');
    });
  return {
    async each(take) {
      for (let part = await next(); part.done !== true; part = await next()) await take(part.value);
    },
    close() {
      source.destroy();
      decoder.destroy();
    },
  };
}

async function drained(stream: Writable): Promise<void> {
  await once(stream, 'drain');
}

/** What a restoration finds wrong with an answer is the fault of the upstream, not of the client. */
function asAnswerProblem(thrown: unknown): unknown {
  if (thrown instanceof UnreadableAnswerError) return new ProxyError('answer_unreadable', thrown.message);
  if (thrown instanceof DocumentTooDeepError) return new ProxyError('answer_unreadable');
  if (thrown instanceof ResponseTooLargeError) return new ProxyError('answer_too_large');
  return thrown;
}

function throwUnreadable(thrown: unknown): never {
  throw asAnswerProblem(thrown);
}
