/** The way of a request through the guard: its body is read, checked, and replaced. */
import { PassThrough, Readable } from 'node:stream';
import {
  guardBody,
  readingEndUsers,
  withJson,
  type EndUsers,
  type GuardedBody,
  type RequestBody,
} from '../bodies/bodies.ts';
import { inSlices, type Steps } from '../eventLoop.ts';
import type { Policy } from '../detection/detection.ts';
import {
  noteAction,
  readBody,
  recordAction,
  recordFindings,
  recordForwarded,
  reportSession,
  withTimeLimit,
} from '../http/http.ts';
import type { CallIdentity } from '../pseudonymization/pseudonymization.ts';
import { randomId } from '../randomId.ts';
import type { Call, InlineOptions, InlineRequest, Restoring } from './call.ts';
import { ProxyError } from './errors.ts';
import { problemOf } from './failures.ts';
import { customersIn, identifiesUsers, identityOf, keyHashesIn } from './identity.ts';
import { hasBody, isWithoutBody } from './route.ts';
import { isStoring, mayBeStored } from './storedAnswers.ts';

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
  const { context, target } = call;
  if (call.handling === 'pass' && !isAccessChecked(call, options)) return unread(call);
  let bytes: Buffer | undefined;
  let policy: Policy | undefined;
  try {
    return await reading(call, options, async (read) => {
      bytes = read;
      const reads = inSlices(readingBody(bodyOf(call, read, options)));
      const { body, endUsers } = reads instanceof Promise ? await reads : reads;
      const decision = decide(call, endUsers, options);
      policy = decision.policy;
      return await check(call, { body, endUsers, ...decision }, options);
    });
  } catch (thrown) {
    if (
      !options.isFailOpen(policy) ||
      call.client.signal.aborted ||
      (bytes === undefined && context.req.readableDidRead)
    ) {
      throw thrown;
    }
    const { code } = problemOf(thrown);
    noteAction(context.state, 'FAILED');
    recordForwarded(context.state, code, options.metrics);
    return bytes ? { ...sendable(bytes), query: target.query, isRead: true, answer: undefined } : unread(call);
  }
}

function* readingBody(asSent: RequestBody): Steps<Pick<ReadRequest, 'body' | 'endUsers'>> {
  const body = yield* withJson(asSent);
  return { body, endUsers: yield* readingEndUsers(body) };
}

