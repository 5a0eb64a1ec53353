/** What kstatus and Argo CD make of an instance as a real API server stores it. */
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { ensureKstatus, readStatus } from '../../hack/harness/kstatus.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { Testbed } from './testing/harness.ts';

describe('the stored status of an instance', function () {
  this.timeout(90_000);
  const plane = withControlPlane();
  let testbed: Testbed;
  const judged = async (): Promise<string> => await readStatus(await testbed.read());

  before(async function () {
    this.timeout(10 * 60_000);
    await ensureKstatus();
    await installCrds(plane());
  });
  beforeEach(async () => {
    testbed = await Testbed.start(plane());
  });
  afterEach(() => testbed.stop());

  it('tells what it waits for', async () => {
    await testbed.instance({ guardrail: {} });
    await testbed.until('GuardrailReady', 'RollingOut');
    expect(await judged()).to.equal('InProgress, Progressing');
    await testbed.rollOut('main-guardrail');
    await plane().kubectl(['wait', '--for=condition=Ready', 'ginst/main', '-n', testbed.namespace, '--timeout=30s']);
    expect(await judged()).to.equal('Current, Healthy');

    await testbed.patch({ spec: { guardrail: { policy: { inline: 'entities: {PERSON: hide}' } } } });
    await testbed.until('GuardrailReady', 'PolicyInvalid');
    expect(await judged()).to.equal('Failed, Degraded');

    await testbed.patch({ metadata: { annotations: { [annotations.paused]: 'true' } } });
    await testbed.until('Ready', 'Paused');
    expect(await judged()).to.equal('InProgress, Suspended');
    await testbed.remove();
    expect(await judged()).to.equal('Terminating, Progressing');
    await testbed.patch({ metadata: { annotations: { [annotations.paused]: null } } });
  });

  it('is InProgress while its Secret is missing, and Failed while the gateway rejects the key', async () => {
    await testbed.instance({ masterKeySecretRef: { name: 'later', key: 'key' } });
    await testbed.until('Reachable', 'SecretNotFound');
    expect(await judged()).to.equal('InProgress, Progressing');
    await testbed.secret('later', { key: 'wrong' });
    await testbed.until('Reachable', 'GatewayUnauthorized');
    expect(await judged()).to.equal('Failed, Degraded');
  });
});
