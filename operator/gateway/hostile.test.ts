/** Misleading responses of proxies, wrong paths and faulty gateways, for every call. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import fc from 'fast-check';
import { GatewayClient } from './client.ts';
import type { GatewayErrorKind } from './errors.ts';
import { GatewayError, isGatewayError } from './errors.ts';
import { RateLimiter } from './rateLimit.ts';

interface CannedResponse {
  readonly status: number;
  readonly body: string;
}
/** How the gateway reports a missing customer: as LiteLLM, without the id, or with it in a form that looks like a secret. */
type Dialect = 'litellm' | 'plain' | 'keyed';

const id = 'c-1';
const controlPath = '/customer/info/gcust-no-such-path';
const rateLimit = { qps: 100_000, burst: 100_000, maxConcurrent: 8 };
const json = (status: number, body: unknown): CannedResponse => ({ status, body: JSON.stringify(body) });
const liteLlmNotFound = (param: string, message: string): CannedResponse =>
  json(404, { error: { message, type: 'not_found', param, code: '404' } });

const noSuchPath = json(404, { message: 'no such path' });

/** Responses that say nothing about the customer, although they look like it. */
const hostile: Readonly<Record<string, CannedResponse>> = {
  'an API gateway without a route': json(404, { message: 'no Route matched with those values' }),
  'an API gateway with an id of the request': json(404, { message: 'no Route matched', request_id: '5f1c' }),
  'an empty 404': { status: 404, body: '' },
  'an empty object': json(404, {}),
  'a cluster': json(404, { kind: 'Status', status: 'Failure', message: 'the server could not find it', code: 404 }),
  'a framework': json(404, { detail: 'Not Found' }),
  'another framework': json(404, {
    message: 'Route GET:/customer/info not found',
    error: 'Not Found',
    statusCode: 404,
  }),
  'a page': { status: 404, body: '<html><title>404 Not Found</title></html>' },
  'a text': { status: 404, body: '404 page not found\n' },
  'LiteLLM about another customer': liteLlmNotFound('end_user_id', 'End User Id=c-3 does not exist in db'),
  'LiteLLM about a model': liteLlmNotFound('model', `Model=${id} does not exist`),
  'an error with 200': json(200, { error: { message: 'quota exceeded', type: 'x' } }),
  'an error as a text with 200': json(200, { error: 'not allowed' }),
  'a detail with 200': json(200, { detail: 'Not Found' }),
  'an object with 200': json(200, { status: 'ok' }),
  'an empty 200': { status: 200, body: '' },
  'null with 200': { status: 200, body: 'null' },
  'a list with 200': { status: 200, body: '[]' },
  'a page with 200': { status: 200, body: '<html>welcome</html>' },
  'another customer with 200': json(200, { user_id: 'c-2', budget_id: 'b-2', litellm_budget_table: null }),
  'a deletion of nobody': json(200, { deleted_customers: 0, message: 'ok' }),
  'an address that is not allowed': json(403, { detail: 'Access forbidden: IP address 10.0.0.1 not allowed.' }),
};

/** A gateway with customers and budgets, behind a proxy that may respond in its place. */
class HostileGateway {
  readonly customers = new Set<string>();
  readonly budgets = new Set<string>();
  readonly calls: string[] = [];
  dialect: Dialect = 'litellm';
  /** The response in place of the gateway's. The gateway does not receive the call. */
  instead: (path: string) => CannedResponse | undefined = () => undefined;
  readonly #server = createServer((incoming, outgoing) => {
    void textOf(incoming).then((text) => {
      const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://gateway');
      this.calls.push(pathname);
      const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
      const customer = String(body.user_id ?? searchParams.get('end_user_id') ?? [body.user_ids].flat()[0]);
      const said = this.instead(pathname) ?? this.#answer(pathname, customer, body);
      outgoing.writeHead(said.status, { 'content-type': 'application/json' }).end(said.body);
    });
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(path: string, customer: string, body: Record<string, unknown>): CannedResponse {
    if (path === controlPath) return noSuchPath;
    if (path.startsWith('/budget/')) return this.#budget(path, body);
    const there = this.customers.has(customer);
    if (path === '/customer/new') {
      this.customers.add(customer);
      return json(200, this.#row(customer));
    }
    if (!there) {
      return this.#missing(path, customer);
    }
    if (path !== '/customer/delete') return json(200, this.#row(customer));
    this.customers.delete(customer);
    return json(200, this.dialect === 'litellm' ? { deleted_customers: 1, message: 'Successfully deleted' } : {});
  }

  #missing(path: string, customer: string): CannedResponse {
    if (this.dialect === 'litellm') return liteLlmNotFound('user_id', `End User Id=${customer} does not exist in db`);
    if (this.dialect === 'keyed') return json(404, { error: { message: `key=${customer}`, type: 'missing' } });
    return json(404, { title: `nothing here at ${path}` });
  }

  #row(user_id: string): object {
    return this.dialect === 'litellm' ? { user_id, litellm_budget_table: null } : { user_id };
  }

