/** The sync with a gateway that has only the four customer calls. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import type { GatewayCustomerSpec } from '../api/v1alpha1/v1alpha1.ts';
import { Run } from '../external/adapter.ts';
import { syncRecord } from '../external/reconcile.ts';
import { GatewayClients } from '../gateway/gateway.ts';
import { CustomerAdapter } from './adapter.ts';
import { conditionOf } from './status.ts';
import { connectionOf, customerOf, memoryDependencies } from './testing/testDependencies.ts';

type Row = Record<string, unknown>;

/** A gateway that stores each given field; null clears it. */
async function startPlainGateway(
  ignored: readonly string[] = [],
): Promise<{ url: string; rows: Map<string, Row>; calls: string[]; stop: () => Promise<void> }> {
  const rows = new Map<string, Row>();
  const calls: string[] = [];
  const blank: Row = Object.fromEntries(
    ['alias', 'max_budget', 'budget_duration', 'budget_id', 'tpm_limit', 'rpm_limit', 'default_model', 'metadata']
      .concat(['allowed_model_region', 'object_permission'])
      .map((field) => [field, null]),
  );
  const server = createServer((incoming, outgoing) => {
    void textOf(incoming).then((text) => {
      const url = new URL(incoming.url ?? '', 'http://gateway');
      calls.push(`${incoming.method ?? ''} ${url.pathname}`);
      const body = (text === '' ? {} : JSON.parse(text)) as Row;
      const given = Object.fromEntries(Object.entries(body).filter(([field]) => !ignored.includes(field)));
      const id = String(body.user_id ?? url.searchParams.get('end_user_id') ?? [body.user_ids].flat()[0]);
      const row = rows.get(id);
      const answer = (status: number, json: unknown): void => {
        outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
      };
      if (url.pathname === '/customer/new' && row === undefined)
        rows.set(id, { ...blank, blocked: false, models: [], spend: 0, ...given });
      else if (url.pathname === '/customer/update' && row !== undefined) rows.set(id, { ...row, ...given });
      else if (url.pathname === '/customer/delete' && row !== undefined) rows.delete(id);
      else if (!url.pathname.startsWith('/customer/')) {
        answer(404, { detail: 'Not Found' });
        return;
      } else if (row === undefined) {
        answer(404, { error: { message: 'no such customer', type: 'not_found', param: 'user_id', code: '404' } });
        return;
      }
      answer(200, rows.get(id) ?? {});
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rows,
    calls,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('sync with a gateway that has only the four calls', () => {
  async function withGateway(
    ignored: readonly string[],
    test: (
      gateway: Awaited<ReturnType<typeof startPlainGateway>>,
      bring: (spec: Partial<GatewayCustomerSpec>) => Promise<string>,
      stored: ReturnType<typeof storedOf>,
    ) => Promise<void>,
  ): Promise<void> {
    const gateway = await startPlainGateway(ignored);
    const clients = new GatewayClients();
    const stored = storedOf();
    const dependencies = memoryDependencies(clients, stored);
    const connection = connectionOf(gateway.url, 'sk-x');
    const bring = async (spec: Partial<GatewayCustomerSpec>): Promise<string> => {
      const { spec: next } = customerOf({ customerId: 'c', ...spec });
      stored.customer = {
        ...stored.customer,
        spec: next,
        metadata: { ...stored.customer.metadata, generation: stored.customer.metadata.generation + 1 },
      };
      const adapter = new CustomerAdapter(dependencies);
      const run = new Run(dependencies, adapter, stored.customer);
      const { signal } = new AbortController();
      await run.report(await run.sync(connection, signal, (sync) => syncRecord(dependencies, adapter, sync)));
      return conditionOf(stored.customer, 'Synced')?.reason ?? '';
    };
    try {
      await test(gateway, bring, stored);
    } finally {
      await clients.close();
      await gateway.stop();
    }
  }
  const storedOf = (): { customer: ReturnType<typeof customerOf> } => ({ customer: customerOf({ customerId: 'c' }) });

  it('sends all fields in /customer/new and /customer/update, and clears by null', async () => {
    await withGateway([], async (gateway, bring, stored) => {
      const full: Partial<GatewayCustomerSpec> = {
        alias: 'A',
        maxBudget: 5,
        budgetDuration: '30d',
        tpmLimit: 10,
        rpmLimit: 2,
        models: ['m'],
        defaultModel: 'm',
        allowedModelRegion: 'eu',
        blocked: true,
        objectPermission: { mcpServers: ['s'] },
        metadata: { plan: 'gold' },
      };
      expect(await bring(full)).to.equal('Created');
      expect(gateway.rows.get('c')).to.deep.include({
        alias: 'A',
        max_budget: 5,
        budget_duration: '30d',
        tpm_limit: 10,
        rpm_limit: 2,
        models: ['m'],
        default_model: 'm',
        allowed_model_region: 'eu',
        blocked: true,
        object_permission: { mcp_servers: ['s'] },
        metadata: { plan: 'gold' },
      });
      expect(conditionOf(stored.customer, 'FullyApplied')?.status).to.equal('True');
      expect(await bring({ ...full, maxBudget: 6, tpmLimit: 11, metadata: { plan: 'silver' } })).to.equal('Updated');
      expect(gateway.rows.get('c')).to.deep.include({ max_budget: 6, tpm_limit: 11, metadata: { plan: 'silver' } });
      expect(await bring({ budgetId: 'tier' })).to.equal('Updated');
      expect(gateway.rows.get('c')).to.deep.include({
        alias: '',
        budget_id: 'tier',
        max_budget: null,
        budget_duration: null,
        tpm_limit: null,
        models: [],
        allowed_model_region: null,
        blocked: false,
        metadata: {},
      });
      expect(await bring({ maxBudget: 1 })).to.equal('Updated');
      expect(gateway.rows.get('c')).to.deep.include({ budget_id: null, max_budget: 1 });
      expect(stored.customer.status?.appliedFields).to.deep.equal(['maxBudget']);
      expect(gateway.calls.filter((call) => call.includes('/budget/'))).to.deep.equal(['POST /budget/info']);
    });
  });

  it('reports NotConverged for a field that the gateway reports otherwise', async () => {
    await withGateway(['tpm_limit'], async (_gateway, bring, stored) => {
      expect(await bring({ alias: 'A', tpmLimit: 10 })).to.equal('NotConverged');
      expect(conditionOf(stored.customer, 'Synced')?.message).to.contain('tpmLimit').and.not.to.contain('alias');
      expect(await bring({ alias: 'A' })).to.equal('Updated');
    });
  });

  it('observes once and writes nothing if nothing has changed', async () => {
    await withGateway([], async (gateway, bring) => {
      await bring({ alias: 'A', maxBudget: 5 });
      gateway.calls.length = 0;
      expect(await bring({ alias: 'A', maxBudget: 5 })).to.equal('Created');
      expect(gateway.calls).to.deep.equal(['GET /customer/info']);
    });
  });
});