/** Whether the call must be one that the list of customers allows. Reading and cancelling reach no model. */
function isAccessChecked({ context, operation }: Call, { access }: InlineOptions): boolean {
  return access !== undefined && !isWithoutBody(context.method) && operation.isControl !== true;
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
export async function reading<T>(
  { context, client }: Pick<Call, 'context' | 'client'>,
  { admission, maxBody }: Pick<InlineOptions, 'admission' | 'maxBody'>,
  work: (body: Buffer) => Promise<T>,
): Promise<T> {
  const free = admission.reserve(context);
  try {
    const body = hasBody(context.req.headers) ? await readBody(context, maxBody) : Buffer.alloc(0);
    const started = admission.takeSlot(context);
    if (started) await started;
    try {
      client.signal.throwIfAborted();
      const prepared = await work(body);
      client.signal.throwIfAborted();
      return prepared;
    } finally {
      admission.releaseSlot(context);
    }
  } finally {
    free();
  }
}

function bodyOf({ context, target }: Call, bytes: Buffer, { hidesEndUser }: InlineOptions): RequestBody {
  return { bytes, contentType: context.req.headers['content-type'], query: target.query, hidesEndUser };
}

/** What is known of a request before its body is checked. */
interface ReadRequest {
  readonly body: RequestBody;
  readonly endUsers: EndUsers;
  readonly policy: Policy;
  /** Why the call may not pass; undefined: it may. */
  readonly refusal: string | undefined;
}

async function check(
  call: Call,
  { body, endUsers, policy, refusal }: ReadRequest,
  options: InlineOptions,
): Promise<Prepared> {
  const { context, target, operation, fence } = call;
  const { guard, metrics } = options;
  const { bytes } = body;
  const monitored = refusal === undefined ? undefined : refuse(call, refusal, policy, options);
  if (call.handling === 'pass') {
    count(call, { action: 'NONE', ...(monitored && { monitored }) }, options);
    return { ...sendable(bytes), query: target.query, isRead: true, answer: undefined };
  }
  const known = identityOfCall(call, endUsers.names, options);
  const identity = known instanceof Promise ? await known : known;
  const { audit } = context.state;
  if (audit) audit.identity = identity;
  const answer = options.isFailOpen(policy) ? undefined : restoringOf(call, body, { identity, policy }, options);
  if (bytes.length === 0 && target.query === '') {
    reportSession(context, guard.sessionOf(identity));
    return { body: null, query: '', isRead: true, answer };
  }
  const outcome = await withTimeLimit(call.client.signal, (signal) =>
    guardBody(operation, body, guard, { identity, share: context.state.tenant, signal, fence, policy }),
  );
  reportSession(context, outcome.session);
  recordFindings(context, outcome, metrics);
  count(call, monitored ? { ...outcome, monitored } : outcome, options);
  if (outcome.action === 'BLOCKED') throw new ProxyError('guardrail_blocked', outcome.reason);
  const changed = outcome.action === 'GUARDRAIL_INTERVENED' ? outcome : undefined;
  return { ...sendable(changed?.body ?? bytes), query: changed?.query ?? target.query, isRead: true, answer };
}

/** @throws StoreUnavailableError */
function identityOfCall(
  { context, caller, target }: Call,
  endUsers: readonly string[],
  { customerHeaders, subjectOf, storedAnswers }: InlineOptions,
): CallIdentity | Promise<CallIdentity> {
  // The first in the order of LiteLLM.
  const [endUser] = [...customersIn(context.req.headers, customerHeaders), ...endUsers];
  const identity = identityOf(caller, { callId: randomId(), endUser, subjectOf, connection: context.req.socket });
  return endUser === undefined && mayBeStored(target.path)
    ? storedAnswers.recall(caller, target.path, identity)
    : identity;
}

function restoringOf(
  { caller, context, operation, client, fence }: Call,
  { bytes }: RequestBody,
  { identity, policy }: { readonly identity: CallIdentity; readonly policy: Policy },
  { guard, subjectOf, storedAnswers }: InlineOptions,
): Restoring {
  const { tenant } = context.state;
  const restoring = { identity, share: tenant, signal: client.signal, fence, policy };
  if (!isStoring(operation, bytes)) return restoring;
  const later = identityOf({ ...caller, conversation: undefined }, { callId: '', endUser: undefined, subjectOf });
  if (guard.sessionOf(later) === guard.sessionOf(identity)) return restoring;
  return { ...restoring, onId: (id) => storedAnswers.remember(caller, id, identity, fence, tenant) };
}

/** Decides by the customers that the call names: whether it may pass, and its policy. */
function decide(call: Call, endUsers: EndUsers, options: InlineOptions): Pick<ReadRequest, 'policy' | 'refusal'> {
  const { context, caller, target } = call;
  const { access, customerHeaders, policyOf, policyRevision } = options;
  const { headers, repeatedHeaders } = context.req;
  const customers = [...customersIn(headers, customerHeaders), ...endUsers.names];
  const decision = access?.decide({
    customers,
    team: caller.team,
    keyHashes: keyHashesIn(headers, target.query),
    isUnreadable: endUsers.isUnreadable || customerHeaders.some((name) => repeatedHeaders?.has(name)),
  });
  const policies = decision?.policies ?? [];
  if (context.state.audit) context.state.audit.policy = { service: policyRevision(), customers: policies };
  const missing =
    customers.length === 0 && needsEndUser(call, options) ? options.endUsers.missing(options.protocol) : undefined;
  return {
    policy: policyOf(policies),
    refusal: missing ?? (isAccessChecked(call, options) ? decision?.refusal : undefined),
  };
}

/** Whether other people can have the same session as the caller, unless the call names its end user. */
function needsEndUser({ context, caller, operation, handling }: Call, { identityHeaders }: InlineOptions): boolean {
  const reachesModel = handling === 'guard' && !isWithoutBody(context.method) && operation.isControl !== true;
  return reachesModel && caller.name !== undefined && !identifiesUsers(identityHeaders);
}

/**
 * Refuses a call.
 * @returns the action that enforcing would have taken, in monitor mode
 * @throws ProxyError
 */
function refuse({ context }: Call, refusal: string, policy: Policy, options: InlineOptions): 'BLOCKED' {
  if (options.isFailOpen(policy)) return 'BLOCKED';
  count({ context }, { action: 'BLOCKED' }, options);
  throw new ProxyError('guardrail_blocked', refusal);
}

function count(
  { context }: Pick<Call, 'context'>,
  { action, monitored }: Pick<GuardedBody, 'action' | 'monitored'>,
  { metrics, protocol }: InlineOptions,
): void {
  recordAction(context.state, { phase: 'request', protocol, action, monitored }, metrics);
}

export function sendable(bytes: Buffer): Pick<Prepared, 'body' | 'length'> {
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
