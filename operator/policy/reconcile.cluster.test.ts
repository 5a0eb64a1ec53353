/** Policies and the instances that use them, on a real API server. */
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { parsePolicy, policyRevision } from '../../guardrail/guardrail.ts';
import { annotations, FINALIZER, type GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { Testbed } from '../instance/testing/harness.ts';
import type { Revisions } from '../enforcement/enforcement.ts';
import { eventually } from '../runtime/testing/eventually.ts';

const guardrail = 'main-guardrail';
const usesStrict = { guardrail: { policyRef: { name: 'strict' } } };

describe('a GuardrailPolicy', function () {
  this.timeout(120_000);
  const plane = withControlPlane();
  let testbed: Testbed;

  before(() => installCrds(plane()));
  beforeEach(async () => {
    testbed = await Testbed.start(plane());
  });
  afterEach(() => testbed.stop());

  const kubectl = (...args: readonly string[]): Promise<string> => plane().kubectl([...args, '-n', testbed.namespace]);
  const messageOf = ({ status }: GuardrailPolicy, type = 'Ready'): string =>
    status?.conditions?.find((each) => each.type === type)?.message ?? '';
  const typesOf = ({ status }: GuardrailPolicy): string[] =>
    (status?.conditions ?? []).map(({ type, status: state }) => `${type} ${state}`);

  /** The policy file in the ConfigMap. */
  async function file(): Promise<string> {
    const { data } = await testbed.core.readNamespacedConfigMap({ name: guardrail, namespace: testbed.namespace });
    return data?.['policy.yaml'] ?? '';
  }

  async function untilFile(holds: (document: ReturnType<typeof parsePolicy>) => boolean): Promise<string> {
    return await eventually(async () => {
      const text = await file();
      if (!holds(parsePolicy(text))) throw new Error(`The policy file is ${text}`);
      return text;
    }, 30_000);
  }

  /** Runs an instance with the policy. */
  async function start(): Promise<void> {
    await testbed.policy({ profile: 'Confidential', retention: '12h' });
    await testbed.instance(usesStrict);
    await eventually(() => testbed.rollOut(guardrail));
    await testbed.until('GuardrailReady', 'Ready');
  }

  it('is accepted and not used, and has a finalizer', async () => {
    await testbed.policy({ profile: 'Confidential', enforcement: 'Monitor' });
    const policy = await testbed.untilPolicy('Ready', 'NotUsed');
    expect(policy.metadata.finalizers).to.deep.equal([FINALIZER]);
    expect(typesOf(policy)).to.deep.equal(['Accepted True', 'Ready True']);
    expect(policy.status).to.include({ observedGeneration: 1, acceptedGeneration: 1, instances: 0 });
    const [, line = ''] = (await kubectl('get', 'gpol')).split('\n');
    expect(line.trim().split(/\s+/).slice(0, 7)).to.deep.equal([
      'strict',
      'True',
      'Confidential',
      'Monitor',
      '0',
      '0',
      'True',
    ]);
    await kubectl('delete', 'gpol', 'strict', '--timeout=20s');
  });

  it('is not accepted with the reason and the field', async () => {
    await testbed.policy({ allow: [{ pattern: '(?=a)b' }] });
    const policy = await testbed.untilPolicy('Accepted', 'InvalidPattern');
    expect(typesOf(policy)).to.deep.equal(['Accepted False', 'Ready False', 'Stalled True']);
    expect(messageOf(policy, 'Accepted')).to.match(/^spec\.allow\[0\]\.pattern uses look-around/);
    expect(policy.status).to.not.have.property('acceptedGeneration');
    await testbed.policy({ entities: { PRESON: { action: 'Block' } } });
    expect(messageOf(await testbed.untilPolicy('Accepted', 'UnknownEntityType'))).to.match(/^spec\.entities\.PRESON /);
    await testbed.policy({ entities: { PERSON: { action: 'Block' } } });
    await testbed.untilPolicy('Ready', 'NotUsed');
    await eventually(async () => {
      expect(await testbed.events('strict')).to.include.members(['NotAccepted', 'Accepted']);
    });
  });

  it('reaches the file of each guardrail without a rollout', async () => {
    await start();
    const text = await file();
    const policy = await testbed.untilPolicy('Ready', 'Enforced');
    expect(policy.status).to.deep.include({
      revision: policyRevision(text),
      instances: 1,
      usedBy: [`GatewayInstance ${testbed.namespace}/main`],
    });
    expect((await testbed.read()).status?.guardrail?.policyRevision).to.equal(policyRevision(text));
    const { spec } = await testbed.deployment(guardrail);
    await testbed.policy({ profile: 'Personal', images: 'Block' });
    const changed = await untilFile(({ profile }) => profile === 'personal');
    expect(parsePolicy(changed)).to.deep.equal({ profile: 'personal', images: 'block' });
    const again = await testbed.untilPolicy('Ready', 'Enforced');
    expect(again.status).to.include({ revision: policyRevision(changed), observedGeneration: 2 });
    expect((await testbed.deployment(guardrail)).spec?.template).to.deep.equal(spec?.template);
    await testbed.until('GuardrailReady', 'Ready');
  });

  it('is Ready when every pod has it, and Reconciling while one still reads', async () => {
    const loaded = new Set<string | undefined>();
    const has = ({ policy, ...stored }: Revisions): Revisions => ({ ...stored, ...(loaded.has(policy) && { policy }) });
    testbed.pods = { count: 1, has };
    await start();
    const reading = await testbed.untilPolicy('Ready', 'Reading');
    expect(typesOf(reading)).to.deep.equal(['Accepted True', 'Ready False', 'Reconciling True']);
    expect(messageOf(reading)).to.include('Not every guardrail pod has the policy yet for GatewayInstance main.');
    expect(reading.status).to.not.have.property('enforcedGeneration');
    await eventually(async () => {
      expect((await testbed.read()).status).to.have.property('customerList');
    });
    expect((await testbed.read()).status).to.not.have.property('policy');

    const first = policyRevision(await file());
    loaded.add(first);
    const enforced = await testbed.untilPolicy('Ready', 'Enforced');
    expect(typesOf(enforced)).to.deep.equal(['Accepted True', 'Ready True']);
    expect(enforced.status).to.include({ observedGeneration: 1, enforcedGeneration: 1 });
    expect((await testbed.read()).status?.policy).to.include({ revision: first });

    await testbed.policy({ profile: 'Personal' });
    const changed = await testbed.untilPolicy('Ready', 'Reading');
    expect(changed.status).to.include({ observedGeneration: 2, acceptedGeneration: 2, enforcedGeneration: 1 });
    await eventually(async () => {
      expect((await testbed.read()).status).to.not.have.property('policy');
    });
    // The pods may have read the second policy by now, so that the first one must be confirmed again.
    loaded.clear();
    await testbed.policy({ profile: 'Confidential', retention: '12h' });
    const again = await testbed.untilPolicy('Ready', 'Reading');
    expect(again.status).to.include({ observedGeneration: 3, enforcedGeneration: 1, revision: first });
    loaded.add(first);
    expect((await testbed.untilPolicy('Ready', 'Enforced')).status).to.include({ enforcedGeneration: 3 });

    await testbed.patch({ spec: { guardrail: { policyRef: null } } });
    await eventually(async () => {
      expect((await testbed.read()).status).to.not.have.property('policy');
    });
    expect((await testbed.untilPolicy('Ready', 'NotUsed')).status).to.not.have.property('enforcedGeneration');
  });

  it('that becomes invalid leaves the last valid one, and does not stop other changes', async () => {
    await start();
    const text = await file();
    await testbed.policy({ profile: 'Confidential', recognizers: [{ name: 'a', type: 'A', pattern: '(' }] });
    const condition = await testbed.until('GuardrailReady', 'PolicyInvalid');
    expect(condition.message).to.include(
      '/strict is not valid: spec.recognizers[0].pattern is not a valid RE2 pattern',
    );
    expect(condition.message).to.match(/The guardrail keeps the policy that it has\.$/);
    const policy = await testbed.untilPolicy('Ready', 'InvalidPattern');
    expect(policy.status).to.include({ acceptedGeneration: 1, revision: policyRevision(text), instances: 1 });
    expect(await file()).to.equal(text);
    await testbed.patch({ spec: { guardrail: { logLevel: 'debug' } } });
    await eventually(async () => {
      const [container] = (await testbed.deployment(guardrail)).spec?.template.spec?.containers ?? [];
      expect(container?.env).to.deep.include({ name: 'GUARDRAIL_LOG_LEVEL', value: 'debug' });
    });
    // A new operator knows the last valid policy too.
    await testbed.restart();
    await testbed.until('GuardrailReady', 'PolicyInvalid');
    expect(await file()).to.equal(text);
    await testbed.policy({ profile: 'Personal' });
    await untilFile(({ profile }) => profile === 'personal');
    await testbed.rollOut(guardrail);
    await testbed.until('GuardrailReady', 'Ready');
  });

  it('that somebody has changed in the ConfigMap is not taken for the last valid one', async () => {
    await start();
    await testbed.restart(async () => {
      await testbed.policy({ recognizers: [{ name: 'a', type: 'A', pattern: '(' }] });
      await kubectl('patch', 'cm', guardrail, '--type=merge', '-p', '{"data":{"policy.yaml":"default: ignore"}}');
    });
    const { message } = await testbed.until('GuardrailReady', 'PolicyInvalid');
    expect(message).to.not.include('keeps the policy');
    await testbed.policy({ profile: 'Personal' });
    await untilFile(({ profile }) => profile === 'personal');
  });

  it('is found when it is created after the instance', async () => {
    await testbed.instance(usesStrict);
    const { message } = await testbed.until('GuardrailReady', 'PolicyNotFound');
    expect(message).to.equal(
      `GuardrailPolicy ${testbed.namespace}/strict does not exist. Create it, or correct the reference.`,
    );
    await testbed.policy({});
    await eventually(() => testbed.rollOut(guardrail));
    await testbed.until('GuardrailReady', 'Ready');
    await testbed.untilPolicy('Ready', 'Enforced');
  });

  it('is deleted only when no instance refers to it', async () => {
    await start();
    await kubectl('delete', 'gpol', 'strict', '--wait=false');
    const policy = await testbed.untilPolicy('Ready', 'InUse');
    expect(messageOf(policy)).to.include('in use by GatewayInstance main. Remove the references first.');
    await testbed.until('GuardrailReady', 'Ready');
    await testbed.patch({ spec: { guardrail: { policyRef: null } } });
    await kubectl('wait', '--for=delete', 'gpol/strict', '--timeout=20s');
  });

  it('goes by force, and its guardrail keeps the last valid one', async () => {
    await start();
    const text = await file();
    await kubectl('annotate', 'gpol', 'strict', `${annotations.forceDelete}=true`);
    await kubectl('delete', 'gpol', 'strict', '--timeout=20s');
    expect((await testbed.until('GuardrailReady', 'PolicyNotFound')).message).to.match(
      /keeps the policy that it has\.$/,
    );
    expect(await file()).to.equal(text);
  });

  it('does not wait for an instance that is deleted too', async () => {
    await start();
    await kubectl('delete', 'ginst,gpol', '--all', '--timeout=30s');
  });

  it('that is paused changes nothing', async () => {
    await start();
    const text = await file();
    await kubectl('annotate', 'gpol', 'strict', `${annotations.paused}=true`);
    await testbed.untilPolicy('Ready', 'Paused');
    await testbed.policy({ profile: 'Personal' });
    await eventually(async () => {
      expect((await testbed.until('GuardrailReady', 'Ready')).message).to.match(
        /strict is paused: its changes wait\.$/,
      );
    });
    expect(await file()).to.equal(text);
    await kubectl('annotate', 'gpol', 'strict', `${annotations.paused}-`);
    await untilFile(({ profile }) => profile === 'personal');
    await testbed.untilPolicy('Ready', 'Enforced');
  });

  it('is written for each instance by a new operator if the former one ended before', async () => {
    await start();
    await testbed.restart(() => testbed.policy({ profile: 'Personal' }));
    const text = await untilFile(({ profile }) => profile === 'personal');
    const policy = await testbed.untilPolicy('Ready', 'Enforced');
    expect(policy.status?.revision).to.equal(policyRevision(text));
  });

  it('costs no write while nothing changes', async () => {
    await start();
    await testbed.untilPolicy('Ready', 'Enforced');
    const versions = async (): Promise<unknown> => [
      (await testbed.readPolicy()).metadata.resourceVersion,
      await testbed.versions(),
    ];
    const before = await versions();
    await testbed.restart();
    await testbed.until('GuardrailReady', 'Ready');
    expect(await versions()).to.deep.equal(before);
  });
});
