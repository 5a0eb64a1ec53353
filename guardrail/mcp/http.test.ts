import { expect } from 'chai';
import { once } from 'node:events';
import { guardWithFailingStore } from '../testing/failingStore.ts';
import { PLANTED } from '../testing/appHarness.ts';
import { completion, startInline, TOKEN, type Inline, type Script } from '../testing/inlineHarness.ts';

const { email, phone } = PLANTED;
const PSEUDONYM = /<EMAIL_ADDRESS_[0-9A-Z]{8}>/;

const json =
  (body: unknown, status = 200, headers = {}): Script =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const events =
  (...data: string[]): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(data.join(''));
  };
const resultOf = (id: unknown, text: string): object => ({
  ...{ jsonrpc: '2.0', id },
  result: { content: [{ type: 'text', text }] },
});
/** Answers a tool with its own arguments. */
const echo: Script = (response, received, request) => {
  const { id, params } = JSON.parse(received.body) as { id: unknown; params: { arguments: unknown } };
  return json(resultOf(id, JSON.stringify(params.arguments)))(response, received, request);
};

class Calls {
  readonly harness: Inline;

  constructor(harness: Inline) {
    this.harness = harness;
  }

  fetch(method: string, body?: string, headers: Record<string, string> = {}, path = '/mcp'): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.harness.app.mcpPort ?? 0}${path}`, {
      ...{ method, redirect: 'manual' },
      ...(body !== undefined && { body }),
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    });
  }

  /** Calls a tool with an argument. */
  tool(argument: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const params = { name: 'tool', arguments: { argument } };
    return this.fetch('POST', JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }), headers);
  }

  /** What the server receives of an argument, and what comes back of it. */
  async echoed(argument: string, headers: Record<string, string> = {}): Promise<[sent: string, answered: string]> {
    this.harness.script(echo);
    const answer = (await (await this.tool(argument, headers)).json()) as { result: { content: { text: string }[] } };
    const sent = JSON.parse(this.harness.received.at(-1)?.body ?? '') as {
      params: { arguments: { argument: string } };
    };
    const back = JSON.parse(answer.result.content[0]?.text ?? '') as { argument: string };
    return [sent.params.arguments.argument, back.argument];
  }

  /** The pseudonym that a model gets for a value. */
  async pseudonymOf(value: string, headers: Record<string, string> = {}): Promise<string> {
    this.harness.script((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion('')),
    );
    await this.harness.chat(`Write to ${value}.`, {}, { headers });
    const sent = JSON.parse(this.harness.received.at(-1)?.body ?? '') as { messages: { content: string }[] };
    return /<\w+>/.exec(sent.messages[0]?.content ?? '')?.[0] ?? '';
  }
}

const errorOf = async (answer: Response): Promise<object> => {
  const { jsonrpc, error } = (await answer.json()) as {
    jsonrpc: string;
    error: { code: number; data: { code: string } };
  };
  return { status: answer.status, jsonrpc, code: error.code, reason: error.data.code };
};

/** A message that nothing can check. */
const AUDIO = { role: 'user', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } };

describe('the MCP proxy', () => {
  let harness: Inline;
  let calls: Calls;
  let tag: string;
  let isStoreDown = false;
  before(async () => {
    harness = await startInline({
      hasMcp: true,
      env: { GUARDRAIL_MCP_ORIGINS: 'https://app.example.com', GUARDRAIL_ADMIN_KEYS: 'litellm' },
      guard: (options) => guardWithFailingStore(options, () => isStoreDown),
    });
    calls = new Calls(harness);
    tag = await calls.pseudonymOf(email);
    expect(tag).to.match(PSEUDONYM);
  });
  after(async () => {
    await harness.stop();
  });

  const message = (fields: object): string => JSON.stringify({ jsonrpc: '2.0', ...fields });
  const UNREADABLE: [body: string, reason: string, code: number][] = [
    ['', 'invalid_json', -32_700],
    ['{"jsonrpc":"2.0"', 'invalid_json', -32_700],
    ['\ufeff{}', 'invalid_encoding', -32_700],
    ['[]', 'invalid_message', -32_600],
    ['7', 'invalid_message', -32_600],
    ['{"method":"x","id":1}', 'invalid_message', -32_600],
    [message({ id: 1 }), 'invalid_message', -32_600],
    [message({ id: {}, method: 'x' }), 'invalid_message', -32_600],
    [message({ result: {} }), 'invalid_message', -32_600],
    [message({ error: {}, method: 'x' }), 'invalid_message', -32_600],
    [message({ id: 1, method: 'x', result: {} }), 'invalid_message', -32_600],
    [`[${message({ method: 'x' })},7]`, 'invalid_message', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":{},"params":{}}', 'invalid_message', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\\ud800"}}', 'lone_surrogate', -32_050],
  ];
  for (const [body, reason, code] of UNREADABLE) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      const before = harness.received.length;
      const answer = await calls.fetch('POST', body);
      expect(await errorOf(answer)).to.deep.equal({ status: 400, jsonrpc: '2.0', code, reason });
      expect(harness.received).to.have.length(before);
    });
  }

  const WRONG: [name: string, script: Script][] = [
    ['text', (response) => response.end(email)],
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(email)],
    [
      'broken JSON',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`{"a":"${email}"`),
    ],
    ['other JSON', json({ email })],
    ['an image', (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(email)],
    ['an encoding', json({}, 200, { 'content-encoding': 'compress' })],
    ['a redirect', (response) => response.writeHead(307, { location: 'https://elsewhere.example' }).end()],
  ];
  for (const [name, script] of WRONG) {
    it(`answers ${name} of the server with an error`, async () => {
      harness.script(script);
      const answer = await calls.tool('x');
      expect(await errorOf(answer)).to.deep.include({ status: 502, jsonrpc: '2.0' });
    });
  }

  for (const data of [
    'data: not JSON\n\n',
    `data: {"email":"${email}"}\n\n`,
    `event: endpoint\ndata: /x?${email}\n\n`,
  ]) {
    it(`ends a stream with ${JSON.stringify(data.replace(email, '…'))}, and sends nothing of it`, async () => {
      const good = `id: 1\ndata: ${JSON.stringify(resultOf(7, `Mail ${email}.`))}\n\n`;
      harness.script(events(good, data, good));
      const answer = await calls.tool('x');
      let text = '';
      const read = async (): Promise<void> => {
        for await (const part of answer.body ?? []) text += Buffer.from(part).toString();
      };
      expect(
        await read().then(
          () => 'ended',
          () => 'broken',
        ),
      ).to.equal('broken');
      expect(text).to.include(`Mail ${tag}.`);
      expect(text).to.not.include(email);
      expect(text.split('\n\n').at(-2)).to.match(
        /^event: message\ndata: \{"jsonrpc":"2.0","id":null,"error":.*answer_unreadable/,
      );
    });
  }

  it('keeps the errors of the server, with pseudonyms', async () => {
    const challenge = { 'www-authenticate': 'Bearer resource_metadata="https://mcp.example/.well-known/x"' };
    harness.script(json({ error: 'invalid_token', error_description: `Not for ${email}.` }, 401, challenge));
    const answer = await calls.tool('x');
    expect(answer.status).to.equal(401);
    expect(answer.headers.get('www-authenticate')).to.equal(challenge['www-authenticate']);
    expect(await answer.json()).to.deep.equal({ error: 'invalid_token', error_description: `Not for ${tag}.` });
    harness.script((response) => response.writeHead(404, { 'content-type': 'text/plain' }).end(`No ${email}.`));
    expect(await (await calls.tool('x')).text()).to.equal(`No ${tag}.`);
    harness.script(json({ jsonrpc: '2.0', error: { code: -32_000, message: `No session of ${email}.` } }, 400));
    const refused = await calls.tool('x');
    expect(refused.status).to.equal(400);
    expect(await refused.json()).to.have.nested.property('error.message', `No session of ${tag}.`);
    harness.script((response) => response.writeHead(202).end());
    expect((await calls.tool('x')).status).to.equal(202);
  });

  it('passes the headers of the protocol on, and none of its own', async () => {
    harness.script((response) => response.writeHead(200, { 'mcp-session-id': 's-2' }).end());
    const headers = { 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-06-18', 'last-event-id': 'e-9' };
    const answer = await calls.fetch('DELETE', undefined, { ...headers, 'x-guardrail-authorization': 'Bearer x' });
    expect(answer.headers.get('mcp-session-id')).to.equal('s-2');
    const { method, headers: sent } = harness.received.at(-1) ?? { headers: {} };
    expect(method).to.equal('DELETE');
    expect(sent).to.include({ ...headers, authorization: `Bearer ${TOKEN}` });
    expect(sent).to.not.have.any.keys('x-guardrail-authorization', 'x-guardrail-pseudonymized');
  });

  it('restores and answers a list of messages, each on its own', async () => {
    const picture = { content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] };
    harness.script(json([resultOf('a', `Mail ${email}.`), { jsonrpc: '2.0', id: 'b', result: picture }]));
    const params = { arguments: { to: tag } };
    const list = [message({ id: 'a', method: 'tools/call', params }), message({ method: 'notifications/x', params })];
    const answers = (await (await calls.fetch('POST', `[${list.join(',')}]`)).json()) as object[];
    expect(harness.received.at(-1)?.body).to.equal(`[${list.join(',')}]`.replaceAll(tag, email));
    expect(answers[0]).to.deep.equal(resultOf('a', `Mail ${tag}.`));
    expect(answers[1]).to.deep.include({ id: 'b' }).and.have.nested.property('error.data.code', 'guardrail_blocked');
  });

  it('answers a text with half of a character with an error of its request', async () => {
    harness.script((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(resultOf(7, `${email} \ud83d`)));
    });
    const answer = await calls.tool('x');
    expect(answer.status).to.equal(200);
    expect(await answer.json())
      .to.deep.include({ id: 7 })
      .and.have.nested.property('error.data.code', 'lone_surrogate');
  });

  it('sends no headers and no comments that nothing checks', async () => {
    const data = JSON.stringify(resultOf(7, 'Done.'));
    harness.script((response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'x-customer': email,
        'cache-control': 'no-cache',
      });
      response.end(`: for ${email}\n\nid: 1\nfor: ${email}\nevent: message\ndata: ${data}\n\n`);
    });
    const answer = await calls.tool('x');
    expect(answer.headers.get('cache-control')).to.equal('no-cache');
    expect(JSON.stringify([...answer.headers])).to.not.include(email);
    expect(await answer.text()).to.equal(`:\n\nid: 1\nevent: message\ndata: ${data}\n\n`);
  });

  it('answers a request of the server that the client must not see, and drops such a notification', async () => {
    const ask = message({ id: 'ask-1', method: 'sampling/createMessage', params: { messages: [AUDIO], maxTokens: 1 } });
    const note = message({ method: 'notifications/x', params: { content: [AUDIO.content] } });
    harness.script((response, received, request) =>
      received.body.includes('ask-1')
        ? response.writeHead(202).end()
        : events(`id: 5\ndata: ${ask}\n\n`, `data: ${note}\n\n`, `data: ${JSON.stringify(resultOf(7, 'Done.'))}\n\n`)(
            response,
            received,
            request,
          ),
    );
    const text = await (await calls.tool('x')).text();
    expect(text).to.equal(`id: 5\n\ndata: ${JSON.stringify(resultOf(7, 'Done.'))}\n\n`);
    expect(JSON.parse(harness.received.at(-1)?.body ?? ''))
      .to.deep.include({ id: 'ask-1' })
      .and.have.property('error');
  });

  it('answers requests of the server in a JSON answer that the client must not see', async () => {
    const params = { messages: [AUDIO], maxTokens: 1 };
    const ask = (id: string): object => ({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params });
    const done = resultOf(7, 'Done.');
    const cases: [answer: object, status: number, type: string | null, left: string][] = [
      [ask('ask-3'), 202, null, ''],
      [[ask('ask-3')], 202, null, ''],
      [[ask('ask-3'), done], 200, 'application/json', JSON.stringify([done])],
    ];
    for (const [sent, status, type, left] of cases) {
      const refusals: string[] = [];
      harness.script((response, received, request) => {
        if (!received.body.includes('ask-3')) return json(sent)(response, received, request);
        refusals.push(received.body);
        return response.writeHead(202).end();
      });
      const answer = await calls.tool('x');
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).to.deep.equal([
        status,
        type,
        left,
      ]);
      expect(refusals.map((one) => JSON.parse(one) as object)).to.have.length(1);
      expect(refusals[0]).to.include('"error"');
    }
  });

  it('answers a request of the server in a stream by GET as the protocol wants it', async () => {
    const ask = message({ id: 'ask-2', method: 'sampling/createMessage', params: { messages: [AUDIO], maxTokens: 1 } });
    harness.script((response, received, request) =>
      received.method === 'POST'
        ? response.writeHead(202).end()
        : events(`id: 6\ndata: ${ask}\n\n`)(response, received, request),
    );
    const answer = await calls.fetch('GET', undefined, { accept: 'text/event-stream' });
    expect(await answer.text()).to.equal('id: 6\n\n');
    const { method, headers, body } = harness.received.at(-1) ?? {};
    expect(method).to.equal('POST');
    expect(JSON.parse(body ?? '')).to.include({ id: 'ask-2' });
    expect(headers).to.include({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  });

  it('knows the pseudonyms of the same caller, and of no other', async () => {
    const other = { authorization: 'Bearer of-the-mcp-server' };
    expect(await calls.echoed(tag)).to.deep.equal([email, tag]);
    expect(await calls.echoed(tag, other)).to.deep.equal([tag, tag]);
    expect(await calls.echoed(tag, { 'x-session-id': 'another' })).to.deep.equal([tag, tag]);
    expect(await calls.echoed(tag, { ...other, 'x-guardrail-authorization': `Bearer ${TOKEN}` })).to.deep.equal([
      email,
      tag,
    ]);
    expect(harness.received.at(-1)?.headers.authorization).to.equal(other.authorization);
    // Of an end user.
    const customer = { 'x-litellm-customer-id': 'customer-5' };
    const own = await calls.pseudonymOf(email, customer);
    expect(await calls.echoed(own)).to.deep.equal([own, own]);
    expect(await calls.echoed(own, customer)).to.deep.equal([email, own]);
    // Of a client without credentials.
    const session = { authorization: '', 'mcp-session-id': 'b6a2' };
    const [, masked] = await calls.echoed(email, session);
    expect(masked).to.match(PSEUDONYM);
    expect(await calls.echoed(masked, session)).to.deep.equal([email, masked]);
    expect(await calls.echoed(masked, { ...session, 'mcp-session-id': 'b6a3' })).to.deep.equal([masked, masked]);
  });

  it('refuses web pages of other origins, and methods that the protocol does not have', async () => {
    const page = await calls.tool('x', { origin: 'https://evil.example.com' });
    expect(await errorOf(page)).to.deep.include({ status: 403, reason: 'origin_refused' });
    expect(await calls.echoed(tag, { origin: 'https://app.example.com' })).to.deep.equal([email, tag]);
    expect((await calls.fetch('PUT', '{}')).status).to.equal(405);
    expect((await calls.fetch('HEAD')).status).to.equal(405);
    expect((await calls.fetch('POST', '{}', {}, '/mcp/../x//y')).status).to.equal(400);
  });

  const METADATA = '/.well-known/oauth-protected-resource/mcp';
  const metadata = (headers: Record<string, string> = {}, query = ''): Promise<Response> =>
    calls.fetch('GET', undefined, headers, `${METADATA}${query}`);

  it('passes metadata of the authorization as they are', async () => {
    const text = '{"resource": "https://mcp.example",\n "contact": "security@mcp.example"}';
    harness.script((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text));
    const answer = await metadata();
    expect(await answer.text()).to.equal(text);
    expect((await calls.fetch('POST', '{}', {}, METADATA)).status).to.equal(405);
    harness.script(json({ error: email }, 404));
    const missing = await metadata();
    expect([missing.status, await missing.text()]).to.deep.equal([404, '']);
  });

  it('asks for metadata without the session of a client, so that a server replays nothing', async () => {
    harness.script(json({ resource: 'https://mcp.example' }));
    const session = { 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-06-18', 'last-event-id': '1' };
    await metadata({ ...session, accept: 'text/event-stream' }, '?session=s-1');
    const { url, headers = {} } = harness.received.at(-1) ?? {};
    expect(url).to.equal(METADATA);
    expect(headers).to.include({ accept: 'application/json', authorization: `Bearer ${TOKEN}` });
    expect(headers).to.not.have.any.keys(...Object.keys(session));
  });

  const NO_METADATA: Record<string, Script> = {
    'an event': events(`data: ${JSON.stringify(resultOf(7, email))}\n\n`),
    'a message': json(resultOf(7, email)),
    'a list of messages': json([{ about: email }, resultOf(7, email)]),
    'broken JSON': (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0","result":"${email}"`),
    'a text': (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(email),
    'JSON without a type': (response) => response.end(JSON.stringify({ about: email })),
    'large JSON': json({ about: email, padding: 'x'.repeat(64 * 1024) }),
  };
  for (const [name, script] of Object.entries(NO_METADATA)) {
    it(`does not relay ${name} as metadata`, async () => {
      harness.script(script);
      const answer = await metadata();
      const text = await answer.text();
      expect(answer.status).to.equal(502);
      expect(text).to.not.include(email);
      expect(JSON.parse(text))
        .to.have.nested.property('error.message')
        .that.matches(/^The [^.]*\.$/);
    });
  }

  it('relays no body of an answer to a preflight', async () => {
    harness.script((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' });
      response.end(`data: ${JSON.stringify(resultOf(7, email))}\n\n`);
    });
    const answer = await calls.fetch('OPTIONS', undefined, { 'mcp-session-id': 's-1', 'last-event-id': '1' });
    expect(await answer.text()).to.equal('');
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    expect(harness.received.at(-1)?.headers).to.not.have.any.keys('mcp-session-id', 'last-event-id');
  });

  it('stores nothing of a customer who is erased while the tool runs', async () => {
    const customer = { 'x-litellm-customer-id': 'customer-6' };
    const session = (await calls.tool('x', customer)).headers.get('x-session-id') ?? '';
    harness.script(async (response, received, request) => {
      await harness.call('POST', '/subjects/erase', { end_user_id: 'customer-6', tenant: 'inline' });
      json(resultOf(7, `Mail ${email}.`))(response, received, request);
    });
    const answer = await calls.tool('x', customer);
    expect(await answer.json()).to.have.nested.property('error.data.code', 'session_erased');
    expect((await harness.call('GET', `/sessions/${session}`)).status).to.equal(404);
  });

  it('gives errors instead of values when the store is down', async () => {
    harness.script(json(resultOf(7, 'x')));
    isStoreDown = true;
    try {
      const answer = await calls.tool(tag);
      expect(await errorOf(answer)).to.deep.include({ status: 502, reason: 'store_unavailable' });
    } finally {
      isStoreDown = false;
    }
  });

  it('counts what the server got, and what it returned', async () => {
    await calls.echoed(tag);
    const metrics = await harness.metrics();
    expect(metrics).to.match(/guardrail_tool_pseudonyms_total\{way="mcp",type="EMAIL_ADDRESS",outcome="restored"\} \d/);
    expect(metrics).to.match(
      /guardrail_requests_total\{phase="request",protocol="mcp",action="GUARDRAIL_INTERVENED"\} \d/,
    );
    const line = harness.logs.findLast((one) => one.includes('"route":"mcp"'));
    expect(JSON.parse(line ?? '')).to.include({ restored: 1, withheld: 0, unknown: 0, entities: 1, tenant: 'inline' });
  });
});

