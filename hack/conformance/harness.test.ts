import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { GatewayClient } from './client.ts';
import { BLOCK_REASON, startInterceptor } from './interceptor.ts';
import { MCP_PATH, MCP_TOOL } from '../harness/upstream/mcpServer.ts';
import { type ModelServer, startModelServer } from '../harness/upstream/modelServer.ts';
import { MUTANTS } from './mutants.ts';
import { type Case, runCase, table } from './suite.ts';
import { newPerson } from './syntheticPerson.ts';

describe('the model server', () => {
  const dialects: readonly (readonly [path: string, body: Record<string, never> | object, said: string])[] = [
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi 🙂!' }] }, 'You said: hi 🙂!'],
    ['/v1/completions', { prompt: 'hi 🙂!' }, 'You said: hi 🙂!'],
    ['/v1/responses', { input: [{ role: 'user', content: 'hi 🙂!' }] }, 'You said: hi 🙂!'],
    ['/v1/messages', { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi 🙂!' }] }] }, 'You said: hi 🙂!'],
  ];
  for (const [path, body, said] of dialects) {
    it(`echoes at ${path}, whole and streamed, and records its requests`, async () => {
      const model = await startModelServer();
      try {
        const client = new GatewayClient(model.url, () => ({}));
        const whole = await client.post(path, { model: 'echo-c2', ...body });
        expect(JSON.stringify(whole.body)).to.contain(said);
        const { moments } = await client.stream(path, { model: 'echo-c2', ...body });
        expect(moments[0]?.at(-1)).to.equal(said);
        expect(moments[0]).to.have.length(Math.ceil(Array.from(said).length / 2));
        expect(model.saw().map((text) => (JSON.parse(text) as { stream?: boolean }).stream)).to.deep.equal([
          undefined,
          true,
        ]);
        model.reset();
        expect(model.saw()).to.deep.equal([]);
      } finally {
        await model.stop();
      }
    });
  }
});

describe('the model server for other routes', () => {
  const running: { model?: ModelServer } = {};
  const server = (): ModelServer => {
    if (running.model === undefined) throw new Error('The model server did not start.');
    return running.model;
  };
  before(async () => {
    running.model = await startModelServer();
  });
  after(() => running.model?.stop());

  it('answers from a script until it is reset, and records requests without a body by their path', async () => {
    const client = new GatewayClient(server().url, () => ({}));
    server().script(({ method, path }) => {
      if (path === '/v1/files?a=b') return { json: { method } };
      return path === '/lines' ? { text: 'one\n', type: 'text/plain' } : undefined;
    });
    expect(await client.raw('/v1/files?a=b', { method: 'GET' })).to.deep.equal({
      status: 200,
      text: '{"method":"GET"}',
    });
    expect(await client.raw('/lines', { body: {} })).to.deep.equal({ status: 200, text: 'one\n' });
    const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
    expect((await client.raw('/v1/chat/completions', { body: chat })).text).to.contain('You said: hi');
    expect(server().saw()).to.deep.equal(['GET /v1/files?a=b', '{}', JSON.stringify(chat)]);
    server().reset();
    expect((await client.raw('/v1/files?a=b', { method: 'GET' })).status).to.equal(404);
  });

  it('forwards a request to another server, records it, and streams the answer back', async () => {
    server().reset();
    const behind = await startModelServer();
    try {
      server().script(() => ({ forward: behind.url }));
      const client = new GatewayClient(server().url, () => ({}));
      const chat = { model: 'echo-c2', messages: [{ role: 'user', content: 'hi 🙂!' }] };
      const { status, moments } = await client.stream('/v1/chat/completions', chat);
      expect([status, moments[0]?.at(-1)]).to.deep.equal([200, 'You said: hi 🙂!']);
      expect((await client.raw('/nothing?a=b', { method: 'GET' })).status).to.equal(404);
      expect(behind.saw()).to.deep.equal([JSON.stringify({ ...chat, stream: true }), 'GET /nothing?a=b']);
      expect(server().saw()).to.deep.equal(behind.saw());
    } finally {
      await behind.stop();
    }
  });

  it('speaks MCP and records the calls of its tool', async () => {
    server().reset();
    const client = new GatewayClient(server().url, () => ({}));
    const call = async (method: string, params: JsonObject = {}): Promise<JsonObject> =>
      (await client.post(MCP_PATH, { jsonrpc: '2.0', id: 1, method, params })).body;
    expect((await call('initialize', { protocolVersion: '2025-06-18' })).result).to.include({
      protocolVersion: '2025-06-18',
    });
    expect(JSON.stringify(await call('tools/list'))).to.contain(`"name":"${MCP_TOOL}"`);
    const params = { name: MCP_TOOL, arguments: { about: 'Anna' } };
    expect(JSON.stringify(await call('tools/call', params))).to.contain('Found: Anna');
    const coded = { name: MCP_TOOL, arguments: { code: Buffer.from('Bernd').toString('base64') } };
    expect(JSON.stringify(await call('tools/call', coded))).to.contain('Found: Bernd');
    expect((await call('resources/list')).error).to.include({ code: -32601 });
    expect(
      (await client.raw(MCP_PATH, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).status,
    ).to.equal(202);
    expect(server().saw()).to.have.length(2);
  });

  it('speaks the realtime protocol', async () => {
    server().reset();
    const socket = new GatewayClient(server().url, () => ({})).connect('/v1/realtime?model=m');
    const events: JsonObject[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (data: Buffer) => {
        events.push(JSON.parse(data.toString('utf8')) as JsonObject);
        if (events.at(-1)?.type === 'response.done') resolve();
      });
    });
    await once(socket, 'open');
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
    for (const event of [{ type: 'conversation.item.create', item }, { type: 'response.create' }]) {
      socket.send(JSON.stringify(event));
    }
    await ended;
    socket.terminate();
    expect(events[0]).to.include({ type: 'session.created' });
    expect(events.find(({ type }) => type === 'response.output_text.done')).to.include({ text: 'You said: hi' });
    expect(server().saw()).to.have.length(2);
  });
});

describe('the interceptor', () => {
  const answer = { action: 'NONE', texts: ['x'], structured_messages: [], stream_holdback_chars: [1] };
  const seen: unknown[] = [];
  const target = createServer((request, response) => {
    request.setEncoding('utf8');
    let text = '';
    request.on('data', (part: string) => (text += part));
    request.on('end', () => {
      seen.push(JSON.parse(text));
      response.end(JSON.stringify(answer));
    });
  });
  const ask = { input_type: 'response', request_data: { user_api_key_team_id: 't', user_api_key_end_user_id: 'u' } };

  before(async () => {
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
  });
  after(() => {
    target.closeAllConnections();
    target.close();
  });

  it('forwards and records calls, injects faults and applies mutants', async () => {
    const guardrail = await startInterceptor(`http://127.0.0.1:${(target.address() as AddressInfo).port}`);
    const client = new GatewayClient(guardrail.url, () => ({}));
    const post = async (body: object = ask) => client.post('/beta/x', { ...body });
    try {
      expect(await post()).to.deep.equal({ status: 200, body: answer });
      expect(guardrail.exchanges()[0]).to.deep.include({ phase: 'response', status: 200, body: ask, answer });

      await guardrail.fail({ kind: 'status', status: 502, phase: 'request' });
      expect((await post()).status, 'other phase').to.equal(200);
      expect((await post({ input_type: 'request' })).status).to.equal(502);

      await guardrail.fail({ kind: 'block', from: 2 });
      expect((await post()).body).to.deep.equal(answer);
      expect((await post()).body).to.deep.equal({ action: 'BLOCKED', blocked_reason: BLOCK_REASON });
      const portkey = await post({ eventType: 'afterRequestHook' });
      expect(portkey.body).to.deep.equal({ verdict: false, data: { reason: BLOCK_REASON } });

      await guardrail.fail({ kind: 'down' });
      expect(await post().catch((error: unknown) => error)).to.be.an('error');
      await guardrail.fail(undefined);
      expect((await post()).status).to.equal(200);

      guardrail.mutate(MUTANTS.missingHoldback);
      expect((await post()).body).not.to.have.property('stream_holdback_chars');
      guardrail.mutate(MUTANTS.textsAlone);
      expect((await post()).body)
        .to.have.property('stream_holdback_chars')
        .and.not.have.property('structured_messages');
      guardrail.mutate(MUTANTS.sharedSession);
      await post();
      expect(seen.at(-1)).to.deep.equal({ ...ask, request_data: { user_api_key_end_user_id: 'u' } });
    } finally {
      await guardrail.stop();
    }
  });
});

describe('the suite', () => {
  const outcome = async (run: Case<undefined>['run'], limit?: string) =>
    runCase('g', { name: 'n', run, ...(limit !== undefined && { limit }) }, undefined);

  it('reports passes, limits and failures in a table and a summary', async () => {
    const results = [
      await outcome(() => Promise.resolve()),
      await outcome(() => Promise.resolve(), 'cannot'),
      await outcome(() => Promise.reject(new Error('no route')), 'cannot'),
    ];
    expect(table(results).split('\n')).to.deep.equal([
      'g  n  pass',
      'g  n  limit  cannot',
      'g  n  FAIL   The check did not complete: Error: no route',
      '',
      '1 passed, 1 limits of the gateway confirmed, 1 failed.',
    ]);
  });

  it('creates people with valid check digits', () => {
    for (let round = 0; round < 50; round += 1) {
      const { card, iban } = newPerson();
      const sum = Array.from(card)
        .reverse()
        .map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
        .reduce((total, digit) => total + (digit > 9 ? digit - 9 : digit), 0);
      expect(sum % 10, card).to.equal(0);
      expect(BigInt(`${iban.slice(4)}1314${iban.slice(2, 4)}`) % 97n, iban).to.equal(1n);
    }
  });
});
