import { expect } from 'chai';
import { answerHeaders, leadsAway, requestHeaders, type RequestHeaderOptions } from './headers.ts';

const upstream = new URL('http://litellm:4000/base');
const guarded = { requestId: 'id', isGuarded: true, isTeamTrusted: false, mark: 'keyed' };

function sent(headers: Record<string, string>, options: Partial<RequestHeaderOptions> = {}): Record<string, string> {
  const flat = requestHeaders(headers, { ...guarded, ...options });
  return Object.fromEntries(
    Array.from({ length: flat.length / 2 }, (_, at) => flat.slice(2 * at, 2 * at + 2)),
  ) as Record<string, string>;
}

const OWN = {
  via: '1.1 guardrail',
  'x-request-id': 'id',
  'accept-encoding': 'identity',
  'x-guardrail-pseudonymized': 'keyed',
};

describe('the headers of a request to the upstream', () => {
  it('contain the credentials as the client sent them', () => {
    const credentials = { authorization: 'Bearer sk-1', 'x-api-key': 'sk-2', cookie: 'a=b; c=d' };
    expect(sent(credentials)).to.deep.equal({ ...credentials, ...OWN });
  });

  it('contain none of the connection, and none that it lists', () => {
    const received = {
      connection: 'close, X-Private',
      'x-private': '1',
      'keep-alive': 'timeout=5',
      'proxy-connection': 'keep-alive',
      'proxy-authorization': 'Basic x',
      te: 'trailers',
      trailer: 'x-sum',
      'transfer-encoding': 'chunked',
      upgrade: 'h2c',
      'http2-settings': 'AAMA',
      host: 'guardrail',
      'content-length': '5',
      expect: '100-continue',
    };
    expect(sent(received)).to.deep.equal(OWN);
  });

  it('contain none that changes the operation', () => {
    expect(sent({ 'x-http-method-override': 'PUT', 'x-original-url': '/key/generate' })).to.deep.equal(OWN);
  });

  it('describe the bytes only if they stay as they are', () => {
    const of = {
      'accept-encoding': 'gzip',
      'content-encoding': 'gzip',
      range: 'bytes=0-9',
      'content-digest': 'sha-256=:x:',
    };
    expect(sent(of)).to.deep.equal(OWN);
    expect(sent(of, { isGuarded: false, mark: undefined })).to.deep.equal({
      ...of,
      via: '1.1 guardrail',
      'x-request-id': 'id',
    });
  });

  it('contain the team only if a trusted hop has set it', () => {
    expect(sent({ 'x-guardrail-team': 'red' })).to.deep.equal(OWN);
    expect(sent({ 'x-guardrail-team': 'red' }, { isTeamTrusted: true })).to.include({ 'x-guardrail-team': 'red' });
  });

  it('say that the values are replaced only if they are', () => {
    const claimed = { 'x-guardrail-pseudonymized': 'yes' };
    expect(sent(claimed)).to.deep.equal(OWN);
    expect(sent(claimed, { mark: undefined })).to.not.have.property('x-guardrail-pseudonymized');
  });

  it('extend Via, and replace the request id', () => {
    expect(sent({ via: '1.0 edge', 'x-request-id': 'anna@example.org' })).to.deep.equal({
      ...OWN,
      via: '1.0 edge, 1.1 guardrail',
    });
  });
});

describe('the headers of an answer', () => {
  const received = {
    'content-type': 'application/json',
    'content-length': '5',
    'content-encoding': 'gzip',
    etag: '"x"',
    'set-cookie': ['a=1', 'b=2'],
    connection: 'keep-alive, x-hop',
    'x-hop': '1',
    'transfer-encoding': 'chunked',
    'alt-svc': 'h3=":443"',
  };

  it('do not describe bytes that change', () => {
    expect(answerHeaders(received, true, upstream)).to.deep.equal({
      'content-type': 'application/json',
      'set-cookie': ['a=1', 'b=2'],
    });
  });

  it('describe bytes that stay as they are', () => {
    expect(answerHeaders(received, false, upstream)).to.deep.equal({
      'content-type': 'application/json',
      'content-length': '5',
      'content-encoding': 'gzip',
      etag: '"x"',
      'set-cookie': ['a=1', 'b=2'],
    });
  });

  it('keep the ids of the call and of the session, and name the one of the upstream', () => {
    const ids = { 'x-request-id': 'req_1', 'x-session-id': 's' };
    expect(answerHeaders(ids, true, upstream)).to.deep.equal({ 'x-upstream-request-id': 'req_1' });
    expect(answerHeaders(ids, false, upstream)).to.deep.equal({
      'x-upstream-request-id': 'req_1',
      'x-session-id': 's',
    });
  });

  const REDIRECTS: [location: string, sent: string, leadsAway: boolean][] = [
    ['http://litellm:4000/base/v1/models?a=b', '/v1/models?a=b', false],
    ['http://litellm:4000/ui', '/ui', false],
    ['/v1/models', '/v1/models', false],
    ['https://files.example/x', 'https://files.example/x', true],
    ['http://litellm:4001/base/v1/models', 'http://litellm:4001/base/v1/models', true],
    ['//files.example/x', '//files.example/x', true],
  ];
  for (const [location, expected, away] of REDIRECTS) {
    it(`redirect to ${location} as ${expected}`, () => {
      expect(answerHeaders({ location }, false, upstream).location).to.equal(expected);
      expect(leadsAway(307, { location }, upstream)).to.equal(away);
      expect(leadsAway(302, { location }, upstream)).to.equal(false);
    });
  }

  it('keep the bytes of other characters', () => {
    expect(answerHeaders({ 'x-name': 'Jürgen' }, true, upstream)['x-name']).to.equal('JÃ¼rgen');
  });
});
