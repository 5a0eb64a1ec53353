import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import { KEY, PLANTED } from '../testing/appHarness.ts';
import { chunk, completion, echo, sendRaw, startInline, TOKEN, type Inline } from '../testing/inlineHarness.ts';

const { email } = PLANTED;
const PSEUDONYM = /<EMAIL_ADDRESS_[A-Z0-9]+>/;

interface Problem {
  readonly error: { readonly code: string; readonly message: string; readonly type?: string };
}

/** What the model saw of the last message. */
const seenBy = (inline: Inline): string => inline.received.at(-1)?.body ?? '';
const contentOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? '';
/** Lets the model answer with a text. */
const answerWith = async (inline: Inline, text: string, fields = {}, init: RequestInit = {}): Promise<string> => {
  inline.script((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(completion(text)));
  const answer = await contentOf(await inline.chat('Hi', fields, init));
  inline.script(echo);
  return answer;
};
/** The text of a stream of chunks. */
const streamed = (events: string): string =>
  [...events.matchAll(/^data: (\{.*)$/gm)]
    .map(
      ([, data = '']) =>
        (JSON.parse(data) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '',
    )
    .join('');

describe('the inline proxy', () => {
  let inline: Inline;
  before(async () => {
    inline = await startInline();
  });
  after(() => inline.stop());

  it('hides a value from the model, and restores it in the answer', async () => {
    const response = await inline.chat(`Write to ${email}.`);
    expect(response.status).to.equal(200);
    expect(await contentOf(response)).to.equal(`Write to ${email}.`);
    expect(seenBy(inline)).to.match(PSEUDONYM).and.not.include(email);
  });

  it('restores a stream while it arrives', async () => {
    const response = await inline.chat(`Write to ${email}.`, { stream: true });
    expect(response.headers.get('content-type')).to.equal('text/event-stream');
    const events = await response.text();
    expect(streamed(events)).to.equal(`Write to ${email}.`);
    expect(events.endsWith('data: [DONE]\n\n')).to.equal(true);
    expect(seenBy(inline)).to.not.include(email);
  });

  it('forwards path, query and credentials, and sends no encoding that it cannot read', async () => {
    await inline.chat('Hello', {}, { headers: { 'x-custom': '1' } });
    const [{ url, headers } = { url: '', headers: {} }] = inline.received.slice(-1);
    expect(url).to.equal('/v1/chat/completions');
    expect(headers).to.include({
      authorization: `Bearer ${TOKEN}`,
      'x-custom': '1',
      'accept-encoding': 'identity',
      via: '1.1 guardrail',
    });
  });

  it('answers with the request id and the session', async () => {
    const response = await inline.chat(`Write to ${email}.`);
    expect(response.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
    const session = response.headers.get('x-session-id') ?? '';
    expect(session).to.match(/^[0-9a-f]{32}$/);
    const erased = await inline.call('DELETE', `/sessions/${session}`);
    expect(erased.body).to.deep.equal({ deleted: false });
  });

  it('gives two tokens two mappings', async () => {
    await inline.chat(`Write to ${email}.`);
    const [pseudonym = ''] = PSEUDONYM.exec(seenBy(inline)) ?? [];
    expect(await answerWith(inline, pseudonym)).to.equal(email);
    const other = { headers: { authorization: 'Bearer sk-another' } };
    expect(await answerWith(inline, pseudonym, {}, other)).to.equal(pseudonym);
  });

  it('restores the answer of an anonymous call, and no other answer with it', async () => {
    const anonymous = { headers: { authorization: '' } };
    expect(await contentOf(await inline.chat(email, {}, anonymous))).to.equal(email);
    const [pseudonym = ''] = PSEUDONYM.exec(seenBy(inline)) ?? [];
    expect(await answerWith(inline, pseudonym, {}, anonymous)).to.equal(pseudonym);
  });

  const ENCODED: [encoding: string, encode: (text: string) => Buffer][] = [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['identity', (text) => Buffer.from(text)],
  ];
  for (const [encoding, encode] of ENCODED) {
    it(`decodes requests and answers with the encoding ${encoding}`, async () => {
      inline.script((response, { body }) => {
        const { messages } = JSON.parse(body) as { messages: { content: string }[] };
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
        response.end(encode(completion(messages[0]?.content ?? '')));
      });
      const body = encode(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: email }] }));
      const response = await inline.chat('', {}, { body, headers: { 'content-encoding': encoding } });
      expect(await contentOf(response)).to.equal(email);
      expect(response.headers.get('content-encoding')).to.equal(null);
      expect(seenBy(inline)).to.match(PSEUDONYM).and.not.include(email);
    });
  }

  it('decodes streams', async () => {
    await inline.chat(email);
    const [pseudonym = ''] = PSEUDONYM.exec(seenBy(inline)) ?? [];
    inline.script((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(gzipSync(`${chunk(pseudonym.slice(0, 5))}${chunk(pseudonym.slice(5), 'stop')}data: [DONE]\n\n`));
    });
    expect(streamed(await (await inline.chat('Hi', { stream: true })).text())).to.equal(email);
  });

  it('relays the errors of the upstream, restored', async () => {
    inline.script((response, { body }) => {
      const [pseudonym] = PSEUDONYM.exec(body) ?? [];
      response.writeHead(422, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end(JSON.stringify({ error: { message: `Bad: ${pseudonym ?? ''}` } }));
    });
    const response = await inline.chat(email);
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([422, '7']);
    expect(await response.json()).to.deep.equal({ error: { message: `Bad: ${email}` } });
  });

  it('relays what has no text as it is', async () => {
    inline.script((response) => {
      response
        .writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': '4', etag: '"x"' })
        .end('\x00\x01\x02\x03');
    });
    const response = await inline.chat('Say it');
    expect([...Buffer.from(await response.arrayBuffer())]).to.deep.equal([0, 1, 2, 3]);
    expect(response.headers.get('content-length')).to.equal('4');
  });

  it('answers a preflight with the answer of the upstream', async () => {
    inline.script((response) => response.writeHead(204, { 'access-control-allow-origin': '*' }).end());
    const response = await fetch(`${inline.proxyUrl}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).to.deep.equal([204, '*']);
  });

  const REFUSED: [what: string, path: string, init: RequestInit, status: number, code: string][] = [
    ['an unknown path', '/v1/unheard-of', {}, 404, 'unknown_route'],
    ['an administrative path', '/key/generate', { method: 'POST', body: '{}' }, 404, 'admin_route'],
    ['a health check of the gateway', '/health', {}, 404, 'admin_route'],
    ['a known path with another method', '/v1/chat/completions', { method: 'PUT', body: '{}' }, 404, 'unknown_route'],
    ['a DELETE with a body', '/v1/chat/completions', { method: 'DELETE', body: '{}' }, 400, 'unexpected_body'],
    ['a body that is no JSON', '/v1/chat/completions', { method: 'POST', body: '{"a":' }, 400, 'invalid_json'],
    [
      'an unknown encoding',
      '/v1/chat/completions',
      { method: 'POST', body: 'x', headers: { 'content-encoding': 'compress' } },
      415,
      'unsupported_encoding',
    ],
    [
      'two encodings',
      '/v1/chat/completions',
      { method: 'POST', body: 'x', headers: { 'content-encoding': 'gzip, br' } },
      415,
      'unsupported_encoding',
    ],
    [
      'a body that is not in its encoding',
      '/v1/chat/completions',
      { method: 'POST', body: 'x', headers: { 'content-encoding': 'gzip' } },
      400,
      'invalid_body',
    ],
    [
      'a bomb',
      '/v1/chat/completions',
      { method: 'POST', body: gzipSync(Buffer.alloc(64 * 1024 * 1024)), headers: { 'content-encoding': 'gzip' } },
      413,
      'body_too_large',
    ],
  ];
  for (const [what, path, init, status, code] of REFUSED) {
    it(`refuses ${what}`, async () => {
      const before = inline.received.length;
      const response = await fetch(inline.proxyUrl + path, {
        ...init,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...(init.headers as object) },
      });
      const { error } = (await response.json()) as Problem;
      expect([response.status, error.code]).to.deep.equal([status, code]);
      expect(error.message).to.match(/^[A-Z].*\.$/);
      expect(inline.received).to.have.length(before);
    });
  }

  it('names the setting that decides about unknown paths', async () => {
    const response = await fetch(`${inline.proxyUrl}/v1/unheard-of`);
    expect(((await response.json()) as Problem).error.message).to.include('GUARDRAIL_PROXY_UNKNOWN');
  });

  it('refuses a WebSocket and a tunnel with a sentence', async () => {
    const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\nsec-websocket-version: 13';
    const socket = await sendRaw(inline.proxyUrl, `GET /v1/realtime?model=m HTTP/1.1\r\nhost: x\r\n${upgrade}\r\n\r\n`);
    expect(socket)
      .to.match(/^HTTP\/1\.1 501 /)
      .and.include('WebSocket connections are refused');
    const tunnel = await sendRaw(inline.proxyUrl, 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n');
    expect(tunnel)
      .to.match(/^HTTP\/1\.1 405 /)
      .and.include('CONNECT is not supported');
  });

  it('ignores an upgrade to HTTP/2', async () => {
    const before = inline.received.length;
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] });
    inline.script((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion('Hello')),
    );
    const text = await sendRaw(
      inline.proxyUrl,
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMA\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(text)
      .to.match(/^HTTP\/1\.1 200 /)
      .and.include('Hello');
    expect(inline.received.slice(before).map(({ headers }) => headers.upgrade)).to.deep.equal([undefined]);
  });

  it('counts calls, upstream answers and pseudonyms, and logs no path', async () => {
    inline.script((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion('Hello')),
    );
    await inline.chat(email);
    const metrics = await inline.metrics();
    expect(metrics).to.match(
      /guardrail_requests_total\{phase="request",protocol="inline",action="GUARDRAIL_INTERVENED"\} [1-9]/,
    );
    expect(metrics).to.match(/guardrail_requests_total\{phase="response",protocol="inline",action="NONE"\} [1-9]/);
    expect(metrics).to.match(/guardrail_upstream_responses_total\{operation="chat\.completions",status="200"\} [1-9]/);
    expect(metrics).to.match(/guardrail_upstream_response_seconds_count\{operation="chat\.completions"\} [1-9]/);
    expect(metrics).to.match(
      /guardrail_http_requests_total\{route="inline\/chat\.completions",method="POST",status="200"\} [1-9]/,
    );
    const line = JSON.parse(inline.logs.at(-1) ?? '{}') as Record<string, unknown>;
    expect(line).to.include({
      route: 'inline/chat.completions',
      status: 200,
      tenant: 'inline',
      upstream_status: 200,
      entities: 1,
    });
    expect(JSON.stringify(line)).to.not.include(TOKEN);
    await fetch(`${inline.proxyUrl}/v1/people/${email}`);
    expect(inline.logs.at(-1)).to.include('"route":"inline"').and.not.include(email);
  });

  it('leaves the service on its own port as it is', async () => {
    expect((await inline.call('GET', '/readyz')).status).to.equal(200);
    const response = await fetch(`${inline.proxyUrl}/readyz`, { headers: { 'x-api-key': KEY } });
    expect(response.status).to.equal(404);
  });
});

describe('the inline proxy with settings', () => {
  const running: Inline[] = [];
  const start = async (...options: Parameters<typeof startInline>): Promise<Inline> => {
    const inline = await startInline(...options);
    running.push(inline);
    return inline;
  };
  afterEach(async () => {
    for (const inline of running.splice(0)) await inline.stop();
  });

  it('adds the path of the upstream', async () => {
    const inline = await start({ prefix: '/base/' });
    await inline.chat('Hello');
    expect(inline.received[0]?.url).to.equal('/base/v1/chat/completions');
  });

  it('guards unknown paths generically', async () => {
    const inline = await start({ env: { GUARDRAIL_PROXY_UNKNOWN: 'generic' } });
    inline.script((response, { body }) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    const body = JSON.stringify({ anything: { deep: [email] } });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-api-key': 'k' } };
    const response = await fetch(`${inline.proxyUrl}/v1/unheard-of`, init);
    expect(await response.text()).to.equal(body);
    expect(inline.received[0]?.body).to.match(PSEUDONYM).and.not.include(email);
    expect((await fetch(`${inline.proxyUrl}/key/generate`, init)).status).to.equal(404);
  });

  it('passes unknown paths, and still guards the known ones in any spelling', async () => {
    const inline = await start({ env: { GUARDRAIL_PROXY_UNKNOWN: 'pass' } });
    inline.script((response, { body }) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'x-a': '1' }).end(body),
    );
    const body = JSON.stringify({ messages: [{ role: 'user', content: email }] });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-api-key': 'k' } };
    const passed = await fetch(`${inline.proxyUrl}/v1/unheard-of`, init);
    expect(await passed.text()).to.equal(body);
    expect(inline.received[0]?.body).to.equal(body);
    for (const path of ['/V1/Chat/Completions', '/v1/chat/completions/', '/v1/%63hat/completions']) {
      await fetch(inline.proxyUrl + path, init);
      expect(inline.received.at(-1)?.body, path).to.match(PSEUDONYM).and.not.include(email);
    }
    const contents = { ...init, body: JSON.stringify({ contents: [{ parts: [{ text: email }] }] }) };
    await fetch(`${inline.proxyUrl}/V1beta/Models/m%3agenerateCONTENT/`, contents);
    expect(inline.received.at(-1)?.body).to.match(PSEUDONYM).and.not.include(email);
    for (const path of [
      '/v1//chat/completions',
      '/v1/chat%2fcompletions',
      '/v1/x/..;/chat/completions',
      '/key/list',
      '/KEY/list',
    ])
      expect(
        (await sendRaw(inline.proxyUrl, `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`)).slice(
          9,
          12,
        ),
        path,
      ).to.match(/40[04]/);
  });

  it('identifies callers by trusted headers, and refuses calls without them', async () => {
    const inline = await start({ env: { GUARDRAIL_PROXY_IDENTITY_HEADERS: 'X-Sub' } });
    const missing = await inline.chat(email);
    expect(missing.status).to.equal(401);
    expect(((await missing.json()) as Problem).error.message).to.include('x-sub');
    await inline.chat(email, {}, { headers: { 'x-sub': '1' } });
    const [pseudonym = ''] = PSEUDONYM.exec(seenBy(inline)) ?? [];
    const rotated = { headers: { 'x-sub': '1', authorization: 'Bearer sk-rotated' } };
    expect(await answerWith(inline, pseudonym, {}, rotated)).to.equal(email);
  });

  it('applies the policy of the team that a trusted header names', async () => {
    const policy = 'teams: {red: {entities: {EMAIL_ADDRESS: block}}}';
    const env = { GUARDRAIL_POLICY: policy, GUARDRAIL_PROXY_IDENTITY_HEADERS: 'x-guardrail-team' };
    const inline = await start({ env });
    const blocked = await inline.chat(email, { stream: true }, { headers: { 'x-guardrail-team': 'red' } });
    expect(blocked.status).to.equal(400);
    expect(((await blocked.json()) as Problem).error).to.include({ code: 'guardrail_blocked' });
    expect(inline.received).to.have.length(0);
    expect((await inline.chat(email, {}, { headers: { 'x-guardrail-team': 'blue' } })).status).to.equal(200);
    const untrusted = await start({ env: { GUARDRAIL_POLICY: policy } });
    expect((await untrusted.chat(email, {}, { headers: { 'x-guardrail-team': 'red' } })).status).to.equal(200);
    expect(untrusted.received[0]?.headers).to.not.have.property('x-guardrail-team');
  });

  it('erases an end user', async () => {
    const inline = await start({ env: { GUARDRAIL_ADMIN_KEYS: 'litellm' } });
    await inline.chat(email, { user: PLANTED.endUser });
    const [pseudonym = ''] = PSEUDONYM.exec(seenBy(inline)) ?? [];
    expect(await answerWith(inline, pseudonym, { user: PLANTED.endUser })).to.equal(email);
    const erasure = { end_user_id: PLANTED.endUser, tenant: 'inline' };
    expect((await inline.call('POST', '/subjects/erase', erasure)).body).to.deep.equal({ erased: 1 });
    expect(await answerWith(inline, pseudonym, { user: PLANTED.endUser })).to.equal(pseudonym);
  });

  it('changes nothing in monitor mode, and counts what it would change', async () => {
    const inline = await start({ env: { GUARDRAIL_MODE: 'monitor' } });
    expect(await contentOf(await inline.chat(email))).to.equal(email);
    expect(seenBy(inline)).to.include(email);
    const broken = '{"messages":';
    expect((await inline.chat('', {}, { body: broken })).status).to.not.equal(400);
    expect(seenBy(inline)).to.equal(broken);
    const metrics = await inline.metrics();
    expect(metrics).to.include('protocol="inline",action="MONITORED_GUARDRAIL_INTERVENED"} 1');
    expect(metrics).to.match(/guardrail_failed_open_requests_total\{code="invalid_json"\} 1/);
  });

  it('forwards what it cannot read in monitor mode', async () => {
    const inline = await start({ env: { GUARDRAIL_MODE: 'monitor', GUARDRAIL_MAX_BODY: '1KiB' } });
    inline.script((response, { body }) => response.end(body));
    const large = 'x'.repeat(5000);
    expect(await (await inline.chat('', {}, { body: large })).text()).to.equal(large);
    const odd = await inline.chat('', {}, { body: 'odd', headers: { 'content-encoding': 'compress' } });
    expect(await odd.text()).to.equal('odd');
    expect(inline.received.at(-1)?.headers['content-encoding']).to.equal('compress');
  });

  it('limits bodies', async () => {
    const inline = await start({ env: { GUARDRAIL_MAX_BODY: '1KiB' } });
    expect((await inline.chat('x'.repeat(2000))).status).to.equal(413);
    inline.script((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion('x'.repeat(2000))),
    );
    const response = await inline.chat('Hello');
    expect([response.status, ((await response.json()) as Problem).error.code]).to.deep.equal([502, 'answer_too_large']);
  });
});
