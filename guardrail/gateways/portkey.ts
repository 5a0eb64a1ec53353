/** Portkey's webhook guardrail (1.15): whole bodies before and after the call, and a verdict back. */
import { randomBytes } from 'node:crypto';
import type { Json } from '../pseudonymization/pseudonymization.ts';
import type { SubjectId } from '../ids.ts';
import { FieldError, isObject, type JsonObject } from './fields.ts';
import { identityOf, rowsOf, type GatewayAdapter, type GatewayCall } from './contract.ts';

/** Added to the request that Portkey hands us back after the call, and drops before the model sees it. */
const TOKEN_FIELD = 'x_peer_session';
const METADATA_NAMES = ['session_id', 'trace_id', 'conversation_id', '_user'] as const;
/** The session's token, and where the peer names an end user, what that is called in the store. */
const TOKEN = /^([0-9a-f]{32})([0-9a-f]{32})?$/;

export const portkey: GatewayAdapter = {
  dialect: 'portkey',
  // It waits three seconds unless it is told otherwise, which an image may well take.
  timeoutMs: 2700,

  recognizes: (body) => body.eventType === 'beforeRequestHook' || body.eventType === 'afterRequestHook',

  read(body, call) {
    const request = isObject(body.request) ? body.request.json : undefined;
    if (!isObject(request)) throw new FieldError('request.json must be an object.');
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
  const token = call.tokenOf(nameOf(body, request, call) ?? randomBytes(16).toString('hex'));
  const subject = subjectOf(body, request, call);
  const { [TOKEN_FIELD]: sent, ...own } = request;
  const tools = rowsOf(own.tools);
  const rest = tools ? without(own, 'tools') : own;
  return {
    phase: 'request',
    identity: identityOf(call, 'portkey', token, subject),
    document: { texts: [], structuredMessages: [rest], ...(tools ? { tools } : {}) },
    render(outcome) {
      // A token that a client made up must not come back to us as ours.
      if (outcome.action === 'NONE') return sent === undefined ? { verdict: true } : transformed('request', own);
      const changed = asObject(outcome.structuredMessages?.[0]) ?? rest;
      const withTools = tools ? { ...changed, tools: [...(outcome.tools ?? tools)] } : changed;
      return transformed('request', { ...withTools, [TOKEN_FIELD]: `${token}${subject ?? ''}` });
    },
  };
}

function readAfter(body: JsonObject, request: JsonObject, call: GatewayCall): Exchange {
  const answer = isObject(body.response) ? body.response.json : undefined;
  const sent = request[TOKEN_FIELD];
  const [isOurs, own, ownSubject] = TOKEN.exec(typeof sent === 'string' ? sent : '') ?? [];
  const name = nameOf(body, request, call);
  const token = own ?? (name === undefined ? undefined : call.tokenOf(name));
  const subject = isOurs === undefined ? subjectOf(body, request, call) : (ownSubject as SubjectId | undefined);
  return {
    phase: 'response',
    identity: identityOf(call, 'portkey', token, subject),
    // A stream comes without a body: there is nothing to restore in it.
    document: { texts: [], structuredMessages: isObject(answer) ? [answer] : [] },
    render(outcome) {
      const restored = asObject(outcome.structuredMessages?.[0]);
      return outcome.action === 'NONE' || !restored ? { verdict: true } : transformed('response', restored);
    },
  };
}

/**
 * What names the session within what the gateway proves: the configured header, then what the client chose; each kind
 * apart from the others. Where the gateway proves nothing, no name counts, since another client can give it too: the
 * session is that of the call's own token.
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

/** Whose erasure erases the session: the user that Portkey's metadata name, else that of the request. */
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
