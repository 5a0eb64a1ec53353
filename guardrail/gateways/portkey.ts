/** Portkey's webhook guardrail (1.15): receives whole bodies before and after the call, and returns a verdict. */
import type { Json } from '../pseudonymization/pseudonymization.ts';
import type { SubjectId } from '../ids.ts';
import { namesOf } from '../messages/messages.ts';
import { randomId } from '../randomId.ts';
import { FieldError, isObject, type JsonObject } from './fields.ts';
import { identityOf, rowsOf, type GatewayAdapter, type GatewayCall } from './contract.ts';

/** Field added to the request. Portkey removes it before the model call and sends it back after the call. */
const TOKEN_FIELD = 'x_peer_session';
/** Members of a request. Chat completions have some 40. */
const MAX_MEMBERS = 10_000;
const METADATA_NAMES = ['session_id', 'trace_id', 'conversation_id', '_user'] as const;
/** Members with the messages of a request, by API. */
const MESSAGE_LISTS = ['messages', 'contents'] as const;
/** The token of the session, and the id of the end user in the store if the gateway names one. */
const TOKEN = /^([0-9a-f]{32})([0-9a-f]{32})?$/;

export const portkey: GatewayAdapter = {
  dialect: 'portkey',
  // Portkey waits three seconds by default; an image can take that long.
  timeoutMs: 2700,

  recognizes: (body) => body.eventType === 'beforeRequestHook' || body.eventType === 'afterRequestHook',

  read(body, call) {
    const request = isObject(body.request) ? body.request.json : undefined;
    if (!isObject(request)) throw new FieldError('request.json must be an object.');
    // It is copied at once.
    if (namesOf(request).length > MAX_MEMBERS) {
      throw new FieldError(`request.json must have at most ${MAX_MEMBERS} members.`);
    }
    switch (body.eventType) {
      case 'beforeRequestHook':
        return readBefore(body, request, call);
      case 'afterRequestHook':
        return readAfter(body, request, call);
      default:
        throw new FieldError('eventType must be "beforeRequestHook" or "afterRequestHook".');
    }
  },

  onFailure: 'block',
  pass: { verdict: true },
  block: (reason) => ({ verdict: false, data: { reason } }),
};

type Exchange = ReturnType<GatewayAdapter['read']>;

function readBefore(body: JsonObject, request: JsonObject, call: GatewayCall): Exchange {
  const token = call.tokenOf(nameOf(body, request, call) ?? randomId());
  const subject = subjectOf(body, request, call);
  const { [TOKEN_FIELD]: sent, ...own } = request;
  const tools = rowsOf(own.tools);
  const rest = tools ? without(own, 'tools') : own;
  // Each message is a row of its own: what is replaced in it depends on the rows before it alone.
  const list = MESSAGE_LISTS.find((name) => rowsOf(rest[name]) !== undefined);
  const messages = (list === undefined ? undefined : rowsOf(rest[list])) ?? [];
  const head = list === undefined ? rest : without(rest, list);
  return {
    phase: 'request',
    identity: identityOf(call, 'portkey', token, subject),
    document: { texts: [], structuredMessages: [head, ...messages], ...(tools ? { tools } : {}) },
    render(outcome) {
      // A forged token must not come back as a valid one.
      if (outcome.action === 'NONE') return sent === undefined ? { verdict: true } : transformed('request', own);
      const [first, ...others] = outcome.structuredMessages ?? [head, ...messages];
      const changed = list === undefined ? {} : { [list]: others };
      const withTools = tools ? { tools: [...(outcome.tools ?? tools)] } : {};
      const json = { ...rest, ...asObject(first), ...changed, ...withTools };
      return transformed('request', { ...json, [TOKEN_FIELD]: `${token}${subject ?? ''}` });
    },
  };
}

function readAfter(body: JsonObject, request: JsonObject, call: GatewayCall): Exchange {
  const response = isObject(body.response) ? body.response.json : undefined;
  const sent = request[TOKEN_FIELD];
  const [isOurs, own, ownSubject] = TOKEN.exec(typeof sent === 'string' ? sent : '') ?? [];
  const name = nameOf(body, request, call);
  const token = own ?? (name === undefined ? undefined : call.tokenOf(name));
  const subject = isOurs === undefined ? subjectOf(body, request, call) : (ownSubject as SubjectId | undefined);
  return {
    phase: 'response',
    identity: identityOf(call, 'portkey', token, subject),
    // A stream has no body, so there is nothing to restore.
    document: { texts: [], structuredMessages: isObject(response) ? [response] : [] },
    render(outcome) {
      const restored = asObject(outcome.structuredMessages?.[0]);
      return outcome.action === 'NONE' || !restored ? { verdict: true } : transformed('response', restored);
    },
  };
}

/**
 * The name of the session within the team that the gateway identifies: the configured header, else a value that the
 * client chose, with its kind. Undefined without a team, because another client can choose the same name. The token of
 * the call then names the session.
 */
function nameOf(body: JsonObject, request: JsonObject, call: GatewayCall): string | undefined {
  if (call.team === undefined) return undefined;
  const header = call.header('x-session-id');
  if (header !== '') return `header:${header}`;
  const metadata = isObject(body.metadata) ? body.metadata : {};
  for (const name of METADATA_NAMES) {
    const value = metadata[name];
    if (typeof value === 'string' && value !== '') return `${name}:${value}`;
  }
  const user = request.user;
  return typeof user === 'string' && user !== '' ? `user:${user}` : undefined;
}

/** The end user whose erasure erases the session: the user in Portkey's metadata, else the user of the request. */
function subjectOf(body: JsonObject, request: JsonObject, call: GatewayCall): SubjectId | undefined {
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const endUser = [metadata._user, request.user].find((value) => typeof value === 'string' && value !== '');
  return typeof endUser === 'string' ? call.subjectOf(endUser) : undefined;
}

function transformed(what: 'request' | 'response', json: JsonObject): JsonObject {
  return { verdict: true, transformedData: { [what]: { json } } };
}

function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}
