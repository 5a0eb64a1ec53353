import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../hack/harness/scale.ts';
import type { SubjectId, Tenant } from '../ids.ts';
import type { CallIdentity, SessionScope } from './pseudonymization.ts';
import { deriveSession, deriveSubject, isSessionOf, rememberSessions, sessionOfCall } from './session.ts';

const key = createSecretKey(Buffer.alloc(32, 7));
const tenant = 'gateway' as Tenant;

type Given = Partial<CallIdentity>;
const derive = (given: Given, scope: SessionScope = 'user'): string | undefined =>
  deriveSession(key, { tenant, ...given }, scope);

const team = { team: 'red' };
const keyHash = { keyHash: 'k1' };
const user = { user: 'ada' };
const endUser = { endUser: 'cust-9' };
const call = { callId: 'c1', traceId: 't1' };
const otherCall = { callId: 'c2', traceId: 't2' };

describe('deriveSession', () => {
  const shared: [name: string, scope: SessionScope, a: Given, b: Given][] = [
    [
      'the calls of an end user of a team',
      'user',
      { ...team, ...endUser, ...call },
      { ...team, ...endUser, ...otherCall },
    ],
    [
      'one end user with two keys of a team',
      'user',
      { ...team, ...endUser, ...keyHash },
      { ...team, ...endUser, keyHash: 'k2' },
    ],
    ['the calls of an internal user', 'user', { ...team, ...user, ...call }, { ...team, ...user, ...otherCall }],
    ['the calls of a key without team and user', 'user', { ...keyHash, ...call }, { ...keyHash, ...otherCall }],
    ['the calls of an end user alone', 'user', { ...endUser, ...call }, { ...endUser, ...otherCall }],
    ['the calls of a team without a user', 'user', { ...team, ...call }, { ...team, ...otherCall }],
    [
      'an end user with and without an internal user',
      'user',
      { ...team, ...endUser, ...user },
      { ...team, ...endUser },
    ],
    ['absent and empty identifiers', 'user', { ...endUser, team: '', keyHash: '', user: '' }, endUser],
    [
      'both phases of a call, in every scope',
      'call',
      { ...team, ...endUser, ...call },
      { ...team, ...endUser, ...call },
    ],
    [
      'the calls of a conversation',
      'conversation',
      { ...endUser, ...call },
      { ...endUser, callId: 'c2', traceId: 't1' },
    ],
    ['both phases of an unidentified call', 'user', { callId: 'c1', traceId: 't1' }, { callId: 'c1', traceId: 't2' }],
  ];
  for (const [name, scope, a, b] of shared) {
    it(`derives one session for ${name}`, () => {
      expect(derive(a, scope))
        .to.equal(derive(b, scope))
        .and.to.match(/^[0-9a-f]{32}$/);
    });
  }

  const apart: [name: string, scope: SessionScope, a: Given, b: Given][] = [
    ['two teams that name one end user', 'user', { team: 'red', ...endUser }, { team: 'blue', ...endUser }],
    [
      'two keys without a team that name one end user',
      'user',
      { keyHash: 'k1', ...endUser },
      { keyHash: 'k2', ...endUser },
    ],
    [
      'two keys without a team, under one internal user',
      'user',
      { keyHash: 'k1', ...user },
      { keyHash: 'k2', ...user },
    ],
    ['two end users', 'user', { ...team, endUser: 'a' }, { ...team, endUser: 'b' }],
    ['an end user named like an internal user', 'user', { ...team, endUser: 'ada' }, { ...team, user: 'ada' }],
    ['a team named like a key hash', 'user', { team: 'x', ...endUser }, { keyHash: 'x', ...endUser }],
    ['an end user named like a key hash', 'user', { ...keyHash, endUser: 'k1' }, keyHash],
    ['an end user with and without a team', 'user', { ...team, ...endUser }, endUser],
    ['fields with the same concatenation', 'user', { team: 'ab', endUser: 'c' }, { team: 'a', endUser: 'bc' }],
    ['a name that looks like the encoding', 'user', { team: 'a","endUser","b' }, { team: 'a', endUser: 'b' }],
    ['two lone surrogates, which UTF-8 does not distinguish', 'user', { endUser: '\ud800' }, { endUser: '\ud801' }],
    ['two tenants with the same key hash', 'user', keyHash, { ...keyHash, tenant: 'other' as Tenant }],
    ['two tenants', 'user', endUser, { ...endUser, tenant: 'other' as Tenant }],
    ['two unidentified calls', 'user', { callId: 'c1' }, { callId: 'c2' }],
    [
      'two unidentified calls with one trace id',
      'user',
      { callId: 'c1', traceId: 't' },
      { callId: 'c2', traceId: 't' },
    ],
    ['an unidentified call and an end user of the same name', 'user', { callId: 'x' }, { endUser: 'x' }],
    ['two conversations', 'conversation', { ...endUser, traceId: 't1' }, { ...endUser, traceId: 't2' }],
    [
      'two end users with the same trace id',
      'conversation',
      { endUser: 'a', traceId: 't' },
      { endUser: 'b', traceId: 't' },
    ],
    ['calls without a trace id', 'conversation', { ...endUser, callId: 'c1' }, { ...endUser, callId: 'c2' }],
    ['a trace id named like a call id', 'conversation', { ...endUser, traceId: 'x' }, { ...endUser, callId: 'x' }],
    ['two calls', 'call', { ...endUser, callId: 'c1' }, { ...endUser, callId: 'c2' }],
    ['two teams with the same call id', 'call', { team: 'red', callId: 'c' }, { team: 'blue', callId: 'c' }],
  ];
  for (const [name, scope, a, b] of apart) {
    it(`derives different sessions for ${name}`, () => {
      expect(derive(a, scope)).to.be.a('string').and.not.to.equal(derive(b, scope));
    });
  }

  const nothing: [name: string, scope: SessionScope, given: Given][] = [
    ['without identifiers', 'user', {}],
    ['with a trace id alone', 'user', { traceId: 't' }],
    ['without call id in scope call', 'call', { ...team, ...endUser, traceId: 't' }],
    ['without trace and call id in scope conversation', 'conversation', { ...team, ...endUser }],
  ];
  for (const [name, scope, given] of nothing) {
    it(`returns undefined for a call ${name}`, () => {
      expect(derive(given, scope)).to.equal(undefined);
    });
  }

  it('depends on exactly the identifiers of the scope, in every combination', () => {
    const maybe = fc.constantFrom(undefined, '', 'a', 'b');
    const identity = fc.record({
      team: maybe,
      keyHash: maybe,
      user: maybe,
      endUser: maybe,
      callId: maybe,
      traceId: maybe,
    });
    const scopes = fc.constantFrom<SessionScope>('user', 'conversation', 'call');
    fc.assert(
      fc.property(identity, identity, scopes, (a, b, scope) => {
        expect(derive(a, scope) === derive(b, scope)).to.equal(meaning(a, scope) === meaning(b, scope));
      }),
      { numRuns: runs(5000) },
    );
  });

  it('depends on the key', () => {
    const other = createSecretKey(Buffer.alloc(32, 8));
    expect(deriveSession(other, { tenant, ...endUser }, 'user')).not.to.equal(derive(endUser));
  });

  it('begins like the subject of the end user, so that a cluster stores both on one node', () => {
    const subject = deriveSubject(key, tenant, 'cust-9');
    expect(derive({ ...team, ...endUser })?.slice(0, 4)).to.equal(subject.slice(0, 4));
    expect(derive({ ...team, ...endUser })).not.to.equal(subject);
  });
});

