/** The deployed guardrail as a real process: called, and its keys rotated under load. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import type { WorkloadRunner } from '../../hack/harness/workloads.ts';
import { startWorkloadRunner } from '../../hack/harness/workloads.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { Testbed } from '../instance/testing/harness.ts';

const root = join(import.meta.dirname, '../..');

describe('the managed guardrail', function () {
  this.timeout(120_000);
  const plane = withControlPlane();
  let logFolder: string;
  let runner: WorkloadRunner;
  let testbed: Testbed;

  before(async () => {
    await installCrds(plane());
    logFolder = mkdtempSync(join(tmpdir(), 'guardrail-'));
    runner = startWorkloadRunner({ kubeConfig: plane().kubeConfig(), logFolder, workingDirectory: root });
    testbed = await Testbed.start(plane(), (url) => runner.resolve(url) ?? url);
  });
  after(async () => {
    await testbed.stop();
    await runner.stop();
    rmSync(logFolder, { recursive: true, force: true });
  });

  it('starts with the settings of the operator, and accepts only calls with its key', async () => {
    await testbed.instance({
      guardrail: { recall: 'Precise', sessionScope: 'Conversation', maxBody: '1Mi', audit: { outputs: ['Stdout'] } },
    });
    await testbed.until('GuardrailReady', 'Ready', 'main', 60_000);
    const key = (await testbed.readSecret('main-guardrail-api-key'))['api-key'] ?? '';
    expect(await call(key)).to.equal(200);
    expect(await call('another-key')).to.equal(401);
  });

  it('writes an audit event with the name of the instance for each call', async () => {
    await eventually(() => {
      const written = readFileSync(join(logFolder, `${testbed.namespace}-main-guardrail.log`), 'utf8').split('\n');
      const events = written.filter((line) => line.includes('"event.dataset":"guardrail.audit"'));
      expect(events.join()).to.include('"error.type":"unauthorized"').and.include('GUARDRAIL_INTERVENED');
      for (const line of events) expect(line).to.include(`"guardrail.instance":"${testbed.namespace}/main"`);
      return Promise.resolve();
    });
  });

  it('accepts a new API key without a failed call', async () => {
    const before = (await testbed.readSecret('main-guardrail-api-key'))['api-key'] ?? '';
    const statuses = new Set<number>();
    const answered = [0, 0];
    let rotating = true;
    // One caller always sends the key that the Secret has at the moment, the other the key that the gateway was started
    // with.
    const load = [0, 1].map(async (which) => {
      while (rotating) {
        const key = which === 0 ? before : ((await testbed.readSecret('main-guardrail-api-key'))['api-key'] ?? '');
        statuses.add(await call(key));
        answered[which] = (answered[which] ?? 0) + 1;
        await setImmediate();
      }
    });
    /** Waits until each caller has begun another call, and has its answer. */
    const untilCalled = async (): Promise<void> => {
      const expected = answered.map((count) => count + 2);
      await eventually(() => {
        for (const [which, count] of expected.entries()) expect(answered[which]).to.be.at.least(count);
      });
    };
    await untilCalled();
    await testbed.patch({ metadata: { annotations: { [annotations.rotateApiKey]: 'one' } } });
    const fresh = await eventually(async () => {
      const key = (await testbed.readSecret('main-guardrail-api-key'))['api-key'] ?? '';
      expect(key).to.not.equal(before);
      return key;
    }, 60_000);
    expect(await call(fresh)).to.equal(200);
    await untilCalled();
    rotating = false;
    await Promise.all(load);
    expect([...statuses]).to.deep.equal([200]);
  });

  it('takes over a changed policy without a restart, and keeps it while a newer one is not valid', async () => {
    await testbed.policy({ entities: { EMAIL_ADDRESS: { action: 'Ignore' } } });
    await testbed.patch({ spec: { guardrail: { policyRef: { name: 'strict' } } } });
    await testbed.until('GuardrailReady', 'Ready', 'main', 60_000);
    const key = (await testbed.readSecret('main-guardrail-api-key'))['api-key'] ?? '';
    const untilAction = (action: string): Promise<void> =>
      eventually(async () => {
        expect(JSON.parse(await answer(key))).to.include({ action });
      }, 30_000);
    await untilAction('NONE');
    const { status, spec } = await testbed.deployment('main-guardrail');
    await testbed.policy({ entities: { EMAIL_ADDRESS: { action: 'Block' } } });
    await untilAction('BLOCKED');
    await testbed.policy({ default: { action: 'Ignore' }, allow: [{ pattern: '(' }] });
    await testbed.until('GuardrailReady', 'PolicyInvalid');
    await untilAction('BLOCKED');
    const after = await testbed.deployment('main-guardrail');
    expect(after.spec).to.deep.equal(spec);
    expect(after.status?.observedGeneration).to.equal(status?.observedGeneration);
  });

  async function call(apiKey: string): Promise<number> {
    const response = await send(apiKey);
    await response?.text();
    return response?.status ?? 0;
  }

  async function answer(apiKey: string): Promise<string> {
    return (await (await send(apiKey))?.text()) ?? '{}';
  }

  /** @returns undefined if the guardrail does not run yet */
  async function send(apiKey: string): Promise<Response | undefined> {
    const url = runner.resolve(`http://main-guardrail.${testbed.namespace}.svc:8080`);
    if (url === undefined) return undefined;
    return await fetch(`${url}/beta/litellm_basic_guardrail_api`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ input_type: 'request', texts: ['Write to zoe@example.com.'], litellm_call_id: 'a' }),
    });
  }
});
