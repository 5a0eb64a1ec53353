import { inspect } from 'node:util';
import { expect } from 'chai';
import { startDevGateway, type DevGateway } from '../../hack/harness/gateway/gateway.ts';
import { GatewayClient } from './client.ts';
import { type CallReport, type CallTimeouts, defaultTimeouts, type GatewayTarget } from './gatewayHttp.ts';
import { GatewayClients } from './clients.ts';
import type { GatewayErrorKind } from './errors.ts';
import { GatewayError } from './errors.ts';
import { listCustomers } from './listRecords.ts';
import { settle } from '../runtime/testing/testing.ts';
import { RateLimiter } from './rateLimit.ts';
import type { Fault, TestProxy } from './testing/testProxy.ts';
import { startTestProxy } from './testing/testProxy.ts';

const masterKey = 'sk-a-master-key-of-the-test';
const rateLimit = { qps: 1000, burst: 1000, maxConcurrent: 8 };
/** For a gateway that does not answer. All others answer, however busy the machine is. */
const impatient = { connect: 5_000, idle: 5_000, total: 50 };
const schemaErrors = [{ type: 'missing', loc: ['body', 'user_id'], msg: 'Field required' }];
/** Personal values of a customer, which no message may contain. */
const personal = { user_id: 'anna.smith@example.com', alias: 'Anna Smith' };

