import { once } from 'node:events';
import { expect } from 'chai';
import { GatewayClient } from '../../conformance/client.ts';
import type { JsonObject } from '../gateway/gateway.ts';
import { MCP_PATH, MCP_TOOL } from './mcpServer.ts';
import { type ModelServer, startModelServer } from './modelServer.ts';

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
