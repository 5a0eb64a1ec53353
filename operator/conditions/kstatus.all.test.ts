/** What Flux, kpt and Argo CD make of the statuses of all kinds: the real kstatus, and the real Lua of the sample. */
import { expect } from 'chai';
import { ensureKstatus, type ObjectStatus, readStatuses } from '../../hack/harness/kstatus.ts';
import type { GatewayBudget, GatewayCustomer, GatewayInstance, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { refused } from '../budget/record.ts';
import { type BudgetOutcome, nextStatus as nextBudgetStatus } from '../budget/status.ts';
import { budgetOf } from '../budget/testing/budgets.ts';
import { ownerGone } from '../customer/succession.ts';
import { nextStatus as nextCustomerStatus, type SyncOutcome } from '../customer/status.ts';
import { customerOf } from '../customer/testing/testDependencies.ts';
import type { ConditionStates } from '../instance/readiness.ts';
import { nextStatus as nextInstanceStatus, statusWithReady } from '../instance/status.ts';
import { good, instanceOf, observed } from '../instance/testing/instances.ts';
import * as policyOutcomes from '../policy/outcomes.ts';
import { nextStatus as nextPolicyStatus } from '../policy/status.ts';
import { policyOf, userOf } from '../policy/testing/policies.ts';
import { pausedMessage } from './conditions.ts';

const now = new Date('2026-11-21T12:00:00Z');
const newStatus = { observedGeneration: -1 };

type Resource = GatewayBudget | GatewayCustomer | GatewayInstance | GuardrailPolicy;
type Row = readonly [what: string, resource: Resource, kstatus: ObjectStatus['kstatus'], health: string];

function changed<T extends Resource>(resource: T): T {
  return { ...resource, metadata: { ...resource.metadata, generation: resource.metadata.generation + 1 } };
}

/** The API server raises the generation of a resource that is deleted. */
function deleted<T extends Resource>(resource: T): T {
  const { metadata } = changed(resource);
  return { ...resource, metadata: { ...metadata, deletionTimestamp: now.toISOString() } };
}

const synced: SyncOutcome = {
  synced: true,
  reason: 'Created',
  message: 'It matches.',
  ownership: 'Owned',
  applied: {
    specHash: 'h',
    fields: ['blocked'],
    drift: { differs: [], unreported: [], uncleared: [] },
    unsupported: [],
    unenforced: [{ field: 'blocked', remedy: 'do something' }],
  },
};
const customerAfter = (outcome: SyncOutcome, before = customerOf({})): GatewayCustomer => ({
  ...before,
  status: nextCustomerStatus(before, outcome, now),
});
const customerFailed = (reason: SyncOutcome['reason']): GatewayCustomer =>
  customerAfter({ synced: false, reason, message: 'Why.' });

const paused = { synced: false, reason: 'Paused', message: pausedMessage(budgetOf()) } as const;
const tier = { specHash: 'h', fields: ['maxBudget'] } as const;
const budgetAfter = (outcome: BudgetOutcome, before = budgetOf()): GatewayBudget => ({
  ...before,
  status: nextBudgetStatus(before, outcome, 2, now),
});

const instanceAfter = (change: Partial<ConditionStates>, before = instanceOf()): GatewayInstance => ({
  ...before,
  status: nextInstanceStatus(before, { ...good, ...change }, observed, now),
});
const instanceWithReady = (
  reason: 'Paused' | 'InternalError' | 'CustomersRemain',
  message: string,
): GatewayInstance => ({
  ...instanceOf(),
  status: statusWithReady(instanceAfter({}), { status: 'False', reason, message }, observed.customers, now),
});
const fault = <Type extends keyof ConditionStates>(
  type: Type,
  reason: ConditionStates[Type]['reason'],
): Partial<ConditionStates> => ({ [type]: { status: 'False', reason, message: 'Why.' } });

const validPolicy = { valid: true, text: '{}', revision: 'r' } as const;
const policyUsers = [userOf('main', 'r')];
const policyAfter = (outcome: policyOutcomes.PolicyOutcome): GuardrailPolicy => ({
  ...policyOf(),
  status: nextPolicyStatus(policyOf(), outcome, policyUsers, now),
});

const rows: readonly Row[] = [
  ['a new customer', { ...customerOf({}), status: newStatus }, 'InProgress', 'Progressing'],
  ['a synced customer, of which not every field is enforced', customerAfter(synced), 'Current', 'Healthy'],
  ['a customer with a new spec', changed(customerAfter(synced)), 'InProgress', 'Progressing'],
  ['a customer that is deleted', deleted(customerAfter(synced)), 'Terminating', 'Progressing'],
  ['a customer without its instance', customerFailed('InstanceNotFound'), 'InProgress', 'Progressing'],
  ['a customer whose gateway is unreachable', customerFailed('GatewayUnreachable'), 'InProgress', 'Progressing'],
  ['a customer after a fault', customerFailed('InternalError'), 'InProgress', 'Progressing'],
  ['a customer of another resource', customerFailed('Conflict'), 'Failed', 'Degraded'],
  ['a customer that takes over', customerAfter(ownerGone), 'InProgress', 'Progressing'],
  ['a customer that the gateway rejects', customerFailed('GatewayRejected'), 'Failed', 'Degraded'],
  ['a paused customer', customerAfter(paused), 'InProgress', 'Suspended'],
  ['a new budget', { ...budgetOf(), status: newStatus }, 'InProgress', 'Progressing'],
  [
    'a budget in sync',
    budgetAfter({ synced: true, reason: 'UpToDate', message: 'It matches.', ownership: 'Owned', applied: tier }),
    'Current',
    'Healthy',
  ],
  [
    'a budget that is created',
    budgetAfter({ synced: false, reason: 'Creating', message: 'Why.', ownership: 'Creating', applied: tier }),
    'InProgress',
    'Progressing',
  ],
  ['a refused budget', budgetAfter(refused(budgetOf())), 'Failed', 'Degraded'],
  [
    'a budget in use',
    deleted(budgetAfter({ synced: false, reason: 'InUse', message: 'Why.' })),
    'Terminating',
    'Progressing',
  ],
  ['a paused budget', budgetAfter(paused), 'InProgress', 'Suspended'],
  ['a new policy', { ...policyOf(), status: newStatus }, 'InProgress', 'Progressing'],
  ['a policy that every pod has', policyAfter(policyOutcomes.checked(validPolicy, policyUsers)), 'Current', 'Healthy'],
  [
    'a policy that is written',
    policyAfter(policyOutcomes.checked(validPolicy, [userOf('a')])),
    'InProgress',
    'Progressing',
  ],
  [
    'a policy that pods read',
    policyAfter(policyOutcomes.checked(validPolicy, [userOf('a', undefined, 'r')])),
    'InProgress',
    'Progressing',
  ],
  [
    'an invalid policy',
    policyAfter(policyOutcomes.checked({ valid: false, reason: 'InvalidValue', message: 'Why.' }, [])),
    'Failed',
    'Degraded',
  ],
  ['a policy in use', deleted(policyAfter(policyOutcomes.inUse(policyUsers))), 'Terminating', 'Progressing'],
  ['a paused policy', policyAfter(policyOutcomes.paused(policyOf())), 'InProgress', 'Suspended'],
  ['a new instance', { ...instanceOf(), status: newStatus }, 'InProgress', 'Progressing'],
  ['an instance that is ready', instanceAfter({}), 'Current', 'Healthy'],
  ['an instance with a new spec', changed(instanceAfter({})), 'InProgress', 'Progressing'],
  ['an instance that rolls out', instanceAfter(fault('GuardrailReady', 'RollingOut')), 'InProgress', 'Progressing'],
  ['an instance without its Secret', instanceAfter(fault('Reachable', 'SecretNotFound')), 'InProgress', 'Progressing'],
  ['an instance with an invalid policy', instanceAfter(fault('GuardrailReady', 'PolicyInvalid')), 'Failed', 'Degraded'],
  ['an instance with a failed rollout', instanceAfter(fault('ProxyConfigured', 'RolloutFailed')), 'Failed', 'Degraded'],
  [
    'an instance with a default budget and no configuration',
    instanceAfter(fault('DefaultBudgetEnforced', 'ProxyConfigRequired')),
    'Failed',
    'Degraded',
  ],
  ['a paused instance', instanceWithReady('Paused', pausedMessage(instanceOf())), 'InProgress', 'Suspended'],
  ['an instance after a fault', instanceWithReady('InternalError', 'Why.'), 'InProgress', 'Progressing'],
  ['an instance with customers', deleted(instanceWithReady('CustomersRemain', 'Why.')), 'Terminating', 'Progressing'],
];

describe('the status of', () => {
  let statuses: readonly ObjectStatus[] = [];
  before(async function () {
    // The first run on a new machine builds the program.
    this.timeout(10 * 60_000);
    await ensureKstatus();
    statuses = await readStatuses(rows.map(([, resource]) => resource));
  });

  for (const [at, [what, resource, kstatus, health]] of rows.entries()) {
    it(`${what} is ${kstatus} for kstatus, and ${health} in Argo CD`, () => {
      const found = statuses[at];
      expect(found).to.deep.include({ kstatus });
      expect(found?.health.status).to.equal(health);
      expect(found?.health.message).to.match(/\.$/);
      // Of one that failed, both show why.
      if (kstatus === 'Failed') expect(found?.health.message).to.equal(found?.message);
      if (resource.metadata.deletionTimestamp === undefined && health === 'Suspended') {
        expect(found?.health.message).to.match(/Remove the annotation/);
      }
    });
  }

  it('a resource without a status would be Current for kstatus, so the CRDs have a default', async () => {
    const [bare] = await readStatuses([customerOf({})]);
    expect(bare).to.deep.include({ kstatus: 'Current' });
    expect(bare?.health.status).to.equal('Progressing');
  });
});