describe('gateway client', () => {
  let gateway: DevGateway;
  let proxy: TestProxy;
  let client: GatewayClient;
  const reports: CallReport[] = [];

  const targetOf = (endpoint: string): GatewayTarget => ({
    instance: { namespace: 'default', name: 'main', uid: 'instance-1' },
    endpoint,
    masterKey,
    ca: undefined,
    rateLimit,
  });

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    proxy = await startTestProxy(gateway.url);
  });
  after(async () => {
    await proxy.stop();
    await gateway.stop();
  });
  beforeEach(() => {
    client = newClient();
    proxy.fault = () => undefined;
    proxy.calls.length = 0;
    reports.length = 0;
  });
  afterEach(() => client.close());

  /** A client with a rate limit of its own: pauses in another test do not delay its calls. */
  function newClient(timeouts?: CallTimeouts): GatewayClient {
    const report = (call: CallReport): unknown => reports.push(call);
    return new GatewayClient(targetOf(proxy.url), new RateLimiter(rateLimit), { timeouts, report });
  }

  async function errorOf(call: Promise<unknown>): Promise<GatewayError> {
    const outcome: unknown = await call.then(
      () => new Error('The call should have failed.'),
      (error: unknown) => error,
    );
    if (!(outcome instanceof GatewayError)) throw outcome;
    return outcome;
  }

  it('creates, reads, updates and deletes a customer and a budget row', async () => {
    await client.budgetNew({ budget_id: 'gcust-1', max_budget: 5 });
    await client.customerNew({ user_id: 'c 1/ä?', alias: 'One', budget_id: 'gcust-1' });
    expect(await client.customerInfo('c 1/ä?')).to.include({ user_id: 'c 1/ä?', alias: 'One', budget_id: 'gcust-1' });
    await client.customerUpdate({ user_id: 'c 1/ä?', alias: 'Two' });
    expect((await client.customerInfo('c 1/ä?'))?.alias).to.equal('Two');
    expect((await client.budgetUpdate({ budget_id: 'gcust-1', max_budget: null }))?.max_budget).to.equal(null);
    expect(await client.budgetUpdate({ budget_id: 'nothing', max_budget: 1 })).to.equal(undefined);
    expect(await client.budgetInfo(['gcust-1', 'nothing'])).to.have.length(1);
    await client.customerDelete('c 1/ä?');
    await client.budgetDelete('gcust-1');
    await client.budgetDelete('gcust-1');
    expect(await client.customerInfo('c 1/ä?')).to.equal(undefined);
    expect((await errorOf(client.customerDelete('c 1/ä?'))).kind).to.equal('notFound');
  });

  it('reports a duplicate as alreadyExists and other rejections as terminal', async () => {
    await client.customerNew({ user_id: 'twice' });
    expect((await errorOf(client.customerNew({ user_id: 'twice' }))).kind).to.equal('alreadyExists');
    const unknownModel = await errorOf(client.customerNew({ user_id: 'other', default_model: 'no-such-model' }));
    expect(unknownModel.kind).to.equal('terminal');
    expect(unknownModel.message).to.contain('The gateway does not serve the model in spec.defaultModel');
  });

  it('sends a create only once, and repeats a read after a lost connection', async () => {
    let broken = 0;
    proxy.fault = () => (broken++ === 0 ? { kind: 'breakAfter' } : undefined);
    expect((await errorOf(client.customerNew({ user_id: 'once' }))).kind).to.equal('transient');
    expect(proxy.calls).to.have.length(1);
    broken = 0;
    expect(await client.customerInfo('once')).to.include({ user_id: 'once' });
  });

  const html = '<!doctype html><title>A page</title>';
  const answers: readonly { name: string; fault: Fault; kind: GatewayErrorKind; retryAfterMs?: number }[] = [
    { name: 'a broken connection', fault: { kind: 'breakBefore' }, kind: 'transient' },
    { name: 'no answer', fault: { kind: 'hang' }, kind: 'transient' },
    { name: 'a cut body', fault: { kind: 'cut' }, kind: 'transient' },
    { name: '200 with a page', fault: { kind: 'answer', status: 200, body: html }, kind: 'transient' },
    { name: '200 with null', fault: { kind: 'answer', status: 200, body: 'null' }, kind: 'transient' },
    { name: '200 with a list', fault: { kind: 'answer', status: 200, body: '[]' }, kind: 'transient' },
    { name: '302', fault: answer(302, '', { location: 'http://127.0.0.1:9/' }), kind: 'terminal' },
    { name: '400', fault: answer(400, envelope('bad', 'bad_request', 'alias')), kind: 'terminal' },
    { name: '401', fault: answer(401, envelope('no', 'auth_error', 'None')), kind: 'unauthorized' },
    { name: '403', fault: answer(403, '{}'), kind: 'unauthorized' },
    { name: '404 of a framework', fault: answer(404, '{"detail":"Not Found"}'), kind: 'terminal' },
    { name: '404 with a page', fault: answer(404, html), kind: 'terminal' },
    { name: '404 of the API', fault: answer(404, envelope('gone', 'not_found', 'user_id')), kind: 'terminal' },
    { name: '405', fault: answer(405, '{"detail":"Method Not Allowed"}'), kind: 'terminal' },
    { name: '408', fault: answer(408, ''), kind: 'transient' },
    { name: '409', fault: answer(409, '{}'), kind: 'alreadyExists' },
    { name: '422 of the API', fault: answer(422, envelope('no', 'internal_server_error', null)), kind: 'terminal' },
    { name: '422 of the schema', fault: answer(422, JSON.stringify({ detail: schemaErrors })), kind: 'terminal' },
    { name: '429', fault: answer(429, '{}', { 'retry-after': '0.05' }), kind: 'retryAfter', retryAfterMs: 50 },
    { name: '500', fault: answer(500, '{"detail":{"error":"x"}}'), kind: 'transient' },
    { name: '502 with a page', fault: answer(502, html), kind: 'transient' },
    { name: '503', fault: answer(503, ''), kind: 'transient' },
    {
      name: '503 that names a time',
      fault: answer(503, '', { 'retry-after': '0' }),
      kind: 'retryAfter',
      retryAfterMs: 0,
    },
    { name: 'an endless body', fault: answer(200, `"${'x'.repeat(2 * 1024 * 1024)}"`), kind: 'transient' },
  ];

  for (const { name, fault, kind, retryAfterMs } of answers) {
    it(`reports ${name} as ${kind}`, async () => {
      proxy.fault = () => fault;
      if (fault.kind === 'hang') {
        await client.close();
        client = newClient(impatient);
      }
      const error = await errorOf(client.customerNew({ ...personal }));
      expect(error.kind).to.equal(kind);
      expect(error.retryAfterMs).to.equal(retryAfterMs);
      expect(error.message).to.match(/^[A-Z].*\.$/);
      expect(proxy.calls).to.have.length(1);
      expect(reports).to.have.length(1);
    });
  }

  it('quotes the gateway without the key and without personal values', async () => {
    const leaks = [masterKey, ...Object.values(personal), 'Smith', 'sk-'];
    proxy.fault = () => answer(422, envelope(`No plan for ${personal.user_id}\nand more`, 'bad', null));
    const refusal = await errorOf(client.customerNew({ ...personal }));
    expect(refusal.message).to.equal('The gateway returned 422 for POST /customer/new: "No plan for …".');
    const bodies = [
      envelope(`End User Id=${personal.user_id} with key ${masterKey}`, 'not_found', personal.alias),
      JSON.stringify({
        detail: [{ type: personal.alias, loc: ['body', personal.user_id], msg: personal.alias, input: personal }],
      }),
      JSON.stringify({ detail: { error: `Budget of ${personal.user_id}` } }),
      JSON.stringify({ detail: personal.alias, error: masterKey }),
      `${personal.user_id} ${masterKey}`,
    ];
    for (const body of bodies) {
      for (const status of [200, 302, 400, 401, 404, 409, 422, 500]) {
        proxy.fault = () => answer(status, body, { location: `/${personal.user_id}` });
        const error = await errorOf(client.customerNew({ ...personal }));
        for (const leak of leaks) expect(`${error.message} ${String(error.stack)}`).not.to.contain(leak);
        expect(JSON.stringify(error)).not.to.contain('Smith');
      }
    }
  });

  it('does not reveal its key when it is printed', () => {
    expect(inspect(client, { depth: 10, showHidden: true })).not.to.contain(masterKey);
    expect(JSON.stringify(client)).not.to.contain(masterKey);
  });

  it('reuses its connections', async () => {
    const before = proxy.connections();
    for (let at = 0; at < 20; at++) await client.customerInfo('x');
    // A call may begin before the pool has taken back the connection of the previous one.
    expect(proxy.connections() - before).to.be.at.most(2);
  });

  it('keeps a replaced client usable after a key change', async () => {
    const clients = new GatewayClients();
    const old = clients.for(targetOf(proxy.url));
    expect(clients.for({ ...targetOf(proxy.url) })).to.equal(old);
    const rotated = clients.for({ ...targetOf(proxy.url), masterKey: 'sk-rotated' });
    expect(rotated).not.to.equal(old);
    expect(await old.customerInfo('x')).to.equal(undefined);
    await clients.close();
  });

  it('keeps no client, and so no key, of an instance that was deleted or replaced', async () => {
    const clients = new GatewayClients();
    const of = (name: string, uid: string): GatewayTarget => ({
      ...targetOf(proxy.url),
      instance: { namespace: 'ai', name, uid },
    });
    const [first, other] = [clients.for(of('main', 'uid-1')), clients.for(of('other', 'uid-2'))];
    // A replaced instance is dropped even if no reconcile has seen that it did not exist in between.
    clients.for(of('main', 'uid-3'));
    const again = clients.for(of('main', 'uid-1'));
    expect(again).not.to.equal(first);
    expect(clients.for(of('other', 'uid-2'))).to.equal(other);
    clients.forget({ namespace: 'ai', name: 'main' });
    clients.forget({ namespace: 'elsewhere', name: 'other' });
    expect(clients.for(of('main', 'uid-1'))).not.to.equal(again);
    expect(clients.for(of('other', 'uid-2'))).to.equal(other);
    await clients.close();
  });

  describe('record list', () => {
    const use = { maxAgeMs: 60_000, count: () => 100, includes: () => true };

    /** Looks a customer up until the list has been read. */
    async function listed(clients: GatewayClients, id: string): Promise<string> {
      for (;;) {
        const { kind } = clients.listed(targetOf(proxy.url), id, use);
        if (kind !== 'pending') return kind;
        await settle();
      }
    }

    it('is read page by page', async () => {
      // LiteLLM sends at most 100 rows a page, and does not say how many there are.
      for (const count of [0, 99, 100, 101, 250]) {
        const paged = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm', pagedLists: true });
        const admin = new GatewayClient(targetOf(paged.url), new RateLimiter(rateLimit));
        for (let at = 0; at < count; at += 1) await admin.customerNew({ user_id: `c${at}` });
        const ids: string[] = [];
        for await (const row of listCustomers(targetOf(paged.url), new AbortController().signal)) {
          ids.push(row?.user_id ?? '');
        }
        expect(ids.toSorted()).to.deep.equal(Array.from({ length: count }, (_, at) => `c${at}`).toSorted());
        await admin.close();
        await paged.stop();
      }
    });

    for (const [what, rows, pages] of [
      ['more than a page', 101, 1],
      ['as many as in a page, in another order each time', 100, 2],
    ] as const) {
      it(`has each customer once if a gateway without pages has ${what}`, async () => {
        const all = Array.from({ length: rows }, (_, at) => ({ user_id: `c${at}` }));
        proxy.fault = () => answer(200, JSON.stringify(all.reverse()));
        const ids: string[] = [];
        for await (const row of listCustomers(targetOf(proxy.url), new AbortController().signal)) {
          ids.push(row?.user_id ?? '');
        }
        expect([ids.length, new Set(ids).size, proxy.calls.length]).to.deep.equal([rows, rows, pages]);
      });
    }

    it('leaves out a customer that another one has moved to the next page', async () => {
      const page = (from: number, to: number): Fault =>
        answer(200, JSON.stringify(Array.from({ length: to - from }, (_, at) => ({ user_id: `c${from + at}` }))));
      proxy.fault = ({ path }) => (path.includes('page=1&') ? page(0, 100) : page(99, 110));
      const ids: string[] = [];
      for await (const row of listCustomers(targetOf(proxy.url), new AbortController().signal)) {
        ids.push(row?.user_id ?? '');
      }
      expect(ids).to.deep.equal(Array.from({ length: 110 }, (_, at) => `c${at}`));
    });

    it('is one reported call a page, and shows that the gateway is LiteLLM', async () => {
      await client.customerNew({ user_id: 'listed' });
      proxy.calls.length = 0;
      const seen: CallReport[] = [];
      const clients = new GatewayClients({ report: (_, call) => seen.push(call) });
      expect(await listed(clients, 'listed')).to.equal('record');
      expect(await listed(clients, 'nobody')).to.equal('unknown');
      expect(proxy.calls.map(({ path }) => path)).to.deep.equal(['/customer/list?page=1&page_size=100']);
      expect(seen.map(({ operation, code }) => `${operation} ${code}`)).to.deep.equal(['GET /customer/list 200']);
      expect(clients.for(targetOf(proxy.url)).isLiteLlm).to.equal(true);
      // A call about the customer is newer than the list.
      await clients.for(targetOf(proxy.url)).customerInfo('listed');
      expect(await listed(clients, 'listed')).to.equal('unknown');
      await clients.close();
    });

    it('has the customers of all pages', async () => {
      const paged = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm', pagedLists: true });
      const seen: CallReport[] = [];
      const clients = new GatewayClients({ report: (_, call) => seen.push(call) });
      const target = targetOf(paged.url);
      for (let at = 0; at < 101; at += 1) await clients.for(target).customerNew({ user_id: `c${100 + at}` });
      seen.length = 0;
      while (clients.listed(target, 'c100', use).kind === 'pending') await settle();
      expect(clients.listed(target, 'c200', use).kind).to.equal('record');
      expect(seen.map(({ operation }) => operation)).to.deep.equal(['GET /customer/list', 'GET /customer/list']);
      await clients.close();
      await paged.stop();
    });

    const failures: readonly (readonly [what: string, fault: Fault, code: string])[] = [
      ['never begins', { kind: 'hang' }, 'error'],
      ['is cut', { kind: 'cut' }, 'error'],
      ['is a page', answer(200, html), '200'],
      ['is no list', answer(200, '{}'), '200'],
      ['is refused', answer(404, '{"detail":"Not Found"}'), '404'],
    ];
    for (const [what, fault, code] of failures) {
      it(`is not used if it ${what}, and is not read again`, async () => {
        const seen: CallReport[] = [];
        const timeouts = fault.kind === 'hang' ? { ...impatient, total: 5 } : defaultTimeouts;
        const clients = new GatewayClients({ timeouts, report: (_, call) => seen.push(call) });
        proxy.fault = () => fault;
        expect(await listed(clients, 'listed')).to.equal('unknown');
        expect(await listed(clients, 'listed')).to.equal('unknown');
        expect(seen.map((call) => call.code)).to.deep.equal([code]);
        await clients.close();
      });
    }
  });

  describe('budget API', () => {
    const asked = (): number => proxy.calls.filter(({ path }) => path === '/budget/info').length;

    const probes: readonly { name: string; fault: Fault | undefined; has: boolean | 'unknown' }[] = [
      { name: 'a gateway that has one', fault: undefined, has: true },
      { name: '404', fault: answer(404, '{"detail":"Not Found"}'), has: false },
      { name: '404 with a page', fault: answer(404, html), has: false },
      { name: '405', fault: answer(405, ''), has: false },
      { name: '200 with a page', fault: answer(200, html), has: false },
      { name: '500', fault: answer(500, ''), has: 'unknown' },
      { name: '401', fault: answer(401, ''), has: 'unknown' },
      { name: 'no connection', fault: { kind: 'breakBefore' }, has: 'unknown' },
    ];
    for (const { name, fault, has } of probes) {
      it(`is reported as ${has === true ? 'present' : has === false ? 'absent' : 'unknown'} after ${name}`, async () => {
        const clients = new GatewayClients();
        const target = targetOf(proxy.url);
        proxy.fault = () => fault;
        const ask = (): Promise<boolean | 'unknown'> => clients.hasBudgetApi(target).catch(() => 'unknown' as const);
        expect(await Promise.all([ask(), ask(), ask()])).to.deep.equal([has, has, has]);
        expect(asked()).to.equal(1);
        proxy.fault = () => undefined;
        expect(await ask()).to.equal(has === 'unknown' ? true : has);
        expect(asked()).to.equal(has === 'unknown' ? 2 : 1);
        await clients.close();
      });
    }

    it('is probed again after an hour and after a change of the endpoint', async () => {
      let now = 0;
      const clients = new GatewayClients({ now: () => now });
      const target = targetOf(proxy.url);
      await clients.hasBudgetApi(target);
      now += 59 * 60_000;
      await clients.hasBudgetApi({ ...target, masterKey: 'sk-rotated' }).catch(() => undefined);
      expect(asked()).to.equal(1);
      now += 2 * 60_000;
      await clients.hasBudgetApi(target);
      expect(asked()).to.equal(2);
      await clients.hasBudgetApi({ ...target, endpoint: `${proxy.url}/elsewhere` }).catch(() => undefined);
      expect(proxy.calls.at(-1)?.path).to.equal('/elsewhere/budget/info');
      await clients.close();
    });
  });
});

function answer(status: number, body: string, headers?: Record<string, string>): Fault {
  return { kind: 'answer', status, body, ...(headers === undefined ? {} : { headers }) };
}

function envelope(message: string, type: string, param: string | null): string {
  return JSON.stringify({ error: { message, type, param, code: '400' } });
}
