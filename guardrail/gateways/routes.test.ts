import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../hack/harness/scale.ts';
import { deriveSession, deriveSubject, type SessionScope } from '../pseudonymization/pseudonymization.ts';
import type { Tenant } from '../ids.ts';
import type { JsonObject } from './fields.ts';
import type { GatewayExchange } from './contract.ts';
import { adapterFor, CHECK_PATH, gatewayRoutesOf } from './routes.ts';

const [shared = { path: CHECK_PATH, acceptsBearer: true, adapters: [] }] = gatewayRoutesOf([]);
const key = createSecretKey(Buffer.alloc(32, 7));

/** A call: the team that the gateway identifies, and the values that the client chooses. */
interface Call {
  readonly tenant: string;
  readonly team: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly user: string | undefined;
}

const name = fc.constantFrom('a', 'b');
const maybe = fc.option(name, { nil: undefined });
const trace = fc.constantFrom('1', '2').map((digit) => `00-${digit.repeat(32)}-${'3'.repeat(16)}-01`);
const call: fc.Arbitrary<Call> = fc.record({
  tenant: name,
  team: maybe,
  headers: fc.record({ 'x-session-id': name, traceparent: trace }, { requiredKeys: [] }),
  metadata: fc.record({ session_id: name, trace_id: name, conversation_id: name, _user: name }, { requiredKeys: [] }),
  user: maybe,
});
const scopes = fc.constantFrom<SessionScope>('user', 'conversation', 'call');

function read(dialect: string, body: JsonObject, { tenant, team, headers }: Call): GatewayExchange {
  const known = tenant as Tenant;
  return adapterFor(shared, dialect, body).read(body, {
    tenant: known,
    team,
    header: (header) => headers[header] ?? '',
    tokenOf: (token) =>
      deriveSession(key, { tenant: known, keyHash: token, callId: token, traceId: token }, 'user') ?? '',
    isMark: () => false,
    subjectOf: (endUser) => deriveSubject(key, known, endUser),
  });
}

const sessionOf = ({ identity }: GatewayExchange, scope: SessionScope): string | undefined =>
  deriveSession(key, identity, scope);

/** Both phases of a call. The second receives the request as changed by the first. */
function phases(dialect: string, made: Call): [before: GatewayExchange, after: GatewayExchange] {
  if (dialect === 'agentgateway') {
    return [read(dialect, { body: { messages: [] } }, made), read(dialect, { body: { choices: [] } }, made)];
  }
  const json = { messages: [], ...(made.user === undefined ? {} : { user: made.user }) };
  const hook = (eventType: string, request: JsonObject): JsonObject => ({
    eventType,
    metadata: { ...made.metadata },
    request: { json: request },
    response: { json: {} },
  });
  const before = read(dialect, hook('beforeRequestHook', json), made);
  if (before.phase !== 'request') throw new Error('A request is read as a response.');
  const outcome = { action: 'GUARDRAIL_INTERVENED' as const, session: '' as never, entities: [], texts: [] };
  const { transformedData } = before.render({ ...outcome, structuredMessages: [json] }) as {
    transformedData: { request: { json: JsonObject } };
  };
  return [before, read(dialect, hook('afterRequestHook', transformedData.request.json), made)];
}

for (const dialect of ['portkey', 'agentgateway']) {
  describe(`sessions of ${dialect}`, () => {
    it('are shared only within one tenant and one team that the gateway identifies, for any values of clients', () => {
      fc.assert(
        fc.property(call, call, scopes, (one, other, scope) => {
          const sessions = [...phases(dialect, one), ...phases(dialect, other)].map((phase) => sessionOf(phase, scope));
          const [, , third, fourth] = sessions;
          const shared = sessions.slice(0, 2).some((id) => id !== undefined && (id === third || id === fourth));
          if (shared) {
            expect(one.team).to.be.a('string');
            expect([one.tenant, one.team]).to.deep.equal([other.tenant, other.team]);
          }
        }),
        { numRuns: runs(3000) },
      );
    });

    it('are equal in both phases of a call, or undefined if nothing links the phases', () => {
      fc.assert(
        fc.property(call, scopes, (made, scope) => {
          const [before, after] = phases(dialect, made);
          expect(sessionOf(after, scope)).to.equal(sessionOf(before, scope));
          expect(sessionOf(before, scope) === undefined).to.equal(before.anonymous ?? false);
          expect(before.anonymous ?? false).to.equal(dialect === 'agentgateway' && made.team === undefined);
        }),
        { numRuns: runs(1000) },
      );
    });

    it('are equal in all calls of a team that name the same session', () => {
      fc.assert(
        fc.property(call, scopes, name, (made, scope, team) => {
          const named = { ...made, team, headers: { 'x-session-id': 'one', ...made.headers } };
          const [one, other] = [phases(dialect, named)[0], phases(dialect, named)[0]];
          expect(sessionOf(one, scope)).to.be.a('string').and.to.equal(sessionOf(other, scope));
        }),
      );
    });
  });
}
