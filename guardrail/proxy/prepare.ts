/** The way of a request through the guard: its body is read, checked, and replaced. */
import { randomUUID } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { endUserOf, guardBody, type GuardedBody, type RequestBody } from '../bodies/bodies.ts';
import { readBody, reportSession, withTimeLimit } from '../http/http.ts';
import type { CallIdentity } from '../pseudonymization/pseudonymization.ts';
import type { Call, InlineOptions, InlineRequest, Restoring } from './call.ts';
import { ClientGoneError, ProxyError } from './errors.ts';
import { problemOf } from './failures.ts';
import { identityOf } from './identity.ts';
import { hasBody } from './route.ts';
import { isStoring } from './storedAnswers.ts';

/** A request as the upstream receives it. */
export interface Prepared {
  readonly body: Buffer | Readable | null;
  /** The length of a body that is a stream. */
  readonly length?: number;
  readonly query: string;
  /** Whether the body was decoded. If not, it is the client's as it arrived. */
  readonly isRead: boolean;
  /** The context of the answer. undefined: the answer is relayed as it is. */
  readonly answer: Restoring | undefined;
}

/** A larger body is sent as a stream, because the HTTP client keeps a buffer until the answer has ended. */
const MAX_KEPT_BYTES = 16 * 1024;

/** @throws ProxyError, ServiceError, BodyError, and the errors of the guard */
export async function prepare(call: Call, options: InlineOptions): Promise<Prepared> {
  const { context, target, handling } = call;
  if (handling === 'pass') return unread(call);
  let bytes: Buffer | undefined;
  try {
    return await reading(call, options, async (body) => {
      bytes = body;
      return check(call, body, options);
    });
  } catch (thrown) {
    if (
      !options.isFailOpen(call.policy) ||
      call.client.signal.aborted ||
      (bytes === undefined && context.req.readableDidRead)
    ) {
      throw thrown;
    }
    const { code } = problemOf(thrown);
    context.state.log.action = 'FAILED';
    context.state.log.error = code;
    options.metrics.failedOpen(code);
    return bytes ? { ...sendable(bytes), query: target.query, isRead: true, answer: undefined } : unread(call);
  }
}

/** The request as it arrives. */
function unread({ context, target }: Call): Prepared {
  const body = hasBody(context.req.headers) ? detached(context.req) : null;
  return { body, query: target.query, isRead: false, answer: undefined };
}

/** The body of a request, as a stream that the HTTP client may destroy: the connection stays open for the answer. */
function detached(request: InlineRequest): Readable {
  const body = new PassThrough();
  request.once('error', (error) => body.destroy(error));
  body.once('close', () => request.unpipe(body));
  return request.pipe(body);
}

/** Reads the body within the limits of admission. They end with `work`: the model may take minutes. */
async function reading(
  { context, client }: Call,
  { admission, maxBody }: InlineOptions,
  work: (body: Buffer) => Promise<Prepared>,
): Promise<Prepared> {
  let prepared: Prepared | undefined;
  await admission.reserve(context, async () => {
    const body = hasBody(context.req.headers) ? await readBody(context, maxBody) : Buffer.alloc(0);
    await admission.acquireSlot(context, async () => {
      client.signal.throwIfAborted();
      prepared = await work(body);
    });
  });
  client.signal.throwIfAborted();
  if (!prepared) throw new ClientGoneError();
  return prepared;
}

async function check(call: Call, bytes: Buffer, options: InlineOptions): Promise<Prepared> {
  const { context, target, operation, fence, policy } = call;
  const { guard, metrics, hidesEndUser } = options;
  const contentType = context.req.headers['content-type'];
  const body: RequestBody = { bytes, contentType, query: target.query, hidesEndUser };
  const identity = await identityOfCall(call, body, options);
  const answer = options.isFailOpen(policy) ? undefined : restoringOf(call, body, identity, options);
  if (bytes.length === 0 && target.query === '') {
    reportSession(context, guard.sessionOf(identity));
    return { body: null, query: '', isRead: true, answer };
  }
  const outcome = await withTimeLimit(call.client.signal, (signal) =>
    guardBody(operation, body, guard, { identity, signal, fence, policy }),
  );
  reportSession(context, outcome.session);
  metrics.entities(outcome.entities);
  context.state.log.entities = outcome.entities.reduce((sum, entity) => sum + entity.count, 0);
  count(call, outcome, options);
  if (outcome.action === 'BLOCKED') throw new ProxyError('guardrail_blocked', outcome.reason);
  const changed = outcome.action === 'GUARDRAIL_INTERVENED' ? outcome : undefined;
  return { ...sendable(changed?.body ?? bytes), query: changed?.query ?? target.query, isRead: true, answer };
}

/** @throws StoreUnavailableError */
async function identityOfCall(
  { caller, operation, target }: Call,
  body: RequestBody,
  { subjectOf, storedAnswers }: InlineOptions,
): Promise<CallIdentity> {
  const endUser = mayNameEndUser(body.bytes) ? endUserOf(operation, body) : undefined;
  const identity = identityOf(caller, { callId: randomUUID(), endUser, subjectOf });
  if (endUser !== undefined) return identity;
  return (await storedAnswers.recall(caller, target.path, identity)) ?? identity;
}

function restoringOf(
  { caller, operation, client, fence, policy }: Call,
  { bytes }: RequestBody,
  identity: CallIdentity,
  { guard, subjectOf, storedAnswers }: InlineOptions,
): Restoring {
  const restoring = { identity, signal: client.signal, fence, policy };
  if (!isStoring(operation, bytes)) return restoring;
  const later = identityOf({ ...caller, conversation: undefined }, { callId: '', endUser: undefined, subjectOf });
  if (guard.sessionOf(later) === guard.sessionOf(identity)) return restoring;
  return { ...restoring, onId: (id) => storedAnswers.remember(caller, id, identity, fence) };
}

/** The members that name an end user, or any name that has an escaped letter. */
const END_USER = /"(?:user|user_id|safety_identifier)"\s*:|\\u00[4-7]/i;

/** A cheap test before the body is parsed for its end user. */
function mayNameEndUser(bytes: Buffer): boolean {
  return END_USER.test(bytes.toString('latin1'));
}

function count({ context }: Call, { action, monitored }: GuardedBody, { metrics, protocol }: InlineOptions): void {
  context.state.log.action = action;
  if (monitored !== undefined) context.state.log.monitored = monitored;
  metrics.guardrailCall('request', protocol, monitored === undefined ? action : `MONITORED_${monitored}`);
}

function sendable(bytes: Buffer): Pick<Prepared, 'body' | 'length'> {
  if (bytes.length === 0) return { body: null };
  if (bytes.length <= MAX_KEPT_BYTES) return { body: bytes };
  let left: Buffer | null = bytes;
  const body = new Readable({
    read() {
      const all = left;
      left = null;
      this.push(all);
    },
  });
  return { body, length: bytes.length };
}