describe('isSessionOf', () => {
  const name = fc.string({ minLength: 1, maxLength: 12 });
  const call = fc.record({ team: name, endUser: name, callId: name, traceId: name });
  const scopes = fc.constantFrom<SessionScope>('user', 'conversation', 'call');

  it('returns true only for the tenant, the id and the key of a session', () => {
    const other = createSecretKey(Buffer.alloc(32, 8));
    fc.assert(
      fc.property(name, name, call, scopes, fc.nat(31), (own, foreign, given, scope, at) => {
        const id = deriveSession(key, { tenant: own as Tenant, ...given }, scope) ?? '';
        const changed = id.slice(0, at) + (id[at] === '0' ? '1' : '0') + id.slice(at + 1);
        expect(isSessionOf(key, own as Tenant, id)).to.equal(true);
        expect(isSessionOf(key, foreign as Tenant, id)).to.equal(foreign === own);
        expect(isSessionOf(key, own as Tenant, changed)).to.equal(false);
        expect(isSessionOf(other, own as Tenant, id)).to.equal(false);
      }),
    );
  });

  it('returns false for strings that are no session ids', () => {
    for (const id of ['', 'x', '0'.repeat(31), '0'.repeat(32), '0'.repeat(33), 'é'.repeat(32), '€'.repeat(500)]) {
      expect(isSessionOf(key, tenant, id), id).to.equal(false);
    }
  });
});

