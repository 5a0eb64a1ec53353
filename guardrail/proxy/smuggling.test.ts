import { expect } from 'chai';
import { eventually, PLANTED } from '../testing/appHarness.ts';
import { completion, rawClient, sendRaw, startInline, type Inline } from '../testing/inlineHarness.ts';

const { email } = PLANTED;

/**
 * Requests that two servers could read as different requests. The upstream must see none of them, or exactly the one that
 * the proxy has checked.
 */
describe('requests that hide other requests', () => {
  let inline: Inline;
  before(async () => {
    inline = await startInline({ env: { GUARDRAIL_PROXY_UNKNOWN: 'pass' } });
    inline.script((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(completion('Hi')));
  });
  after(() => inline.stop());

  const HIDDEN = 'GET /v1/hidden HTTP/1.1\r\nhost: x\r\n\r\n';
  const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] });
  const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  const post = (headers: string, body: string, version = '1.1'): string =>
    `POST /v1/chat/completions HTTP/${version}\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`;

  const REFUSED: [what: string, bytes: string][] = [
    ['two lengths', post(`content-length: ${BODY.length}\r\ncontent-length: 5`, BODY)],
    ['the same length twice', post(`content-length: ${BODY.length}\r\ncontent-length: ${BODY.length}`, BODY)],
    ['a list of lengths', post(`content-length: ${BODY.length}, ${BODY.length}`, BODY)],
    ['a length and chunks', post('content-length: 5\r\ntransfer-encoding: chunked', CHUNKED + HIDDEN)],
    ['chunks and a length', post('transfer-encoding: chunked\r\ncontent-length: 5', CHUNKED + HIDDEN)],
    ['a length with a sign', post(`content-length: +${BODY.length}`, BODY)],
    ['a length in hexadecimal', post(`content-length: 0x${BODY.length.toString(16)}`, BODY)],
    ['a negative length', post('content-length: -1', BODY)],
    ['a length of two words', post(`content-length: ${BODY.length} 5`, BODY)],
    ['chunks within another coding', post('transfer-encoding: chunked, identity', CHUNKED)],
    ['another coding before chunks', post('transfer-encoding: gzip, chunked', CHUNKED)],
    ['chunks twice', post('transfer-encoding: chunked\r\ntransfer-encoding: chunked', CHUNKED)],
    ['an unknown coding', post('transfer-encoding: xchunked', CHUNKED)],
    ['a coding after a vertical tab', post('transfer-encoding: \x0bchunked', CHUNKED)],
    ['a header name before a space', post('transfer-encoding : chunked', CHUNKED)],
    ['a folded header', post('transfer-encoding:\r\n chunked', CHUNKED)],
    ['a header line without a colon', post(`content-length: ${BODY.length}\r\nx`, BODY)],
    ['a header that begins with a space', post(` content-length: 5\r\ncontent-length: ${BODY.length}`, BODY)],
    ['a line feed without a return', post(`x: a\ncontent-length: 5\r\ntransfer-encoding: chunked`, CHUNKED)],
    ['a return within a header', post(`x: a\rb\r\ncontent-length: ${BODY.length}`, BODY)],
    ['a null within a header', post(`x: a\0b\r\ncontent-length: ${BODY.length}`, BODY)],
    ['chunks in HTTP/1.0', post('transfer-encoding: chunked', CHUNKED, '1.0')],
    ['a chunk of a wrong size', post('transfer-encoding: chunked', `1\r\n${BODY}\r\n0\r\n\r\n`)],
    ['a chunk size with a sign', post('transfer-encoding: chunked', `+5\r\nhello\r\n0\r\n\r\n`)],
    ['a chunk size in another form', post('transfer-encoding: chunked', `0x5\r\nhello\r\n0\r\n\r\n`)],
    ['a space within the target', `GET /v1/a b HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['a target in absolute form', 'GET http://x/v1/hidden HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['two hosts', post(`host: y\r\ncontent-length: ${BODY.length}`, BODY)],
    ['the same host twice', post(`Host: x\r\ncontent-length: ${BODY.length}`, BODY)],
    ['no host', `GET /v1/hidden HTTP/1.1\r\n\r\n`],
    ['another protocol', 'GET /v1/hidden HTTP/3.0\r\nhost: x\r\n\r\n'],
    ['a GET with a body', `GET /v1/hidden HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello`],
    [
      'a GET with chunks',
      `GET /v1/hidden HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ],
    ['a HEAD with a body', `HEAD /v1/hidden HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello`],
    ['a DELETE with a body', `DELETE /v1/hidden HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello`],
    ['TRACE', 'TRACE /v1/hidden HTTP/1.1\r\nhost: x\r\n\r\n'],
  ];
  for (const [what, bytes] of REFUSED) {
    it(`are refused: ${what}`, async () => {
      const before = inline.received.length;
      const text = await sendRaw(inline.proxyUrl, Buffer.from(bytes, 'latin1'));
      expect(text).to.match(/^HTTP\/1\.1 (?:4\d\d|501) /);
      expect(inline.received.slice(before)).to.deep.equal([]);
    });
  }

  const FORWARDED: [what: string, bytes: string][] = [
    ['a length', post(`content-length: ${BODY.length}`, BODY)],
    ['chunks', post('transfer-encoding: chunked', CHUNKED)],
    [
      'chunks with an extension',
      post('transfer-encoding: Chunked', `${BODY.length.toString(16)};a=b\r\n${BODY}\r\n0\r\n\r\n`),
    ],
    [
      'chunks with a trailer',
      post('transfer-encoding: chunked\r\ntrailer: x', `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\nx: 1\r\n\r\n`),
    ],
    ['a client that waits for 100', post(`content-length: ${BODY.length}\r\nexpect: 100-continue`, BODY)],
  ];
  for (const [what, bytes] of FORWARDED) {
    it(`are one request to the upstream: ${what}`, async () => {
      const before = inline.received.length;
      const text = await sendRaw(inline.proxyUrl, bytes);
      expect(text).to.match(/^HTTP\/1\.1 (?:200|100) /);
      const [one, ...others] = inline.received.slice(before);
      expect(others).to.deep.equal([]);
      expect(one?.body).to.equal(BODY);
      expect(one?.headers).to.include({ 'content-length': String(BODY.length) });
      expect(one?.headers).to.not.have.any.keys('transfer-encoding', 'expect', 'trailer', 'x');
      expect(one?.rawHeaders.filter((name) => name.toLowerCase() === 'host')).to.have.length(1);
    });
  }

  it('on one connection are checked one by one', async () => {
    const before = inline.received.length;
    const body = JSON.stringify({ messages: [{ role: 'user', content: email }] });
    const client = rawClient(inline.proxyUrl);
    client.socket.write(post(`content-length: ${body.length}`, body).repeat(3));
    await eventually(() => client.text().split(completion('Hi')).length === 4);
    client.socket.destroy();
    const bodies = inline.received.slice(before).map((one) => one.body);
    expect(bodies).to.have.length(3);
    for (const one of bodies) expect(one).to.include('EMAIL_ADDRESS').and.not.include(email);
  });
});
