/** The way of a server's messages to the client: values become pseudonyms. */
import {
  BLOCKED_CODE,
  BodyError,
  generic,
  guardBody,
  leavingOutSchemas,
  mcpMessage,
  decodeUtf8,
  JsonError,
  parsing,
  UnreadableAnswerError,
  type Document,
  type GuardedBody,
  type Operation,
  type RequestBody,
} from '../bodies/bodies.ts';
import { inSlices, type Steps } from '../eventLoop.ts';
import {
  describeError,
  noteAction,
  recordAction,
  recordEntities,
  recordUnreadLines,
  recordForwarded,
  withTimeLimit,
} from '../http/http.ts';
import { problemOf, ProxyError } from '../proxy/proxy.ts';
import type { Policy } from '../detection/detection.ts';
import type { McpCall, McpOptions } from './call.ts';
import { fenceOf, type Moment } from './moment.ts';
import { errorMessage, isRpc, messagesIn, type RpcError, type RpcMessage } from './rpc.ts';
import { policyIn } from './terms.ts';

/** What the client gets of a server's message. */
export interface CheckedMessage {
  /** undefined: nothing. */
  readonly text: string | undefined;
  /** What the server gets, because the client does not get its request. */
  readonly refusal?: string;
}

/** What the client gets of a text with messages. */
export interface CheckedText {
  /** undefined: nothing is left. */
  readonly text: string | undefined;
  /** What the server gets. */
  readonly refusals: readonly string[];
}

/** What the client gets of an answer as a whole. */
export interface CheckedBody extends Pick<CheckedText, 'refusals'> {
  /** undefined: nothing is left. */
  readonly body: Buffer | undefined;
}

/** What applies to a message. */
interface Conditions {
  readonly policy: Policy;
  /** When the server could begin to write it. */
  readonly moment: Moment;
}

type CheckOptions = Pick<McpOptions, 'guard' | 'metrics' | 'isFailOpen' | 'logger'>;

/** Checks the messages of one server for one client. */
export class MessageCheck {
  readonly #call: McpCall;
  readonly #options: CheckOptions;

  constructor(call: McpCall, options: CheckOptions) {
    this.#call = call;
    this.#options = options;
  }

