import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  keyHashOf,
  listHash,
  listKey,
  shardName,
  writeCustomerList,
  type CustomerEntry,
  type UnknownCustomers,
} from '../customers/customers.ts';
import { eventually, KEY, PLANTED, SESSION_KEY } from '../testing/appHarness.ts';
import { ModelEnvoy } from '../extProc/testing/modelEnvoy.ts';
import { startInline, TOKEN, type Inline } from '../testing/inlineHarness.ts';

const key = listKey(SESSION_KEY);
const customer = (id: string): CustomerEntry['customer'] => listHash(key, 'customer', id);

/** A folder as a kubelet mounts a volume: a symbolic link selects all of its files at once. */
class Volume {
  readonly path = mkdtempSync(join(tmpdir(), 'customers-'));
  #version = 0;

  constructor() {
    for (let shard = 0; shard < 16; shard += 1) {
      symlinkSync(join('..data', shardName(shard)), join(this.path, shardName(shard)));
    }
    this.write([]);
  }

  write(shards: readonly string[]): void {
    this.#version += 1;
    const folder = `..version-${this.#version}`;
    mkdirSync(join(this.path, folder));
    for (const [shard, text] of shards.entries()) writeFileSync(join(this.path, folder, shardName(shard)), text);
    symlinkSync(folder, join(this.path, '..next'));
    renameSync(join(this.path, '..next'), join(this.path, '..data'));
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

const entries: readonly CustomerEntry[] = [
  { customer: customer('acme') },
  { customer: customer('blocked'), blocked: true },
  {
    customer: customer('closed'),
    callers: { teams: [listHash(key, 'team', 'sales')], keys: [listHash(key, 'key', keyHashOf(TOKEN))] },
  },
];
const listOf = (unknownCustomers: UnknownCustomers, list = entries): string[] =>
  writeCustomerList(list, { unknownCustomers });

const BLOCKED = 'This customer is blocked.';
const UNKNOWN = 'This customer is not known here.';
const UNNAMED = 'The call names no customer: set the field user of the request.';
const UNTOLD =
  'The gateway does not tell the guardrail for which customer a call is, and unknown customers may not call.';
const UNREADABLE = 'The customer of this call cannot be read: name it once, as a string, in a body of valid JSON.';
const CALLER = 'This caller may not call for this customer.';

describe('the list of customers', () => {
  let volume: Volume;
  let service: Inline;

  const start = async (env: NodeJS.ProcessEnv = {}, shards = listOf('Allow'), hasMcp = false): Promise<void> => {
    volume = new Volume();
    if (shards.length > 0) volume.write(shards);
    service = await startInline({
      hasMcp,
      env: { GUARDRAIL_CUSTOMERS: volume.path, GUARDRAIL_ADMIN_KEYS: 'litellm', ...env },
    });
  };
  afterEach(async () => {
    await service.stop();
    volume.remove();
  });

  /** The reason why a gateway's call is refused; undefined: it is not. */
  const callback = async (data: object): Promise<string | undefined> => {
    const { body } = await service.guard({ input_type: 'request', texts: ['Hello'], request_data: data });
    const { action, blocked_reason: reason } = body as { action: string; blocked_reason?: string };
    expect(action).to.equal(reason === undefined ? 'NONE' : 'BLOCKED');
    return reason;
  };
  /** The reason why a client's call is refused; undefined: it reaches the model. */
  const inline = async (fields: object, headers: Record<string, string> = {}): Promise<string | undefined> => {
    const before = service.received.length;
    const response = await service.chat('Hello', fields, { headers });
    const { error } = (await response.json()) as { error?: { message: string; code: string } };
    expect(service.received.length - before).to.equal(error ? 0 : 1);
    if (error) expect([response.status, error.code]).to.deep.equal([400, 'guardrail_blocked']);
    return error?.message;
  };

  it('refuses calls of gateways before the model call', async () => {
    await start();
    expect(await callback({ user_api_key_end_user_id: 'acme' })).to.equal(undefined);
    expect(await callback({ user_api_key_end_user_id: 'stranger' })).to.equal(undefined);
    expect(await callback({})).to.equal(undefined);
    expect(await callback({ user_api_key_end_user_id: 'blocked' })).to.equal(BLOCKED);
    expect(await callback({ user_api_key_end_user_id: 'closed' })).to.equal(CALLER);
    expect(await callback({ user_api_key_end_user_id: 'closed', user_api_key_team_id: 'sales' })).to.equal(undefined);
    expect(await callback({ user_api_key_end_user_id: 'closed', user_api_key_hash: keyHashOf(TOKEN) })).to.equal(
      undefined,
    );
  });

  it('does not refuse answers', async () => {
    await start();
    const { body } = await service.guard({
      input_type: 'response',
      texts: ['Hello'],
      request_data: { user_api_key_end_user_id: 'blocked' },
    });
    expect(body).to.have.property('action', 'NONE');
  });

  it('refuses calls of clients, wherever they name a customer', async () => {
    await start();
    expect(await inline({ user: 'acme' })).to.equal(undefined);
    expect(await inline({})).to.equal(undefined);
    const places: readonly (readonly [fields: object, headers?: Record<string, string>])[] = [
      [{ user: 'blocked' }],
      [{ user: ' blocked ' }],
      [{ user: '\u001cblocked\u0085' }],
      [{ metadata: '{"user_id"\n:"blocked"}' }],
      [{ user: 'acme', safety_identifier: 'blocked' }],
      [{ metadata: { user_id: 'blocked' } }],
      [{ metadata: '{"user_id":"blocked"}' }],
      [{ litellm_metadata: { user: 'blocked' } }],
      [{ user: 'acme' }, { 'x-litellm-end-user-id': 'blocked' }],
      [{}, { 'x-litellm-customer-id': 'blocked' }],
    ];
    for (const [fields, headers] of places) {
      expect(await inline(fields, headers), JSON.stringify([fields, headers])).to.equal(BLOCKED);
    }
    expect(await inline({ metadata: '{"user_id":"blocked","a":NaN}' })).to.equal(UNREADABLE);
    expect(await inline({ user: 'closed' })).to.equal(undefined);
    expect(await inline({ user: 'closed' }, { authorization: 'Bearer sk-another' })).to.equal(CALLER);
  });

  it('refuses calls for unknown customers, and calls that name none, if it says so', async () => {
    await start({}, listOf('Block'));
    expect(await callback({ user_api_key_end_user_id: 'acme' })).to.equal(undefined);
    expect(await callback({ user_api_key_end_user_id: 'stranger' })).to.equal(UNKNOWN);
    expect(await callback({})).to.equal(UNNAMED);
    expect(await inline({ user: 'acme' })).to.equal(undefined);
    expect(await inline({ user: 'stranger' })).to.equal(UNKNOWN);
    expect(await inline({})).to.equal(UNNAMED);
    const models = await fetch(`${service.proxyUrl}/v1/models`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(models.status).not.to.equal(400);
    const stored = `${service.proxyUrl}/v1/responses/resp_1`;
    for (const [path, method] of [
      ['', 'GET'],
      ['', 'DELETE'],
      ['/cancel', 'POST'],
    ] as const) {
      service.script((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
      const { status } = await fetch(stored + path, { method, headers: { authorization: `Bearer ${TOKEN}` } });
      expect(status, `${method} ${path}`).to.equal(200);
    }
  });

  it('refuses calls on paths whose bodies pass unchanged', async () => {
    await start({ GUARDRAIL_PROXY_UNKNOWN: 'pass' }, listOf('Block'));
    service.script((response, { body }) => response.end(body));
    const send = async (body: string, contentType: string, method = 'POST'): Promise<string> => {
      const response = await fetch(`${service.proxyUrl}/v2/another-api`, {
        ...{ method, headers: { 'content-type': contentType, authorization: `Bearer ${TOKEN}` } },
        ...(method === 'POST' && { body }),
      });
      const text = await response.text();
      return response.status === 200 ? text : (JSON.parse(text) as { error: { message: string } }).error.message;
    };
    const allowed = `{ "user": "acme", "mail": "${PLANTED.email}" }`;
    expect(await send(allowed, 'application/json')).to.equal(allowed);
    expect(await send('user=acme', 'application/x-www-form-urlencoded')).to.equal('user=acme');
    for (const type of ['application/json', 'text/plain', 'application/octet-stream']) {
      expect(await send('{"user":"blocked"}', type), type).to.equal(BLOCKED);
      expect(await send('{"user":"acme","a":NaN}', type), type).to.equal(UNREADABLE);
      expect(await send('Hello', type), type).to.equal(UNNAMED);
    }
    expect(await send('user=blocked', 'application/x-www-form-urlencoded')).to.equal(BLOCKED);
    expect(await send('', '', 'GET')).to.equal('');
  });

  it('refuses calls through Envoy, also those with two headers of which the gateway reads one', async () => {
    await start({ GUARDRAIL_EXT_PROC_PORT: '0' });
    const envoy = new ModelEnvoy(service.app.extProcPort ?? 0);
    const parts = [Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }))];
    const head = {
      ':method': 'POST',
      ':path': '/v1/chat/completions',
      ...{ ':scheme': 'http', ':authority': 'gateway.example', 'content-type': 'application/json' },
    };
    const send = async (...customers: string[]): Promise<unknown> => {
      const named = customers.map((value): [string, string] => ['x-litellm-end-user-id', value]);
      const headers = [...Object.entries(head), ...named].map(([name, value]) => ({
        key: name,
        rawValue: Buffer.from(value),
      }));
      const outcome = await envoy.call(
        { headers: head, parts, first: { requestHeaders: { headers: { headers } } } },
        () => ({ headers: { ':status': '200', 'content-type': 'application/json' }, parts: [Buffer.from('{}')] }),
      );
      if (outcome.kind !== 'immediate') return outcome.kind;
      return (JSON.parse(outcome.body.toString()) as { error: { message: string } }).error.message;
    };
    try {
      expect(await send('acme')).to.equal('answer');
      expect(await send('blocked')).to.equal(BLOCKED);
      expect(await send('stranger', 'blocked')).to.equal(UNREADABLE);
    } finally {
      envoy.close();
    }
  });

  it('refuses calls of gateways that name no customer, in their own format', async () => {
    await start({}, listOf('Block'));
    const messages = [{ role: 'user', content: 'Hello' }];
    const portkey = { eventType: 'beforeRequestHook', request: { json: { user: 'acme', messages } } };
    const headers = { 'x-session-id': 'a-call-'.repeat(6), 'x-guardrail-team': 'sales' };
    const post = async (path: string, body: object): Promise<readonly [number, unknown]> => {
      const answer = await service.call('POST', path, body, { headers });
      return [answer.status, answer.body];
    };
    const rejected = { action: { body: UNTOLD, status_code: 403, reason: UNTOLD } };
    expect(await post('/v1/peer/check', portkey)).to.deep.equal([200, { verdict: false, data: { reason: UNTOLD } }]);
    expect(await post('/v1/peer/check', { body: { messages } })).to.deep.equal([200, rejected]);
    expect(await post('/request', { body: { messages } })).to.deep.equal([200, rejected]);
    const [status, body] = await post('/v1/guard/redact', { texts: ['Hello'] });
    expect([status, (body as { error: { message: string } }).error.message]).to.deep.equal([403, UNTOLD]);
    expect(await post('/v1/guard/rehydrate', { texts: ['Hello'] })).to.deep.equal([200, { texts: ['Hello'] }]);
  });

  it('changes nothing in monitor mode, and counts', async () => {
    await start({ GUARDRAIL_MODE: 'monitor' });
    expect(await callback({ user_api_key_end_user_id: 'blocked' })).to.equal(undefined);
    expect(await inline({ user: 'blocked' })).to.equal(undefined);
    const metrics = await service.metrics();
    for (const protocol of ['basic', 'inline']) {
      expect(metrics).to.match(
        new RegExp(`guardrail_requests_total\\{[^}]*protocol="${protocol}",action="MONITORED_BLOCKED"\\} 1`),
      );
    }
  });

  it('takes effect without a restart, and only as a whole', async () => {
    await start();
    expect(await callback({ user_api_key_end_user_id: 'acme' })).to.equal(undefined);
    volume.write(listOf('Allow', [{ customer: customer('acme'), blocked: true }]));
    await eventually(async () => (await callback({ user_api_key_end_user_id: 'acme' })) === BLOCKED);
    expect(await callback({ user_api_key_end_user_id: 'blocked' })).to.equal(undefined);

    const large = Array.from({ length: 40 }, (_, n) => ({ customer: customer(`customer-${n}`), blocked: true }));
    const shards = writeCustomerList(large, { unknownCustomers: 'Allow', maxShardBytes: 1000 });
    expect(shards.length).to.be.above(1);
    const damaged = [shards.slice(0, 1), shards.with(0, (shards[0] ?? '').slice(0, -20)), []];
    for (const [at, half] of damaged.entries()) {
      volume.write(half);
      const refused = async (): Promise<boolean> =>
        new RegExp(`guardrail_customer_list_errors_total ${at + 1}`).test(await service.metrics());
      await eventually(refused);
      expect(await callback({ user_api_key_end_user_id: 'acme' })).to.equal(BLOCKED);
    }
    expect(service.logs.filter((line) => line.includes('The last valid list stays in force')).length).to.equal(3);
    volume.write(shards);
    await eventually(async () => (await callback({ user_api_key_end_user_id: 'customer-7' })) === BLOCKED);
  }).timeout(20_000);

  describe('of the MCP proxy', () => {
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'Done.' } });
    const mcp = (method: string, id: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${service.app.mcpPort ?? 0}/mcp`, {
        ...{ method, ...(method === 'POST' && { body: note }) },
        headers: { authorization: `Bearer ${TOKEN}`, 'x-litellm-customer-id': id, 'content-type': 'application/json' },
      });
    const statuses = async (id: string): Promise<number[]> => {
      service.script((response) => response.writeHead(202).end());
      const statuses: number[] = [];
      for (const method of ['POST', 'GET', 'DELETE']) statuses.push((await mcp(method, id)).status);
      return statuses;
    };

    it('allows a blocked customer to end a session, and nothing else', async () => {
      await start({}, listOf('Allow'), true);
      expect(await statuses('acme')).to.deep.equal([202, 202, 202]);
      expect(await statuses('blocked')).to.deep.equal([400, 400, 202]);
    });

    it('refuses nothing in monitor mode, and counts', async () => {
      await start({ GUARDRAIL_MODE: 'monitor' }, listOf('Allow'), true);
      expect(await statuses('blocked')).to.deep.equal([202, 202, 202]);
      // Ending a session is allowed in any mode.
      expect(await service.metrics()).to.match(
        /guardrail_requests_total\{[^}]*protocol="mcp",action="MONITORED_BLOCKED"\} 2/,
      );
      const lines = service.logs.filter((line) => line.includes('"route":"mcp"'));
      expect(lines.map((line) => (JSON.parse(line) as { monitored?: string }).monitored)).to.deep.equal([
        ...['BLOCKED', 'BLOCKED'],
        undefined,
      ]);
    });

    it('ends the stream of a customer who is blocked meanwhile', async () => {
      await start({}, listOf('Allow'), true);
      let write = (): void => undefined;
      service.script((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        write = () => void response.write(`data: ${note}\n\n`);
        write();
      });
      const stream = (await mcp('GET', 'acme')).body?.getReader();
      const read = async (): Promise<string> => Buffer.from((await stream?.read())?.value ?? []).toString();
      expect(await read()).to.equal(`data: ${note}\n\n`);
      volume.write(listOf('Allow', [{ customer: customer('acme'), blocked: true }]));
      await eventually(async () => (await callback({ user_api_key_end_user_id: 'acme' })) === BLOCKED);
      write();
      const last = await read();
      expect(last).to.include('guardrail_blocked').and.not.include('Done.');
    });
  });

  it('is required: without a valid one, every call is refused until there is one', async () => {
    await start({}, []);
    expect(await callback({ user_api_key_end_user_id: 'acme' })).to.match(/^The guardrail has no valid list/);
    expect(await inline({ user: 'acme' })).to.match(/^The guardrail has no valid list/);
    expect((await service.call('GET', '/readyz')).status).to.equal(503);
    volume.write(listOf('Allow'));
    await eventually(async () => (await callback({ user_api_key_end_user_id: 'acme' })) === undefined);
    await eventually(async () => (await service.call('GET', '/readyz')).status === 200);
  });

  describe('with policies of customers', () => {
    const revision = (n: number): string => `${n}`.repeat(32);
    const policies = new Map([
      [revision(1), '{"entities":{"EMAIL_ADDRESS":"block"}}'],
      [revision(2), '{"deny":[{"value":"Zenith","type":"PROJECT"}]}'],
      [revision(3), '{"entities":{"EMAIL_ADDRESS":"ignore"},"mode":"monitor"}'],
    ]);
    const named = ['blocks', 'finds', 'ignores'].map((id, at) => ({
      customer: customer(id),
      policy: revision(at + 1),
    }));
    const list = (allowLooserPolicies: boolean): string[] =>
      writeCustomerList([...entries, ...named], { unknownCustomers: 'Allow', allowLooserPolicies, policies });
    const text = `Zenith: write to ${PLANTED.email}.`;

    /** What happens to {@link text}: what the model receives, in words. */
    const outcomeOf = (received: string | undefined): string => {
      if (received === undefined) return 'blocked';
      const hidden = [
        received.includes(PLANTED.email) ? [] : ['email'],
        received.includes('Zenith') ? [] : ['project'],
      ].flat();
      return hidden.length === 0 ? 'unchanged' : `without ${hidden.join(' and ')}`;
    };
    const callback = async (endUser: string | undefined): Promise<string> => {
      const request_data = endUser === undefined ? {} : { user_api_key_end_user_id: endUser };
      const { body } = await service.guard({ input_type: 'request', texts: [text], request_data });
      const { action, texts } = body as { action: string; texts?: string[] };
      return outcomeOf(action === 'BLOCKED' ? undefined : (texts?.[0] ?? text));
    };
    const inline = async (endUser: string | undefined, headers: Record<string, string> = {}): Promise<string> => {
      const before = service.received.length;
      await service.chat(text, endUser === undefined ? {} : { user: endUser }, { headers });
      return outcomeOf(service.received.length === before ? undefined : service.received.at(-1)?.body);
    };

    const outcomes: readonly (readonly [endUser: string | undefined, stricter: string, any: string])[] = [
      [undefined, 'without email', 'without email'],
      ['acme', 'without email', 'without email'],
      ['stranger', 'without email', 'without email'],
      ['blocks', 'blocked', 'blocked'],
      ['finds', 'without email and project', 'without email and project'],
      ['ignores', 'without email', 'unchanged'],
    ];
    for (const isLooser of [false, true]) {
      it(`gives one prompt another outcome for each customer${isLooser ? ', also a less strict one' : ''}`, async () => {
        await start({}, list(isLooser));
        for (const [endUser, stricter, any] of outcomes) {
          const expected = isLooser ? any : stricter;
          expect(await callback(endUser), `callback ${endUser}`).to.equal(expected);
          expect(await inline(endUser), `inline ${endUser}`).to.equal(expected);
        }
        const other = { 'x-litellm-end-user-id': 'ignores' };
        expect(await inline('finds', other)).to.equal('without email and project');
        expect(await inline('stranger', other)).to.equal('without email');
      });
    }

    it('restores the values that they find', async () => {
      await start({}, list(false));
      const request_data = { user_api_key_end_user_id: 'finds' };
      const { body: sent } = await service.guard({ input_type: 'request', texts: ['Zenith'], request_data });
      const { texts = [] } = sent as { texts?: string[] };
      expect(texts[0]).to.match(/^<PROJECT_/);
      const { body } = await service.guard({ input_type: 'response', texts, request_data });
      expect(body).to.have.property('texts').that.deep.equals(['Zenith']);
    });

    it('enforces a policy of a customer where others are only watched, also if the check fails', async () => {
      const watched = writeCustomerList([{ customer: customer('strict'), policy: revision(1) }], {
        unknownCustomers: 'Allow',
        policies: new Map([[revision(1), '{"mode":"enforce"}']]),
      });
      await start({ GUARDRAIL_MODE: 'monitor' }, watched);
      expect([await callback('acme'), await inline('acme')]).to.deep.equal(['unchanged', 'unchanged']);
      expect([await callback('strict'), await inline('strict')]).to.deep.equal(['without email', 'without email']);
      // A gateway may read another customer in a body that is not valid JSON.
      const response = await fetch(`${service.proxyUrl}/v1/chat/completions`, {
        ...{ method: 'POST', body: '{"user":"acme","messages":[],"a":NaN}' },
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      });
      expect(response.status).to.equal(400);
    });

    it('changes nothing for calls of others while a list has a policy that cannot be read', async () => {
      await start({}, list(false));
      const broken = new Map([[revision(9), '{"entities":{"EMAIL_ADDRESS":"hide"}}']]);
      const entry = { customer: customer('blocks'), policy: revision(9) };
      volume.write(writeCustomerList([entry], { unknownCustomers: 'Block', policies: broken }));
      await eventually(async () => (await service.metrics()).includes('guardrail_customer_list_errors_total 1'));
      expect([await callback('blocks'), await callback('stranger')]).to.deep.equal(['blocked', 'without email']);
      expect(service.logs.join('')).to.include('which this version of the guardrail cannot read');
    });
  });

  it('is reported to admins', async () => {
    await start({ GUARDRAIL_API_KEYS: `litellm:${KEY},other:key-of-another` });
    const { body } = await service.call('GET', '/configuration');
    const { customer_list: list } = body as { customer_list: { revision: string; customers: number } };
    expect(list.customers).to.equal(entries.length);
    expect(list.revision).to.match(/^[0-9a-f]{32}$/);
    const refused = await service.call('GET', '/configuration', undefined, {
      headers: { 'x-api-key': 'key-of-another' },
    });
    expect(refused.status).to.equal(403);
    expect(await service.metrics()).to.include(`guardrail_customers ${entries.length}`);
    expect(service.logs.join('')).not.to.include(PLANTED.endUser);
  });
});
