import { createSecretKey } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { deriveSession, deriveSubject, type SessionScope } from '../pseudonymization/pseudonymization.ts';
import { callerOf, identityOf } from './identity.ts';

const key = createSecretKey(Buffer.alloc(32, 1));

interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly query?: string;
  readonly endUser?: string;
  readonly callId?: string;
}

function sessionOf(call: Call, identityHeaders?: readonly string[], scope: SessionScope = 'user'): string | undefined {
  const identity = identityOf(callerOf(call.headers, call.query ?? '', identityHeaders), {
    callId: call.callId ?? 'call',
    endUser: call.endUser,
    subjectOf: (tenant, endUser) => deriveSubject(key, tenant, endUser),
  });
  return deriveSession(key, identity, scope);
}

const bearer = (token: string): IncomingHttpHeaders => ({ authorization: `Bearer ${token}` });

describe('the session of a call through the proxy', () => {
  const SAME: [what: string, one: Call, other: Call, identityHeaders?: string[]][] = [
    ['two calls with a token', { headers: bearer('a'), callId: '1' }, { headers: bearer('a'), callId: '2' }],
    ['a key in any of its headers', { headers: bearer('a') }, { headers: { 'x-api-key': 'a' } }],
    [
      'a key in a header and in the query',
      { headers: { 'x-goog-api-key': 'a' } },
      { headers: {}, query: 'alt=sse&key=a' },
    ],
    ['the scheme in any case', { headers: bearer('a') }, { headers: { authorization: 'bearer  a' } }],
    [
      'a subject with two tokens',
      { headers: { ...bearer('a'), 'x-sub': '1' } },
      { headers: { ...bearer('b'), 'x-sub': '1' } },
      ['x-sub'],
    ],
  ];
  for (const [what, one, other, identityHeaders] of SAME) {
    it(`is the same: ${what}`, () => {
      expect(sessionOf(one, identityHeaders)).to.equal(sessionOf(other, identityHeaders));
    });
  }

  const TEAM = ['x-guardrail-team'];
  const OTHER: [what: string, one: Call, other: Call, identityHeaders?: string[]][] = [
    ['two tokens', { headers: bearer('a') }, { headers: bearer('b') }],
    ['two tokens with one end user', { headers: bearer('a'), endUser: 'u' }, { headers: bearer('b'), endUser: 'u' }],
    [
      'two tokens with one conversation',
      { headers: { ...bearer('a'), 'x-session-id': 's' } },
      { headers: { ...bearer('b'), 'x-session-id': 's' } },
    ],
    [
      'two tokens of a team',
      { headers: { ...bearer('a'), 'x-guardrail-team': 't' }, endUser: 'u' },
      { headers: { ...bearer('b'), 'x-guardrail-team': 't' }, endUser: 'u' },
      TEAM,
    ],
    ['two end users', { headers: bearer('a'), endUser: 'u' }, { headers: bearer('a'), endUser: 'v' }],
    ['an end user and none', { headers: bearer('a'), endUser: 'u' }, { headers: bearer('a') }],
    [
      'two conversations',
      { headers: { ...bearer('a'), 'x-session-id': 's' } },
      { headers: { ...bearer('a'), 'x-session-id': 't' } },
    ],
    ['a token with a second key', { headers: bearer('a') }, { headers: { ...bearer('a'), 'x-api-key': 'b' } }],
    ['two anonymous calls', { headers: {}, callId: '1' }, { headers: {}, callId: '2' }],
    [
      'two anonymous calls with one end user',
      { headers: {}, callId: '1', endUser: 'u' },
      { headers: {}, callId: '2', endUser: 'u' },
    ],
    [
      'two subjects with one token',
      { headers: { ...bearer('a'), 'x-sub': '1' } },
      { headers: { ...bearer('a'), 'x-sub': '2' } },
      ['x-sub'],
    ],
    ['an anonymous call whose id is a token', { headers: bearer('a') }, { headers: {}, callId: '["a"]' }],
  ];
  for (const [what, one, other, identityHeaders] of OTHER) {
    it(`is another: ${what}`, () => {
      expect(sessionOf(one, identityHeaders)).to.be.a('string').that.does.not.equal(sessionOf(other, identityHeaders));
    });
  }

  it('is one of its call, if the scope is call', () => {
    const [one, other] = ['1', '2'].map((callId) => sessionOf({ headers: bearer('a'), callId }, undefined, 'call'));
    expect(one).to.be.a('string').that.does.not.equal(other);
  });

  it('needs every identity header', () => {
    expect(() => callerOf({ 'x-org': 'o' }, '', ['x-org', 'x-sub'])).to.throw('The header x-sub is missing');
    expect(() => callerOf({ 'x-sub': ' ' }, '', ['x-sub'])).to.throw('The header x-sub is missing');
  });

  it('has a team only from an identity header', () => {
    expect(callerOf({ 'x-guardrail-team': 't' }, '', undefined).team).to.equal(undefined);
    expect(callerOf({ 'x-guardrail-team': 't' }, '', TEAM).team).to.equal('t');
  });
});
