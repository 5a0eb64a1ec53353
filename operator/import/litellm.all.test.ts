/** The command `import` at a real LiteLLM with its database. Needs LITELLM_LAB and PostgreSQL. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { budgets } from '../api/kinds.ts';
import { startLitellmOperator, type LitellmOperator } from '../customer/testing/litellmOperator.ts';
import { eventually } from '../customer/testing/testOperator.ts';
import type { Manifest } from './plan.ts';

describe('import from a real LiteLLM', function () {
  this.timeout(180_000);
  const cluster = withControlPlane();
  let started: LitellmOperator;

  before(async function () {
    this.timeout(300_000);
    started = await startLitellmOperator(cluster());
  });
  after(() => started.stop());

  async function admin(path: string, body?: object): Promise<unknown> {
    const { url, masterKey } = started.litellm;
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    expect(response.status, JSON.stringify(answer)).to.equal(200);
    return answer;
  }

  /** All records, in a fixed order. */
  async function records(): Promise<unknown[]> {
    const rows = [await admin('/customer/list'), await admin('/budget/list')].flat() as Record<string, unknown>[];
    return rows.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }

  async function imported(...args: string[]): Promise<{ readonly manifests: Manifest[]; readonly stderr: string }> {
    const main = new URL('../main.ts', import.meta.url).pathname;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [main, 'import', `--instance=${started.user.namespace}/main`, ...args],
      { env: { PATH: process.env.PATH, KUBECONFIG: cluster().kubeconfig } },
    );
    const manifests = parseAllDocuments(stdout, { version: '1.1' }).map((document) => document.toJS() as Manifest);
    return { manifests, stderr };
  }

  it('changes nothing at the gateway, whether the resources observe or manage', async () => {
    const { user, litellm } = started;
    await admin('/budget/new', { budget_id: 'gold', max_budget: 100, budget_duration: '30d', rpm_limit: 600 });
    await admin('/budget/new', { budget_id: 'Unused tier', soft_budget: 1, max_parallel_requests: 3, tpd_limit: 9 });
    await admin('/customer/new', { user_id: 'tier-1', alias: 'One', budget_id: 'gold', models: ['fast'] });
    await admin('/customer/new', { user_id: 'tier-2', budget_id: 'gold', blocked: true, default_model: 'fast' });
    await admin('/customer/new', { user_id: 'Own Limits ü', max_budget: 5, budget_duration: '7d', tpm_limit: 1000 });
    await admin('/customer/new', { user_id: 'region', allowed_model_region: 'eu' });
    await admin('/customer/new', { user_id: 'tools', object_permission: { mcp_servers: ['m'], vector_stores: ['v'] } });
    expect((await litellm.chat('implicit')).status).to.equal(200);
    await eventually(async () => {
      expect(JSON.stringify(await admin('/customer/list'))).to.contain('implicit');
    });
    const before = await eventually(async () => {
      const [first, second] = [await records(), await records()];
      expect(first).to.deep.equal(second);
      return second;
    });

    const { manifests, stderr } = await imported();
    expect(stderr).to.contain('2 budgets imported').and.to.contain('6 customers imported');
    for (const policy of ['Observe', 'Manage'] as const) {
      for (const { kind, metadata, spec } of manifests) {
        const given = { ...spec, managementPolicy: policy };
        if (policy === 'Manage') {
          const plural = kind === 'GatewayBudget' ? [budgets.plural] : [];
          await user.patch(metadata.name, { spec: { managementPolicy: policy } }, ...plural);
        } else if (kind === 'GatewayBudget') await user.budget(metadata.name, given);
        else await user.customer(metadata.name, given);
      }
      const [one, tier] = policy === 'Observe' ? ['Observed', 'Observed'] : ['Adopted', 'Adopted'];
      for (const { kind, metadata } of manifests) {
        if (kind === 'GatewayBudget') await user.untilBudgetReason(metadata.name, tier);
        else await user.untilReason(metadata.name, one);
      }
      expect(await records()).to.deep.equal(before);
    }
    expect((await imported()).stderr)
      .to.contain('6 skipped')
      .and.to.contain('0 customers imported');

    await user.patch('tier-1', { spec: { alias: 'Uno' } });
    await user.untilReason('tier-1', 'Updated');
    expect(await started.admin.customerInfo('tier-1')).to.include({ alias: 'Uno', budget_id: 'gold' });
    // Imported resources leave the record behind when they are deleted.
    await user.delete('tier-2');
    await user.untilGone('tier-2');
    expect(await started.admin.customerInfo('tier-2')).to.include({ blocked: true, budget_id: 'gold' });
  });
});