  #budget(path: string, body: Record<string, unknown>): CannedResponse {
    const budget = String(body.id ?? body.budget_id);
    if (path === '/budget/info') {
      return json(
        200,
        [...this.budgets].map((budget_id) => ({ budget_id })),
      );
    }
    const there = this.budgets.has(budget);
    if (path === '/budget/new') this.budgets.add(budget);
    if (path === '/budget/delete') this.budgets.delete(budget);
    return json(200, there || path === '/budget/new' ? { budget_id: budget } : null);
  }
}

describe('hostile gateway', () => {
  const gateway = new HostileGateway();
  let client: GatewayClient;
  let endpoint: string;

  before(async () => {
    endpoint = await gateway.start();
  });
  after(() => gateway.stop());
  beforeEach(() => {
    client = fresh();
    gateway.dialect = 'litellm';
    reset();
  });
  const opened: GatewayClient[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });

  function fresh(): GatewayClient {
    const instance = { namespace: 'default', name: 'main', uid: 'instance-1' };
    const target = { instance, endpoint, masterKey: 'sk-x', ca: undefined, rateLimit };
    const made = new GatewayClient(target, new RateLimiter(rateLimit));
    opened.push(made);
    return made;
  }

  function reset(): void {
    gateway.instead = () => undefined;
    gateway.calls.length = 0;
    for (const set of [gateway.customers, gateway.budgets]) set.clear();
    for (const customer of [id, 'c-2']) gateway.customers.add(customer);
    for (const budget of ['b-1', 'b-2']) gateway.budgets.add(budget);
  }

  /** Deletes the customer as reconciles do: each looks it up first, and is repeated until the customer is missing. */
  async function deleteAsReconciled(one: GatewayClient): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if ((await one.customerInfo(id)) !== undefined) await one.customerDelete(id);
        return;
      } catch (error) {
        if (attempt === 6) throw error;
      }
    }
  }

  async function kindOf(call: Promise<unknown>): Promise<GatewayErrorKind | 'done'> {
    try {
      await call;
      return 'done';
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      expect(error.message).to.match(/^[A-Z].*\.$/);
      return error.kind;
    }
  }

  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    '/customer/info': () => client.customerInfo(id),
    '/customer/delete': () => client.customerDelete(id),
    '/budget/info': () => client.budgetInfo(['b-1']),
    '/budget/delete': () => client.budgetDelete('b-1'),
  };
  /** Responses that are correct for these calls if nothing exists. */
  const truth = ['/budget/info a list with 200', '/budget/delete null with 200'];
  for (const dialect of ['litellm', 'plain'] as const) {
    for (const [what, said] of Object.entries(hostile)) {
      it(`does not accept ${what} as the response of a ${dialect} gateway`, async () => {
        gateway.dialect = dialect;
        for (const [path, ask] of Object.entries(questions)) {
          if (truth.includes(`${path} ${what}`)) continue;
          for (const [known, everywhere] of [
            [false, false],
            [true, false],
            [false, true],
            [true, true],
          ]) {
            reset();
            client = fresh();
            if (known === true) await client.customerInfo('c-2');
            gateway.instead = (asked) => (everywhere === true || asked.startsWith(path) ? said : undefined);
            for (const when of ['at first', 'later']) {
              expect(await kindOf(ask()), `${path}, known: ${known}, ${when}`).not.to.be.oneOf(['done', 'notFound']);
            }
          }
        }
      });
    }
  }

  const unwritten = Object.entries(hostile).filter(
    ([what]) => !['an object with 200', 'an empty 200', 'a deletion of nobody'].includes(what),
  );
  for (const [what, said] of unwritten) {
    it(`does not accept ${what} as a successful write`, async () => {
      gateway.instead = () => said;
      const writes = [
        client.customerNew({ user_id: id }),
        client.customerUpdate({ user_id: id }),
        client.budgetNew({ budget_id: 'b-1' }),
      ];
      for (const write of writes) expect(await kindOf(write)).not.to.be.oneOf(['done', 'notFound', 'alreadyExists']);
    });
  }

  it('reports a 404 with the remedy, and does not quote another server', async () => {
    gateway.instead = () => hostile['an API gateway without a route'];
    const error: unknown = await client.customerNew({ user_id: id }).catch((thrown: unknown) => thrown);
    expect((error as GatewayError).message).to.equal(
      "The gateway returned 404 for POST /customer/new. Check that spec.endpoint of the instance is the URL of the gateway's admin API.",
    );
  });

  it('does not blame the key for a forbidden address, and explains it', async () => {
    gateway.instead = () => hostile['an address that is not allowed'];
    const error: unknown = await client.customerInfo(id).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(GatewayError).and.to.include({ kind: 'terminal', status: 403 });
    expect((error as GatewayError).message).to.contain("The gateway does not accept the operator's IP address: add it");
  });

  it('ignores budgets that were not requested', async () => {
    gateway.instead = (path) => (path === '/budget/info' ? json(200, [{ budget_id: 'b-2' }]) : undefined);
    expect(await client.budgetInfo(['b-1'])).to.deep.equal([]);
  });

  for (const dialect of ['plain', 'keyed'] as const) {
    it(`confirms a missing customer of a ${dialect} gateway by three calls`, async () => {
      gateway.dialect = dialect;
      expect(await client.customerInfo('nobody')).to.equal(undefined);
      expect(gateway.calls).to.deep.equal(['/customer/info', controlPath, '/customer/info']);
      // The only customer is deleted, and the deletion confirmed.
      gateway.customers.delete('c-2');
      expect(await kindOf(client.customerDelete(id))).to.equal('done');
      expect(gateway.customers.size).to.equal(0);
      expect(await client.customerInfo(id)).to.equal(undefined);
    });
  }

  it('confirms nothing by two different responses, or if the customer is served again', async () => {
    gateway.dialect = 'plain';
    let count = 0;
    gateway.instead = (path) =>
      path === '/customer/info' ? json(404, { error: { message: `attempt ${count++}` } }) : undefined;
    const calls = 5;
    for (let at = 0; at < calls; at += 1) expect(await kindOf(client.customerInfo('nobody'))).to.equal('unconfirmed');
    expect(gateway.calls).to.have.length(3 * calls);
    gateway.instead = (path) => (path === '/customer/info' && count++ === 2 * calls ? json(404, {}) : undefined);
    expect(await client.customerInfo(id)).to.include({ user_id: id });
  });

  it('says what is missing if a 404 changes, and if the same 404 is returned for any path', async () => {
    gateway.dialect = 'plain';
    const messageOf = async (): Promise<string> =>
      await client.customerInfo('nobody').then(
        () => 'confirmed',
        (error: unknown) => (error as GatewayError).message,
      );
    let count = 0;
    gateway.instead = (path) => (path === '/customer/info' ? json(404, { error: `attempt ${count++}` }) : undefined);
    expect(await messageOf()).to.contain('This does not show that the customer is missing');
    gateway.instead = () => hostile['an API gateway without a route'];
    const message = await messageOf();
    expect(message).to.contain('It returns the same for a path that does not exist.');
    expect(message).to.contain('Check that spec.endpoint of the instance');
    // A control call that fails shows nothing either.
    gateway.instead = (path) => (path === controlPath ? { status: 502, body: '' } : undefined);
    expect(await messageOf()).to.contain('502');
    gateway.instead = () => undefined;
    expect(await messageOf()).to.equal('confirmed');
  });

  it('makes no extra call at LiteLLM', async () => {
    await client.customerInfo('nobody');
    gateway.calls.length = 0;
    await client.customerDelete(id);
    expect(await kindOf(client.customerDelete(id))).to.equal('notFound');
    expect(gateway.calls).to.deep.equal(['/customer/delete', '/customer/delete']);
  });

  it('reports a customer as deleted only if it is, with any response during an outage', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Dialect>('litellm', 'plain', 'keyed'),
        fc.constantFrom(...Object.values(hostile)),
        fc.record({
          from: fc.nat(8),
          length: fc.nat(8),
          learned: fc.boolean(),
          paths: fc.constantFrom('all', 'info', 'delete'),
        }),
        async (dialect, said, { from, length, learned, paths }) => {
          reset();
          gateway.dialect = dialect;
          const one = fresh();
          if (learned) await one.customerInfo('c-2');
          gateway.calls.length = 0;
          gateway.instead = (path) => {
            const at = gateway.calls.length - 1;
            const hit = paths === 'all' || path.includes(paths);
            return hit && at >= from && at < from + length ? said : undefined;
          };
          const outcome = await kindOf(deleteAsReconciled(one));
          if (outcome === 'done' || outcome === 'notFound') expect(gateway.customers.has(id)).to.equal(false);
          const budget = await kindOf(one.budgetDelete('b-1'));
          // LiteLLM returns null for a missing budget.
          if (budget === 'done' && said.body !== 'null') expect(gateway.budgets.has('b-1')).to.equal(false);
          // After the outage, the deletion succeeds.
          gateway.instead = () => undefined;
          if (gateway.customers.has(id)) expect(await kindOf(deleteAsReconciled(one))).to.equal('done');
        },
      ),
      { numRuns: 300 },
    );
  });
});
