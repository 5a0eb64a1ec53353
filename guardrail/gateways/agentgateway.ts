/** agentgateway's webhook guardrail: receives messages before the call and choices after it, and returns an action. */
import { FieldError, isObject, type JsonObject } from './fields.ts';
import { identityOf, rowsOf, type GatewayAdapter, type GatewayCall } from './contract.ts';

const PASS: JsonObject = { action: { reason: 'Nothing was replaced.' } };

export const agentgateway: GatewayAdapter = {
  dialect: 'agentgateway',
  timeoutMs: 900,

  recognizes: (body) => isObject(body.body) && ('messages' in body.body || 'choices' in body.body),

  read(body, call) {
    const inner = isObject(body.body) ? body.body : {};
    const messages = rowsOf(inner.messages);
    const choices = rowsOf(inner.choices);
    const rows = messages ?? choices;
    if (!rows) throw new FieldError('body.messages or body.choices must be an array of objects.');
    const token = tokenOf(call);
    const identity = identityOf(call, 'agentgateway', token);
    const mask = (name: string, changed: readonly unknown[] | undefined): JsonObject =>
      changed
        ? { action: { body: { [name]: [...changed] as JsonObject[] }, reason: 'Personal data was replaced.' } }
        : PASS;
    if (messages) {
      return {
        phase: 'request',
        identity,
        anonymous: token === undefined,
        document: { texts: [], structuredMessages: messages },
        // A mask drops everything that it does not contain, such as tool calls. It is sent only after a change.
        render: (outcome) => (outcome.action === 'NONE' ? PASS : mask('messages', outcome.structuredMessages)),
      };
    }
    return {
      phase: 'response',
      identity,
      document: { texts: [], structuredMessages: rows },
      render: (outcome) => (outcome.action === 'NONE' ? PASS : mask('choices', outcome.structuredMessages)),
    };
  },

  onFailure: 'block',
  pass: PASS,
  block: (reason) => ({ action: { body: reason, status_code: 403, reason } }),
};

/**
 * The token of the session within the team that the gateway identifies: from the client's session, else from the trace
 * of both calls, else one for the team. Undefined without a team, because another client can copy all other values.
 */
function tokenOf(call: GatewayCall): string | undefined {
  if (call.team === undefined) return undefined;
  const header = call.header('x-session-id');
  if (header !== '') return call.tokenOf(`header:${header}`);
  const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(call.header('traceparent'))?.[1];
  return call.tokenOf(trace === undefined ? 'team:' : `trace:${trace}`);
}