describe('the MCP proxy with other settings', () => {
  const withHarness = async (env: NodeJS.ProcessEnv, test: (calls: Calls) => Promise<void>): Promise<void> => {
    const harness = await startInline({ hasMcp: true, env });
    try {
      await test(new Calls(harness));
    } finally {
      await harness.stop();
    }
  };

  it('withholds types that the server may not see, and gives back their pseudonyms', () =>
    withHarness({ GUARDRAIL_MCP_RESTORE_TYPES: 'EMAIL_ADDRESS' }, async (calls) => {
      const [mail, call] = [await calls.pseudonymOf(email), await calls.pseudonymOf(phone)];
      expect(await calls.echoed(`${mail} ${call}`)).to.deep.equal([`${email} ${call}`, `${mail} ${call}`]);
      expect(await calls.harness.metrics()).to.match(/way="mcp",type="PHONE_NUMBER",outcome="withheld"\} 1/);
    }));

  it('identifies callers by the headers of a trusted hop', () =>
    withHarness({ GUARDRAIL_PROXY_IDENTITY_HEADERS: 'x-user' }, async (calls) => {
      const own = await calls.pseudonymOf(email, { 'x-user': 'u-1' });
      expect(await calls.echoed(own, { 'x-user': 'u-1', authorization: 'Bearer other' })).to.deep.equal([email, own]);
      expect(await calls.echoed(own, { 'x-user': 'u-2' })).to.deep.equal([own, own]);
      expect(await errorOf(await calls.tool('x'))).to.deep.include({ status: 401, reason: 'identity_missing' });
    }));

  it('changes nothing in monitor mode, and forwards what it cannot check', () =>
    withHarness({ GUARDRAIL_MODE: 'monitor' }, async (calls) => {
      expect(await calls.echoed(email)).to.deep.equal([email, email]);
      calls.harness.script(json({ other: 1 }));
      expect(await (await calls.fetch('POST', '{"no":"rpc"}')).text()).to.equal('{"other":1}');
      expect(calls.harness.received.at(-1)?.body).to.equal('{"no":"rpc"}');
      expect(await calls.harness.metrics()).to.match(
        /guardrail_failed_open_requests_total\{code="answer_unreadable"\} 1/,
      );
    }));

  it('ends the streams of servers when it drains', () =>
    withHarness({}, async (calls) => {
      const { harness } = calls;
      let onStream = (): void => undefined;
      const begun = new Promise<void>((resolve) => (onStream = resolve));
      harness.script((response) => {
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write(`data: {"jsonrpc":"2.0","method":"x"}\n\n`);
        onStream();
      });
      const stream = await calls.fetch('GET');
      await begun;
      const start = performance.now();
      const [finished] = await Promise.all([harness.app.drain(), stream.text().catch(() => undefined)]);
      expect(finished).to.equal(true);
      expect(performance.now() - start).to.be.lessThan(10_000);
    }));

  it('ends the request to the server when the client leaves', () =>
    withHarness({}, async (calls) => {
      const { harness } = calls;
      const closed = new Promise<void>((resolve) => {
        harness.script((response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
          void once(response, 'close').then(() => {
            resolve();
          });
        });
      });
      const leaving = new AbortController();
      const stream = await fetch(`http://127.0.0.1:${harness.app.mcpPort ?? 0}/mcp`, { signal: leaving.signal });
      expect(stream.status).to.equal(200);
      leaving.abort();
      await closed;
    }));
});
