import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DevGateway, type DevGatewayOptions, startDevGateway } from './gateway.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

const KEY = 'sk-test';

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

let gateway: DevGateway;

async function start(options: Partial<DevGatewayOptions> = {}): Promise<void> {
  gateway = await startDevGateway({ port: 0, masterKey: KEY, ...options });
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(new URL(path, gateway.url), {
    method,
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

async function post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer> {
  const response = await call('POST', path, body, headers);
  return { status: response.status, body: (await response.json()) as JsonObject };
}

async function get(path: string): Promise<Answer> {
  const response = await call('GET', path);
  return { status: response.status, body: (await response.json()) as JsonObject };
}

const chat = (text: string, more: JsonObject = {}): JsonObject => ({
  model: 'echo-c7',
  messages: [{ role: 'user', content: text }],
  ...more,
});

describe('the development gateway', () => {
  afterEach(async () => {
    await gateway.stop();
  });

  describe('customers and budgets', () => {
    beforeEach(async () => start());

    it('creates, updates and deletes a customer', async () => {
      expect((await post('/customer/new', { user_id: 'a', alias: 'A' })).status).to.equal(200);
      expect((await post('/customer/new', { user_id: 'a' })).status).to.equal(400);
      expect((await post('/customer/update', { user_id: 'a', alias: 'B' })).body).to.include({ alias: 'B' });
      expect((await get('/customer/info?end_user_id=a')).body).to.include({ user_id: 'a', alias: 'B', blocked: false });
      expect((await post('/customer/delete', { user_ids: ['a'] })).body).to.include({ deleted_customers: 1 });
      expect((await get('/customer/info?end_user_id=a')).status).to.equal(404);
      expect((await post('/customer/update', { user_id: 'a' })).status).to.equal(404);
    });

    it('writes an inline max_budget into the linked row, even if others share it', async () => {
      await post('/budget/new', { budget_id: 'tier', max_budget: 1 });
      await post('/customer/new', { user_id: 'a', budget_id: 'tier' });
      await post('/customer/new', { user_id: 'b', budget_id: 'tier' });
      await post('/customer/update', { user_id: 'a', max_budget: 5 });
      const { body } = await get('/customer/info?end_user_id=b');
      expect(body.gateway_budget_table).to.include({ budget_id: 'tier', max_budget: 5 });
    });

    it('ignores unknown fields, nulls and zero in an update', async () => {
      await post('/customer/new', { user_id: 'a', alias: 'A', max_budget: 5 });
      const ignored = { budget_duration: '1d', rpm_limit: 1, alias: null, max_budget: 0, spend: 3 };
      const { status, body } = await post('/customer/update', { user_id: 'a', ...ignored });
      expect(status).to.equal(200);
      expect(body).to.include({ alias: 'A', spend: 0 });
      expect(body.gateway_budget_table).to.include({ max_budget: 5, budget_duration: null, rpm_limit: null });
    });

    it('clears null fields on /budget/update, and sets the next reset if the duration changes', async () => {
      await post('/budget/new', { budget_id: 't', max_budget: 1 });
      const { body } = await post('/budget/update', { budget_id: 't', max_budget: null, budget_duration: '1d' });
      expect(body).to.include({ max_budget: null, budget_duration: '1d' });
      expect(body.budget_reset_at).to.match(/T00:00:00\.000Z$/);
    });

    it('keeps the budget row if the customer exists already or is deleted', async () => {
      await post('/customer/new', { user_id: 'a', max_budget: 1 });
      await post('/customer/new', { user_id: 'a', max_budget: 2 });
      await post('/customer/delete', { user_ids: ['a'] });
      const budgets = (await get('/budget/list')).body as unknown as JsonObject[];
      expect(budgets.map((budget) => budget.max_budget)).to.have.members([1, 2]);
    });

    it('lists all customers, or pages of them by id', async () => {
      const idsOf = async (path: string): Promise<unknown> => {
        const { status, body } = await get(path);
        return status === 200
          ? (body as unknown as { user_id: string }[]).map(({ user_id: id }) => id).join(' ')
          : status;
      };
      for (const id of ['c', 'a', 'b']) await post('/customer/new', { user_id: id });
      expect(await idsOf('/customer/list?page=2&page_size=2')).to.equal('c a b');
      await gateway.stop();
      await start({ pagedLists: true });
      const ids = Array.from({ length: 51 }, (_, at) => `c${10 + at}`);
      for (const id of ids.toReversed()) await post('/customer/new', { user_id: id });
      expect(await idsOf('/customer/list')).to.equal(ids.slice(0, 50).join(' '));
      expect(await idsOf('/customer/list?page=2&page_size=20')).to.equal(ids.slice(20, 40).join(' '));
      expect(await idsOf('/customer/list?page=2')).to.equal('c60');
      expect(await idsOf('/customer/list?page=3')).to.equal('');
      expect(await idsOf('/customer/list?page=0')).to.equal(422);
      expect(await idsOf('/customer/list?page_size=101')).to.equal(422);
    });

    const refused: readonly (readonly [what: string, path: string, body: unknown, status: number])[] = [
      ['max_budget with budget_id', '/customer/new', { user_id: 'a', max_budget: 1, budget_id: 't' }, 422],
      ['an unknown budget_id', '/customer/new', { user_id: 'a', budget_id: 'nope' }, 500],
      ['an unknown default_model', '/customer/new', { user_id: 'a', default_model: 'nope' }, 422],
      ['a malformed duration', '/customer/new', { user_id: 'a', budget_duration: 'soon' }, 400],
      ['a duration of zero', '/budget/new', { budget_duration: '0d' }, 400],
      ['a negative budget', '/budget/new', { max_budget: -1 }, 400],
      ['a fraction instead of a whole number', '/budget/new', { rpm_limit: 1.5 }, 422],
      ['a list of other values than strings', '/customer/delete', { user_ids: [1] }, 422],
      ['an unknown region', '/customer/update', { user_id: 'a', allowed_model_region: 'mars' }, 422],
      ['a body that is a list', '/customer/new', [], 422],
      ['a body that is not JSON', '/customer/new', '{', 422],
      ['no body', '/customer/new', '', 422],
    ];
    for (const [what, path, body, status] of refused) {
      it(`rejects ${what} with ${status}`, async () => {
        expect((await post(path, body)).status).to.equal(status);
      });
    }

    it('answers an update of an unknown budget with 200 and null', async () => {
      const response = await call('POST', '/budget/update', { budget_id: 'nope', max_budget: 1 });
      expect([response.status, await response.text()]).to.deep.equal([200, 'null']);
    });

    it('writes amounts with a decimal point, as the real gateway does', async () => {
      const response = await call('POST', '/customer/new', { user_id: 'a', max_budget: 10 });
      expect(await response.text())
        .to.contain('"spend":0.0')
        .and.contain('"max_budget":10.0');
    });

    const invalidKeys: readonly (readonly [what: string, headers: Record<string, string>])[] = [
      ['no key', {}],
      ['a wrong key', { authorization: 'Bearer sk-wrong' }],
      ['a key of another form', { authorization: 'Bearer wrong' }],
      ['half of the key', { 'x-api-key': KEY.slice(0, -1) }],
    ];
    for (const [what, headers] of invalidKeys) {
      it(`rejects calls with ${what}`, async () => {
        for (const path of ['/customer/new', '/budget/new', '/v1/chat/completions']) {
          const response = await fetch(gateway.url + path, { method: 'POST', headers, body: '{"user_id":"x"}' });
          expect(response.status, path).to.equal(401);
        }
        expect((await get('/customer/info?end_user_id=x')).status).to.equal(404);
      });
    }

    it('accepts one of many concurrent creations', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => post('/customer/new', { user_id: 'a' })));
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    });

    it('reports its health without a key, and returns 404 for an unknown path', async () => {
      expect((await fetch(`${gateway.url}/health/liveliness`)).status).to.equal(200);
      expect((await get('/customer')).status).to.equal(404);
    });
  });

  it('keeps its tables in the state file after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-'));
    const stateFile = join(folder, 'deep', 'state.json');
    try {
      await start({ stateFile });
      await post('/customer/new', { user_id: 'a', max_budget: 7 });
      await gateway.stop();
      await start({ stateFile });
      expect((await get('/customer/info?end_user_id=a')).body.gateway_budget_table).to.include({ max_budget: 7 });
      await writeFile(stateFile, '{"customers":"none"}');
      const refused = await startDevGateway({ port: 0, masterKey: KEY, stateFile }).catch((error: unknown) => error);
      expect(refused)
        .to.be.an('error')
        .with.property('message')
        .that.matches(/state\.json .* Delete it/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  describe('calls of an end user', () => {
    beforeEach(async () => start());

    it('creates an unknown customer at the first call and adds to its spend', async () => {
      await post('/v1/chat/completions', chat('hello', { user: 'new' }));
      const { body } = await get('/customer/info?end_user_id=new');
      expect(body).to.include({ user_id: 'new', budget_id: null });
      expect(body.spend).to.be.greaterThan(0);
    });

    for (const n of [0, -1, 1.5, 129, 'two']) {
      it(`rejects n = ${n}`, async () => {
        const { status, body } = await post('/v1/chat/completions', chat('hi', { n }));
        expect([status, (body.error as JsonObject).param]).to.deep.equal([400, 'n']);
      });
    }

    const places: readonly (readonly [what: string, headers: Record<string, string>, body: JsonObject])[] = [
      ['the customer header', { 'x-gateway-customer-id': 'me', 'x-gateway-end-user-id': 'no' }, { user: 'no' }],
      ['the end user header', { 'x-gateway-end-user-id': 'me' }, { user: 'no' }],
      ['user', {}, { user: 'me', metadata: { user_id: 'no' } }],
      ['metadata.user_id', {}, { metadata: { user_id: 'me' } }],
      ['safety_identifier', {}, { safety_identifier: 'me' }],
    ];
    for (const [what, headers, body] of places) {
      it(`takes the end user from ${what}`, async () => {
        await post('/v1/chat/completions', chat('hi', body), headers);
        expect(gateway.log().map((seen) => seen.end_user)).to.deep.equal(['me']);
      });
    }
  });

  describe('with a guardrail', () => {
    let guardrail: Server;
    let received: JsonObject[];
    let respond: (body: JsonObject) => { status?: number; answer?: unknown; hang?: boolean };

    const target = (): { url: string; key: string } => ({
      url: `http://127.0.0.1:${(guardrail.address() as AddressInfo).port}`,
      key: 'secret',
    });

    beforeEach(async () => {
      received = [];
      respond = () => ({ answer: { action: 'NONE' } });
      guardrail = createServer((request, response) => {
        const parts: Buffer[] = [];
        request.on('data', (part: Buffer) => parts.push(part));
        request.on('end', () => {
          const body: unknown = JSON.parse(Buffer.concat(parts).toString());
          if (!isObject(body)) {
            response.writeHead(400).end();
            return;
          }
          received.push({ ...body, path: request.url ?? '', key: request.headers['x-api-key'] ?? null });
          const { status = 200, answer, hang = false } = respond(body);
          if (hang) return;
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}));
        });
      });
      await new Promise<void>((resolve) => guardrail.listen(0, '127.0.0.1', resolve));
      await start({ guardrail: target(), guardrailTimeoutMs: 300 });
    });

    afterEach(async () => {
      guardrail.closeAllConnections();
      await new Promise((resolve) => guardrail.close(resolve));
    });

    /** Replaces a name by a tag in requests, and the tag by the name in answers, with an exact holdback. */
    function swapping(name: string, tag: string): typeof respond {
      const deep = (value: Json): Json => {
        if (typeof value === 'string') return value.replaceAll(name, tag);
        if (Array.isArray(value)) return value.map(deep);
        return isObject(value) ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, deep(v)])) : value;
      };
      const tail = (text: string): number => {
        const at = text.lastIndexOf('<');
        return at >= 0 && !text.includes('>', at) ? text.length - at : 0;
      };
      return (body) => {
        const texts = body.texts as string[];
        if (body.input_type === 'request') {
          const structured = body.structured_messages ?? null;
          const tools = body.tools ?? null;
          const action = 'GUARDRAIL_INTERVENED';
          return { answer: { action, texts: deep(texts), structured_messages: deep(structured), tools: deep(tools) } };
        }
        const restored = texts.map((text) => text.replaceAll(tag, name));
        return {
          answer: { action: 'GUARDRAIL_INTERVENED', texts: restored, stream_holdback_chars: restored.map(tail) },
        };
      };
    }

    async function events(body: JsonObject): Promise<{ status: number; text: string[]; all: Json[] }> {
      const response = await call('POST', '/v1/chat/completions', { ...body, stream: true });
      const lines = (await response.text()).split('\n\n').filter((line) => line.startsWith('data: {'));
      const all = lines.map((line) => JSON.parse(line.slice(6)) as JsonObject);
      const text: string[] = [];
      for (const { choices } of all as { choices?: { index: number; delta: { content?: string } }[] }[]) {
        for (const { index, delta } of choices ?? []) text[index] = (text[index] ?? '') + (delta.content ?? '');
      }
      return { status: response.status, text, all };
    }

    const contentOf = ({ body }: Answer): unknown =>
      (body as { choices?: { message: { content: unknown } }[] }).choices?.map(({ message }) => message.content);

    it('sends the tag to the model and the name to the client', async () => {
      respond = swapping('Anna', '<P_1>');
      const answer = await post('/v1/chat/completions', chat('I am Anna.'));
      expect(contentOf(answer)).to.deep.equal(['You said: I am Anna.']);
      expect(gateway.log().at(-1)).to.deep.include({
        guarded: true,
        messages: [{ role: 'user', content: 'I am <P_1>.' }],
      });
      expect(received.map(({ path, key }) => [path, key])).to.deep.equal([
        ['/beta/gateway_basic_guardrail_api', 'secret'],
        ['/beta/gateway_basic_guardrail_api', 'secret'],
      ]);
    });

    it("sends both phases with the same ids, and with the client's headers except its key", async () => {
      const headers = {
        'x-gateway-trace-id': 't1',
        'x-session-id': 's1',
        'x-other': 'o',
        'x-gateway-end-user-id': 'u1',
      };
      await post('/v1/chat/completions', chat('hi'), headers);
      const [before, after] = received;
      for (const field of ['gateway_call_id', 'gateway_trace_id', 'request_data', 'request_headers', 'model']) {
        expect(before?.[field], field).to.deep.equal(after?.[field]);
      }
      expect(before?.gateway_trace_id).to.equal('t1');
      expect(before?.request_headers).to.include({ 'x-session-id': 's1', 'x-other': '[present]' });
      expect(JSON.stringify(received)).not.to.contain(KEY);
      expect(before?.request_data).to.deep.equal({
        user_api_key_hash: 'gateway_proxy_master_key',
        user_api_key_user_id: 'default_user_id',
        user_api_key_end_user_id: 'u1',
      });
      expect(after).to.deep.include({ input_type: 'response', structured_messages: null, tools: null });
    });

    for (const size of [1, 3, 7, 20, 1000]) {
      it(`streams the restored text in chunks of ${size}, each intermediate text a prefix`, async () => {
        respond = swapping('Anna', '<PERSON_1>');
        const { text, all } = await events(chat('I am Anna, yes, Anna 🙂.', { model: `echo-c${size}`, n: 2 }));
        expect(text).to.deep.equal([
          '[0] You said: I am Anna, yes, Anna 🙂.',
          '[1] You said: I am Anna, yes, Anna 🙂.',
        ]);
        expect(JSON.stringify(all)).not.to.contain('<P');
        expect(received.filter(({ input_type }) => input_type === 'response').length).to.be.greaterThan(
          size < 20 ? 2 : 0,
        );
      });
    }

    it('sends the accumulated raw text to the guardrail at each fifth chunk and at the end', async () => {
      await events(chat('abcdefghij', { model: 'echo-c2' }));
      const texts = received.filter(({ input_type }) => input_type === 'response').map((body) => body.texts);
      // The first chunk has only the role.
      expect(texts).to.deep.equal([['You said'], ['You said: abcdefgh'], ['You said: abcdefghij']]);
    });

    it('ends a stream with an error if the guardrail changes text that was already sent', async () => {
      const swap = swapping('Anna', '<PERSON_1>');
      respond = (body) => {
        const { answer } = swap(body) as { answer: JsonObject };
        delete answer.stream_holdback_chars;
        return { answer };
      };
      const { status, all } = await events(chat('I am Anna.', { model: 'echo-c1' }));
      expect(status).to.equal(200);
      expect(JSON.stringify(all.at(-1))).to.contain('stream_transform_underflow');
    });

    it('prefers structured messages to texts, and applies tools', async () => {
      respond = swapping('Anna', '<P_1>');
      const args = '{"to": "Anna"}';
      const messages = [
        { role: 'user', content: 'mail Anna', name: 'kept-only-where-unchanged' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }],
        },
        { role: 'user', content: 'thanks', name: 'kept' },
      ];
      const tools = [{ type: 'function', function: { name: 'f', description: 'Mails Anna' } }];
      await post('/v1/chat/completions', { model: 'echo', messages, tools });
      const seen = gateway.log().at(-1);
      expect(JSON.stringify(seen)).not.to.contain('Anna');
      expect((seen?.messages as JsonObject[]).map(({ name }) => name)).to.deep.equal([undefined, undefined, 'kept']);
      expect(JSON.stringify(received[0])).not.to.contain('kept');
    });

    it('leaks tool-call arguments to the model if a guardrail returns only texts', async () => {
      const swap = swapping('Anna', '<P_1>');
      respond = (body) => {
        const { answer } = swap(body) as { answer: JsonObject };
        delete answer.structured_messages;
        return { answer };
      };
      const call = { id: 'c', type: 'function', function: { name: 'f', arguments: 'Anna' } };
      const messages = [
        { role: 'user', content: 'Anna' },
        { role: 'assistant', content: null, tool_calls: [call] },
      ];
      await post('/v1/chat/completions', { model: 'echo', messages });
      const [user, assistant] = gateway.log().at(-1)?.messages as JsonObject[];
      expect(user?.content).to.equal('<P_1>');
      expect(JSON.stringify(assistant)).to.contain('Anna');
    });

    it('sends images and content parts to the guardrail, and writes each text back into its part', async () => {
      respond = (body) => ({ answer: { texts: (body.texts as string[]).map((text) => text.toUpperCase()) } });
      const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } };
      const content = [{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two' }];
      await post('/v1/chat/completions', { model: 'echo', messages: [{ role: 'user', content }] });
      expect(received[0]).to.deep.include({ texts: ['one', 'two'], images: ['data:image/png;base64,AA'] });
      const seen = [{ type: 'text', text: 'ONE' }, image, { type: 'text', text: 'TWO' }];
      expect(gateway.log()[0]?.messages).to.deep.equal([{ role: 'user', content: seen }]);
    });

    it('forwards tool calls of the answer unchanged, and sends them to the guardrail', async () => {
      respond = swapping('Anna', '<P_1>');
      const { body } = await post('/v1/chat/completions', chat('Anna', { model: 'mix' }));
      expect(JSON.stringify(body)).to.contain('"content":"You said: Anna"').and.contain('<P_1>');
      expect(JSON.stringify(received[1]?.tool_calls)).to.contain('<P_1>');
    });

    type Fault = readonly [what: string, answer: ReturnType<typeof respond>, status: number, says: RegExp];
    const blocked = { action: 'BLOCKED', blocked_reason: 'not this' };
    const faults: readonly Fault[] = [
      ['blocks', { answer: blocked }, 400, /^not this$/],
      ['answers 401', { status: 401 }, 500, /status 401/],
      ['answers 429', { status: 429 }, 500, /status 429/],
      ['answers 500', { status: 500 }, 500, /status 500/],
      ['answers 502', { status: 502 }, 500, /status 502/],
      ['answers 503', { status: 503 }, 500, /status 503/],
      ['answers 504', { status: 504 }, 500, /status 504/],
      ['answers no JSON', { answer: 'hello' }, 500, /not JSON/],
      ['answers a list', { answer: [] }, 500, /not a JSON object/],
      ['does not answer', { hang: true }, 500, /timed out/],
      ['returns too many texts', { answer: { texts: ['a', 'b'] } }, 500, /cannot apply/],
    ];
    for (const [what, answer, status, says] of faults) {
      it(`never calls the model where the guardrail ${what}`, async () => {
        respond = () => answer;
        const result = await post('/v1/chat/completions', chat('hi'));
        expect(result.status).to.equal(status);
        expect((result.body.error as JsonObject).message).to.match(says);
        expect(gateway.log()).to.deep.equal([]);
      });
    }

    it('reports a block in the stream if it has already started', async () => {
      respond = (body) => ({ answer: JSON.stringify(body.texts).includes('stop') ? blocked : { action: 'NONE' } });
      const swap = respond;
      respond = (body) => (body.input_type === 'request' ? { answer: { action: 'NONE' } } : swap(body));
      const { status, text, all } = await events(chat('go on and then stop here', { model: 'echo-c2' }));
      expect(status).to.equal(200);
      expect(text[0]).to.match(/^You said/);
      expect(all.at(-1)).to.have.nested.property('error.message', 'not this');
      expect(JSON.stringify(all)).not.to.contain('stop');
    });

    it('answers with an error status if the first guardrail call of a stream fails', async () => {
      respond = (body) => (body.input_type === 'request' ? { answer: { action: 'NONE' } } : { status: 502 });
      expect((await events(chat('hi'))).status).to.equal(500);
    });

    describe('through a file', () => {
      let folder = '';
      let file = '';
      beforeEach(async () => {
        await gateway.stop();
        folder = await mkdtemp(join(tmpdir(), 'gateway-'));
        file = join(folder, 'guardrail.json');
        await start({ guardrail: { file } });
      });
      afterEach(() => rm(folder, { recursive: true }));
      const write = (content: unknown): void => {
        writeFileSync(`${file}.new`, JSON.stringify(content));
        renameSync(`${file}.new`, file);
      };

      it('finds the guardrail in the file and follows its changes', async () => {
        expect((await post('/v1/chat/completions', chat('hi'))).status, 'no file yet').to.equal(500);
        write({ url: 'http://127.0.0.1:1', key: 'old' });
        expect((await post('/v1/chat/completions', chat('hi'))).status, 'nobody there').to.equal(500);
        write(target());
        expect((await post('/v1/chat/completions', chat('hi'))).status).to.equal(200);
        expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal(target());
      });

      for (const [what, body] of [
        ['a whole answer', {}],
        ['a stream', { stream: true }],
      ] as const) {
        it(`has ${what} restored by the guardrail that received the request, although the file now names another one`, async () => {
          const swap = swapping('Anna', '<P_1>');
          respond = (request) => {
            // Nothing listens on the discard port.
            if (request.input_type === 'request') write({ url: 'http://127.0.0.1:9', key: 'new' });
            return swap(request);
          };
          write(target());
          const response = await call('POST', '/v1/chat/completions', chat('Hello Anna', body));
          expect(response.status).to.equal(200);
          expect(await response.text()).to.include('Anna');
          expect(received.map(({ input_type: phase }) => phase)).to.include.members(['request', 'response']);
          expect((await post('/v1/chat/completions', chat('hi'))).status, 'the next call').to.equal(500);
        });
      }

      it('calls the guardrail in the file when the one that received the request no longer runs', async () => {
        const swap = swapping('Anna', '<P_1>');
        const first = createServer((request, response) => {
          request.resume().on('end', () => {
            write(target());
            response.setHeader('connection', 'close').end(JSON.stringify({ action: 'NONE' }));
            first.close();
          });
        });
        first.listen(0, '127.0.0.1');
        await once(first, 'listening');
        write({ url: `http://127.0.0.1:${(first.address() as AddressInfo).port}`, key: 'first' });
        respond = swap;
        const { status } = await post('/v1/chat/completions', chat('hi'));
        expect(status).to.equal(200);
        expect(received.map(({ input_type: phase }) => phase)).to.deep.equal(['response']);
      });
    });
  });
});