  /**
   * Pseudonymizes the messages in an event, or in an answer. One that cannot be checked becomes an error, or is left out: it
   * is never sent as it is.
   * @param moment when the server could begin to write them
   * @throws ProxyError if it is no JSON-RPC, ClientGoneError
   */
  async rpc(text: string, moment: Moment): Promise<CheckedText> {
    return this.#orAsIs({ text, refusals: [] }, async (policy) =>
      this.#rpc(await inSlices(parsingAnswer(text)), { policy, moment }),
    );
  }

  async #rpc(document: Document, conditions: Conditions): Promise<CheckedText> {
    const messages = messagesOfServer(document);
    const checked: CheckedMessage[] = [];
    for (const message of messages) checked.push(await this.#message(message, conditions));
    const refusals = checked.flatMap(({ refusal }) => refusal ?? []);
    const left = checked.flatMap((one) => one.text ?? []);
    if (left.length === 0) return { text: undefined, refusals };
    return { text: document.root.kind === 'array' ? `[${left.join(',')}]` : left[0], refusals };
  }

  /**
   * Pseudonymizes an answer that is no event: messages, or an error in another form.
   * @throws ProxyError, BodyError, ClientGoneError, and the errors of the guard
   */
  async whole(body: Buffer, contentType: string | undefined, isError: boolean): Promise<CheckedBody> {
    return this.#orAsIs<CheckedBody>({ body, refusals: [] }, (policy) => {
      const conditions = { policy, moment: this.#call.begun };
      return this.#whole({ bytes: body, contentType }, isError, conditions);
    });
  }

  async #whole(
    { bytes: body, contentType }: RequestBody,
    isError: boolean,
    conditions: Conditions,
  ): Promise<CheckedBody> {
    const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const isJson = /^application\/(?:[a-z0-9.+-]*\+)?json$/.test(type);
    if (isJson) {
      const document = await inSlices(parsingAnswer(decodeUtf8(body)));
      if (isRpc(document)) {
        const { text, refusals } = await this.#rpc(document, conditions);
        return { body: text === undefined ? undefined : Buffer.from(text), refusals };
      }
      if (!isError) throw new ProxyError('answer_unreadable');
    } else if (!isError || !type.startsWith('text/')) throw new ProxyError('answer_unreadable');
    const text = { bytes: body, contentType: isJson ? 'application/json' : 'text/plain' };
    const outcome = await this.#guarded(generic, text, conditions).catch(throwUnreadable);
    if (outcome.action === 'BLOCKED') throw new ProxyError('guardrail_blocked', outcome.reason);
    return { body: outcome.action === 'NONE' ? body : outcome.body, refusals: [] };
  }

  async #message(message: RpcMessage, conditions: Conditions): Promise<CheckedMessage> {
    const { policy } = conditions;
    const { client } = this.#call;
    const { isFailOpen } = this.#options;
    try {
      const body = { bytes: Buffer.from(message.text), contentType: 'application/json' };
      const outcome = await this.#guarded(mcpMessage, body, conditions);
      if (outcome.action === 'BLOCKED') return refused(message, { code: BLOCKED_CODE, message: outcome.reason });
      const text = outcome.action === 'NONE' ? message.text : outcome.body.toString();
      return { text: isFailOpen(policy) ? text : await inSlices(leavingOutSchemas(text)) };
    } catch (thrown) {
      if (isFailOpen(policy) || client.signal.aborted) throw thrown;
      return this.#failed(message, thrown);
    }
  }

  /**
   * In monitor mode, what cannot be checked stays as it is.
   * @param check receives the policy that is in force now
   * @throws ProxyError if the call is refused now
   */
  async #orAsIs<T>(asIs: T, check: (policy: Policy) => Promise<T>): Promise<T> {
    const { context, client, terms } = this.#call;
    const { metrics, isFailOpen } = this.#options;
    const policy = policyIn(terms(), context.state, this.#options);
    try {
      return await check(policy);
    } catch (thrown) {
      if (!isFailOpen(policy) || client.signal.aborted) throw thrown;
      const { code } = problemOf(thrown);
      recordForwarded(context.state, code, metrics);
      return asIs;
    }
  }

  #failed(message: RpcMessage, thrown: unknown): CheckedMessage {
    const { logger } = this.#options;
    const { context } = this.#call;
    const problem = problemOf(thrown);
    const request_id = context.state.requestId;
    context.state.log.error = problem.code;
    noteAction(context.state, 'FAILED');
    logger.warn(
      { request_id, code: problem.code, ...(problem.status === 500 && { error: describeError(thrown) }) },
      'A message of the MCP server could not be checked.',
    );
    return refused(message, problem);
  }

  async #guarded(operation: Operation, body: RequestBody, { policy, moment }: Conditions): Promise<GuardedBody> {
    const { context, client, identity } = this.#call;
    const { guard, metrics, isFailOpen } = this.#options;
    // In monitor mode, nothing is stored.
    const fence = isFailOpen(policy) ? moment.fence : fenceOf(moment, performance.now());
    const outcome = await withTimeLimit(client.signal, (signal) =>
      guardBody(operation, body, guard, {
        ...{ identity, share: context.state.tenant, signal, policy, fence },
        // The server returns pseudonyms of types that it may not see, as it got them.
        isPseudonymized: true,
      }),
    );
    const { entities, unreadLines, action, monitored } = outcome;
    recordEntities(context.state, entities, metrics);
    recordUnreadLines(context.state, unreadLines, metrics);
    recordAction(context.state, { phase: 'request', protocol: 'mcp', action, monitored }, metrics);
    return outcome;
  }
}

/** What becomes of a message that the client must not see. */
function refused({ kind, id }: RpcMessage, error: RpcError): CheckedMessage {
  switch (kind) {
    case 'response':
      return { text: errorMessage(id, error) };
    case 'request':
      return { text: undefined, refusal: errorMessage(id, error) };
    case 'notification':
      return { text: undefined };
  }
}

/** Half of a surrogate pair is a problem of its message, whose id is known. */
function* parsingAnswer(text: string | undefined): Steps<Document> {
  try {
    if (text !== undefined) return { text, root: (yield* parsing(text)).root };
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
  }
  throw new ProxyError('answer_unreadable');
}

function messagesOfServer(document: Document): RpcMessage[] {
  try {
    return messagesIn(document);
  } catch {
    throw new ProxyError('answer_unreadable');
  }
}

/** What is wrong with an answer is the fault of the server, not of the client. */
function throwUnreadable(thrown: unknown): never {
  if (thrown instanceof BodyError || thrown instanceof UnreadableAnswerError) throw new ProxyError('answer_unreadable');
  throw thrown;
}
