/** Keys at a real LiteLLM with its database. Needs LITELLM_LAB and PostgreSQL. */
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { keys } from '../api/kinds.ts';
import { callCost, type TestLiteLlm } from '../customer/testing/litellm.ts';
import { type LitellmOperator, startLitellmOperator } from '../customer/testing/litellmOperator.ts';
import { eventually, type KubectlUser } from '../customer/testing/testOperator.ts';
import { KeyBed } from './testing/keyBed.ts';

describe('keys at a real LiteLLM', function () {
  this.timeout(180_000);
  const cluster = withControlPlane();
  const { plural } = keys;
  let litellm: TestLiteLlm;
  let user: KubectlUser;
  let started: LitellmOperator;
  const at = new KeyBed(
    () => user,
    () => started.admin,
  );

  before(async function () {
    this.timeout(300_000);
    started = await startLitellmOperator(cluster());
    ({ litellm, user } = started);
  });
  after(() => started.stop());

  const chat = async (key: string, model = 'fast'): Promise<number> => {
    const response = await fetch(`${litellm.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello.' }] }),
    });
    await response.text();
    return response.status;
  };
  const valueOf = async (name: string): Promise<string> => (await at.valueOf(name)) ?? '';

  it('have every field of the spec after creation, after a change of every field, and after its removal', async () => {
    const spec = { models: ['fast'], maxBudget: 10.5, budgetDuration: '30d', tpmLimit: 1000, rpmLimit: 60 };
    await user.key('all', { ...spec, maxParallelRequests: 4 });
    const key = await user.untilKeyReason('all', 'Created');
    const created = { max_budget: 10.5, budget_duration: '30d', tpm_limit: 1000, rpm_limit: 60 };
    expect(await at.onlyRowOf(key)).to.deep.include({ ...created, max_parallel_requests: 4, models: ['fast'] });
    const next = { models: ['gpt-4o-mini'], maxBudget: 0, budgetDuration: '7d', tpmLimit: 0, rpmLimit: 2 ** 53 - 1 };
    await user.patch('all', { spec: { ...next, maxParallelRequests: 2 ** 31 - 1 } }, plural);
    await user.untilKeyReason('all', 'Updated');
    const changed = { max_budget: 0, budget_duration: '7d', tpm_limit: 0, rpm_limit: 2 ** 53 - 1 };
    const row = await at.onlyRowOf(key);
    expect(row).to.deep.include({ ...changed, max_parallel_requests: 2 ** 31 - 1, models: ['gpt-4o-mini'] });
    const none = Object.fromEntries([...Object.keys(next), 'maxParallelRequests'].map((field) => [field, null]));
    await user.patch('all', { spec: none }, plural);
    await eventually(async () => {
      const cleared = { max_budget: null, budget_duration: null, budget_reset_at: null, max_parallel_requests: null };
      expect(await at.onlyRowOf(key)).to.deep.include({ ...cleared, tpm_limit: null, rpm_limit: null, models: [] });
    });
  });

  it('may call only their models, only up to their budget, and no admin API', async () => {
    await user.key('limits', { models: ['fast'], maxBudget: callCost / 2 });
    const key = await user.untilKeyReason('limits', 'Created');
    const value = await valueOf('limits');
    expect(await chat(value, 'gpt-4o-mini')).to.equal(403);
    expect(await chat(value)).to.equal(200);
    await eventually(async () => {
      expect(await chat(value)).to.equal(422);
    });
    // A rotation is no way to a new budget.
    await eventually(async () => {
      expect((await at.onlyRowOf(key)).spend).to.be.at.least(callCost);
    });
    await user.annotate('limits', 'rotateKey', 'now', plural);
    await user.untilKey('limits', ({ status }) => status?.liveKeys === 2);
    const next = await valueOf('limits');
    expect(next).to.not.equal(value);
    await eventually(async () => {
      expect(await chat(next)).to.equal(422);
    });
    const headers = { authorization: `Bearer ${next}`, 'content-type': 'application/json' };
    const made = await fetch(`${litellm.url}/key/generate`, { method: 'POST', headers, body: '{}' });
    expect(made.status).to.equal(401);
  });

  it('are rotated without a gap, and deleted with their resource', async () => {
    await user.key('app', { models: ['fast'] });
    const key = await user.untilKeyReason('app', 'Created');
    const first = await valueOf('app');
    expect(await chat(first)).to.equal(200);
    await user.annotate('app', 'rotateKey', 'now', plural);
    const rotated = await user.untilKey('app', ({ status }) => status?.liveKeys === 2);
    expect(rotated.status?.keyId).to.equal(key.status?.keyId);
    const second = await valueOf('app');
    expect([await chat(first), await chat(second)]).to.deep.equal([200, 200]);
    await user.patch('app', { spec: { rotationGracePeriod: '0m' } }, plural);
    await user.untilKey('app', ({ status }) => status?.liveKeys === 1);
    expect([await chat(first), await chat(second)]).to.deep.equal([401, 200]);
    await user.delete('app', plural);
    await eventually(async () => {
      expect(await user.getKey('app')).to.equal(undefined);
    });
    expect(await chat(second)).to.equal(401);
    expect(await at.rowsOf(key)).to.deep.equal([]);
  });
});
