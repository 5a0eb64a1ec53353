import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { GatewayCustomer, GatewayCustomerStatus, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { keyText } from '../runtime/runtime.ts';
import { registerCustomerGauges } from './metrics.ts';
import { BudgetAmounts } from './spending.ts';
import { customerOf, syncedCondition } from './testing/testDependencies.ts';

const optedIn = instanceOf({ metrics: { perCustomer: true } }, 'main');
const silent = instanceOf({}, 'silent');

function customer(
  name: string,
  status: GatewayCustomerStatus = {},
  { gateway = 'main', namespace = optedIn.metadata.namespace, maxBudget = 20 } = {},
): GatewayCustomer {
  const instanceRef = { name: gateway, namespace: optedIn.metadata.namespace };
  const one = customerOf({ instanceRef, customerId: `id-${name}@example.org`, alias: 'Alias', maxBudget }, name);
  return { ...one, metadata: { ...one.metadata, name, namespace }, status };
}

describe('the metrics of each customer', () => {
  let state: {
    leads: boolean;
    synced: boolean;
    instances: readonly GatewayInstance[];
    customers: readonly GatewayCustomer[];
    budgetReads: number;
  };
  let registry: Registry;

  beforeEach(() => {
    state = { leads: true, synced: true, instances: [optedIn, silent], customers: [], budgetReads: 0 };
    registry = new Registry();
    registerCustomerGauges(registry, {
      isLeading: () => state.leads,
      isSynced: () => state.synced,
      instances: () => state.instances,
      customersOf: (instance) => state.customers.filter((one) => keyText(instanceKeyOf(one)) === instance),
      budgetAmounts: () => {
        state.budgetReads += 1;
        return new BudgetAmounts([]);
      },
    });
  });

  /** The exported series, without the common prefix of their names and without the labels of the gateway. */
  async function series(): Promise<string[]> {
    const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return lines.map((line) =>
      line
        .replace('gateway_guardrail_operator_customer_', '')
        .replace(`,gateway_namespace="${optedIn.metadata.namespace}",gateway="main"`, '')
        .replace(`customer_namespace="${optedIn.metadata.namespace}",`, ''),
    );
  }

  it('are the amounts, the block and the conditions, by the names of the resources alone', async () => {
    state.customers = [
      customer('acme', { currentSpend: 18, blocked: false, conditions: [syncedCondition('UpToDate', 'True')] }),
    ];
    expect(await series()).to.have.members([
      'spend_usd{customer="acme"} 18',
      'max_budget_usd{customer="acme"} 20',
      'budget_used_ratio{customer="acme"} 0.9',
      'blocked{customer="acme"} 0',
      'condition{customer="acme",type="Synced",status="True",reason="UpToDate"} 1',
      'condition{customer="acme",type="FullyApplied",status="Unknown",reason="NotSynced"} 1',
    ]);
  });

  it('of a customer without a status say that it is not synced', async () => {
    state.customers = [customer('new')];
    expect(await series()).to.have.members([
      'max_budget_usd{customer="new"} 20',
      'condition{customer="new",type="Synced",status="Unknown",reason="NotSynced"} 1',
      'condition{customer="new",type="FullyApplied",status="Unknown",reason="NotSynced"} 1',
    ]);
  });

  it('change with the customer, so that an earlier condition does not remain', async () => {
    state.customers = [customer('acme', { blocked: false, conditions: [syncedCondition('UpToDate', 'True')] })];
    await series();
    state.customers = [customer('acme', { blocked: true, conditions: [syncedCondition('Conflict')] })];
    const after = await series();
    expect(after).to.include('blocked{customer="acme"} 1');
    expect(after.filter((line) => line.includes('type="Synced"'))).to.deep.equal([
      'condition{customer="acme",type="Synced",status="False",reason="Conflict"} 1',
    ]);
  });

  const endings: readonly (readonly [what: string, end: () => void])[] = [
    ['the customer is deleted', () => (state.customers = [])],
    [
      'it belongs to an instance that does not ask for them',
      () => (state.customers = [customer('acme', {}, { gateway: 'silent' })]),
    ],
    [
      'the instance does not ask any more',
      () => (state.instances = [{ ...optedIn, spec: { ...optedIn.spec, metrics: {} } }]),
    ],
    ['the instance is deleted', () => (state.instances = [])],
    [
      'the instance does not allow the namespace',
      () => (state.customers = [customer('acme', {}, { namespace: 'elsewhere' })]),
    ],
    ['another process leads', () => (state.leads = false)],
    ['the resources are not read yet', () => (state.synced = false)],
  ];
  for (const [what, end] of endings) {
    it(`end when ${what}`, async () => {
      state.customers = [customer('acme', { currentSpend: 1 })];
      expect(await series()).to.include('spend_usd{customer="acme"} 1');
      end();
      expect(await series()).to.deep.equal([]);
    });
  }

  it('cost nothing while no instance asks for them', async () => {
    state.instances = [silent];
    state.customers = [customer('acme', {}, { gateway: 'silent' })];
    await series();
    expect(state.budgetReads).to.equal(0);
  });

  it('of all customers read the budgets once for each metric', async () => {
    state.customers = Array.from({ length: 100 }, (_, at) => customer(`c-${at}`, { currentSpend: at }));
    expect(await series()).to.have.length(500);
    expect(state.budgetReads).to.equal(3);
  });
});
