/** The policies of customers, on a real API server: chosen by the operator, read by the guardrail's own code. */
import { expect } from 'chai';
import { createAccess } from '../../guardrail/customers/customers.ts';
import { listKey, parsePolicy } from '../../guardrail/guardrail.ts';
import {
  API_VERSION,
  type GatewayCustomer,
  type GuardrailPolicy,
  type GuardrailPolicySpec,
} from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition } from '../conditions/conditions.ts';
import { withTestbed } from '../customer/testing/testbed.ts';
import { eventually } from '../customer/testing/testOperator.ts';
import { SESSION_KEY } from './testing/enforcementBed.ts';
import { PACE, StoredList } from './testing/storedList.ts';

const NOT_AVAILABLE = 'The guardrail policy of this customer is not available: try again later.';

describe('the policy of a customer', function () {
  this.timeout(120_000);
  const bed = withTestbed(PACE);
  const list = new StoredList(bed);

  const kubectl = (args: string[], input?: string): Promise<string> =>
    bed.cluster().kubectl([...args, '-n', bed.user.namespace], input);
  const applyPolicy = async (spec: GuardrailPolicySpec, name = 'strict'): Promise<void> => {
    const policy = { apiVersion: API_VERSION, kind: 'GuardrailPolicy', metadata: { name }, spec };
    await kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(policy));
  };
  const policy = async (name = 'strict'): Promise<GuardrailPolicy> =>
    JSON.parse(await kubectl(['get', 'gpol', name, '-o', 'json'])) as GuardrailPolicy;
  const untilPolicy = async (reason: string): Promise<GuardrailPolicy> =>
    await eventually(async () => {
      const read = await policy();
      expect(currentCondition(read, 'Ready')?.reason).to.equal(reason);
      return read;
    });
  /** The policy document of a customer in the list, or why its calls are refused; undefined: it has none. */
  const listed = async (name: string): Promise<unknown> => {
    const call = { customers: [bed.idOf(name)], team: undefined, keyHashes: [] };
    const current = await list.read();
    const { refusal, policies } = createAccess(listKey(SESSION_KEY), { current }).decide(call);
    const text = current.policies.get(policies[0] ?? '');
    return refusal ?? (text === undefined ? undefined : parsePolicy(text));
  };
  const untilListed = async (name: string, expected: unknown): Promise<void> => {
    await eventually(async () => {
      expect(await listed(name)).to.deep.equal(expected);
    });
  };
  const refersTo = (name: string): object => ({ guardrailPolicyRef: { name } });
  const fullyApplied = (customer: GatewayCustomer | undefined): string => {
    const { status, reason, message } = (customer && currentCondition(customer, 'FullyApplied')) ?? {};
    return `${status} ${reason} ${message}`;
  };
  const untilFullyApplied = async (name: string, expected: RegExp): Promise<void> => {
    await bed.user.until(name, (customer) => expected.test(fullyApplied(customer)));
  };

  it('is in the list, and in the status when every pod has it, with what it tightens', async () => {
    await applyPolicy({ entities: { EMAIL_ADDRESS: { action: 'Block' }, PERSON: { action: 'Ignore' } } });
    await applyPolicy({ deny: [{ value: 'Falcon' }] }, 'other');
    await list.deploy();
    let loaded = false;
    bed.operator.pods = { count: 1, has: (stored) => (loaded ? stored : {}) };
    await bed.user.customer('one', refersTo('strict'));
    await bed.user.customer('two', refersTo('other'));
    await bed.user.customer('three', {});
    const strict = { entities: { EMAIL_ADDRESS: { action: 'block' }, PERSON: { action: 'ignore' } } };
    await untilListed('one', strict);
    await untilListed('two', { deny: [{ value: 'Falcon', type: 'DENIED' }] });
    await untilListed('three', undefined);
    await untilPolicy('Reading');
    expect((await bed.user.get('one'))?.status?.guardrailPolicy).to.equal(undefined);

    loaded = true;
    const customer = await bed.user.until('one', ({ status }) => status?.guardrailPolicy !== undefined);
    const { revision, customers, instances, usedBy } = (await untilPolicy('Enforced')).status ?? {};
    expect(customer.status?.guardrailPolicy).to.deep.include({
      ...{ name: `${bed.user.namespace}/strict`, revision },
      tightened: ['entities.EMAIL_ADDRESS'],
      notApplied: ['entities.PERSON'],
      effective: {
        ...{ profile: 'Personal', recall: 'Balanced', images: 'Redact', remoteImages: 'Block', unreadText: 'Mask' },
        ...{ enforcement: 'Enforce', retention: '24h' },
      },
    });
    expect({ customers, instances, usedBy }).to.deep.equal({
      ...{ customers: 1, instances: 0 },
      usedBy: [`GatewayCustomer ${bed.user.namespace}/one`],
    });
    await untilFullyApplied('one', /^True AllFieldsApplied .* GatewayInstance main enforces guardrailPolicyRef\.$/);

    await bed.user.patch('main', { spec: { guardrail: { allowLooserPolicies: true } } }, 'gatewayinstances');
    await bed.user.until('one', ({ status }) => status?.guardrailPolicy?.loosened?.[0] === 'entities.PERSON');
    expect((await list.read()).allowLooserPolicies).to.equal(true);

    await bed.user.patch('one', { spec: { guardrailPolicyRef: null } });
    await untilListed('one', undefined);
    await bed.user.until('one', ({ status }) => status?.guardrailPolicy === undefined);
    await untilPolicy('NotUsed');
  });

  it('changes for all of its customers at once, and shows the former one until every pod has the new one', async () => {
    let loaded = true;
    bed.operator.pods = { count: 1, has: (stored) => (loaded ? stored : {}) };
    await applyPolicy({ recall: 'Thorough' });
    await list.deploy();
    await bed.user.customer('one', refersTo('strict'));
    await bed.user.customer('two', refersTo('strict'));
    const before = await bed.user.until('one', ({ status }) => status?.guardrailPolicy !== undefined);
    loaded = false;
    await applyPolicy({ recall: 'Thorough', images: 'Block' });
    for (const name of ['one', 'two']) await untilListed(name, { recall: 'thorough', images: 'block' });
    await untilPolicy('Reading');
    expect((await bed.user.get('one'))?.status?.guardrailPolicy).to.deep.equal(before.status?.guardrailPolicy);
    expect((await list.read()).policies.size).to.equal(1);
    loaded = true;
    for (const name of ['one', 'two']) {
      await bed.user.until(name, ({ status }) => status?.guardrailPolicy?.effective.images === 'Block');
    }
    expect((await untilPolicy('Enforced')).status).to.include({ customers: 2, enforcedGeneration: 2 });
  });

  it('that is not valid leaves the last one, and a new customer gets none: its calls are refused', async () => {
    await applyPolicy({ recall: 'Thorough' });
    await list.deploy();
    await bed.user.customer('one', refersTo('strict'));
    await untilListed('one', { recall: 'thorough' });
    await bed.user.until('one', ({ status }) => status?.guardrailPolicy !== undefined);
    await applyPolicy({ allow: [{ pattern: '(?=a)b' }] });
    await untilFullyApplied(
      'one',
      /^False PolicyInvalid GuardrailPolicy \S+\/strict is not valid: .* keeps the policy/,
    );
    await bed.restartOperator();
    await bed.user.customer('free', refersTo('none'));
    await untilListed('free', NOT_AVAILABLE);
    await untilFullyApplied('free', /^False PolicyNotFound GuardrailPolicy \S+\/none does not exist\./);
    await untilListed('one', { recall: 'thorough' });
    await applyPolicy({ images: 'Block' }, 'none');
    await untilListed('free', { images: 'block' });
    await untilFullyApplied('free', /^True /);
  });

  it('is deleted only when no customer refers to it', async () => {
    await applyPolicy({ recall: 'Thorough' });
    await bed.user.customer('one', refersTo('strict'));
    await bed.user.untilReason('one', 'Created');
    await untilFullyApplied(
      'one',
      /^False FieldsNotEnforced .*No guardrail applies guardrailPolicyRef\. Remedy: set spec\.guardrail /,
    );
    await eventually(async () => {
      expect((await policy()).status?.customers).to.equal(1);
    });
    await kubectl(['delete', 'gpol', 'strict', '--wait=false']);
    const waiting = await untilPolicy('InUse');
    expect(currentCondition(waiting, 'Ready')?.message).to.include(`GatewayCustomer ${bed.user.namespace}/one`);
    await bed.user.patch('one', { spec: { guardrailPolicyRef: null } });
    await eventually(async () => {
      expect(await kubectl(['get', 'gpol', '-o', 'name'])).to.equal('');
    });
  });
});