describe('deriveSubject', () => {
  it('derives one id for each end user of each tenant', () => {
    const subject = deriveSubject(key, tenant, 'cust-9');
    expect(subject)
      .to.match(/^[0-9a-f]{32}$/)
      .and.to.equal(deriveSubject(key, tenant, 'cust-9'));
    expect(subject).not.to.equal(deriveSubject(key, tenant, 'cust-8'));
    expect(subject).not.to.equal(deriveSubject(key, 'other' as Tenant, 'cust-9'));
  });
});

/** The specification of sessions: two calls share a session if this returns the same text. */
function meaning(given: Given, scope: SessionScope): string {
  const { team, keyHash, user, endUser, callId, traceId } = given;
  const owner = team ? `team ${team}` : keyHash ? `key ${keyHash}` : '';
  const person = endUser ? `end user ${endUser}` : user ? `user ${user}` : keyHash ? `key ${keyHash}` : '';
  const one = callId ? `call ${callId}` : 'nothing';
  const who = `${owner}, ${person}`;
  if (who === ', ' || scope === 'call') return one === 'nothing' ? one : `${who}, ${one}`;
  if (scope === 'conversation')
    return traceId ? `${who}, trace ${traceId}` : one === 'nothing' ? one : `${who}, ${one}`;
  return who;
}

describe('rememberSessions', () => {
  const subjects = [undefined, 'a'.repeat(32) as SubjectId, 'b'.repeat(32) as SubjectId];
  const identities = [tenant, 'other' as Tenant].flatMap((of) =>
    [undefined, 'red'].flatMap((name) =>
      ['', 'k1', 'k2'].flatMap((hash) =>
        [undefined, '', 'ada'].flatMap((known) =>
          [undefined, 'cust-9'].flatMap((end) =>
            subjects.flatMap((subject) =>
              ['c1', 'c2'].flatMap((callId) =>
                [undefined, 'team' as const].map((samePseudonyms): CallIdentity => {
                  const who = { tenant: of, team: name, keyHash: hash, user: known, endUser: end };
                  return { ...who, subject, callId, samePseudonyms };
                }),
              ),
            ),
          ),
        ),
      ),
    ),
  );
  for (const scope of ['user', 'conversation', 'call'] as const) {
    it(`returns the session of each call, whatever calls came before, in scope ${scope}`, () => {
      const remembered = rememberSessions(key, scope);
      for (const one of [...identities, ...identities.toReversed()]) {
        expect(remembered(one)).to.deep.equal(sessionOfCall(key, one, scope));
      }
    });
  }

  it('forgets the oldest of more callers than it remembers', () => {
    const remembered = rememberSessions(key, 'user');
    const first = remembered({ tenant, keyHash: 'first' });
    expect(remembered({ tenant, keyHash: 'first' })).to.equal(first);
    for (let n = 0; n < 5000; n++) remembered({ tenant, keyHash: String(n) });
    expect(remembered({ tenant, keyHash: '4999' })).to.equal(remembered({ tenant, keyHash: '4999' }));
    const again = remembered({ tenant, keyHash: 'first' });
    expect(again).to.not.equal(first);
    expect(again).to.deep.equal(first);
  });
});
