import { expect } from 'chai';
import { cluster } from '../environment.ts';
import { GATEWAY } from '../gatewayApp.ts';
import { Guarded } from '../guarded.ts';
import { installRedis } from '../redis.ts';
import { becomes, get, listNames, POD_MS, rolledOut, soon, Stand } from '../stand.ts';

const GUARDRAIL = 'main-guardrail';
const ROTATION_MS = 150_000;

describe('a guardrail as a Deployment of its own, with a Redis of the component', () => {
  let stand: Stand;
  let guarded: Guarded;
  let without: string[];
  const kinds = 'deployment,service,serviceaccount,configmap,secret,pdb,hpa,networkpolicy';
  before(async () => {
    stand = await Stand.start('deployment');
    await installRedis(stand.namespace);
    guarded = new Guarded(stand);
  });
  after(() => stand.end());

  it('is asked for, and runs as two pods that the gateway calls', async () => {
    without = await listNames(kinds, stand.namespace);
    await guarded.on({
      mode: 'Deployment',
      redis: { urlSecretRef: { name: 'guardrail-redis', key: 'url' } },
      policy: { inline: 'entities:\n  PERSON: pseudonymize\n' },
    });
    const deployment = await get('deployment', GUARDRAIL, stand.namespace);
    expect(deployment?.status).to.include({ replicas: 2, availableReplicas: 2 });
    await guarded.call('mark-on');
  });

  it('comes back when both its pods are killed, with every mapping', async () => {
    const asked = { user: `${stand.namespace}-lost` };
    const { headers } = await stand.chat('mark-kept: write to kept@example.com.', asked);
    const [line = ''] = await stand.modelSaw('mark-kept');
    const tag = /<EMAIL_ADDRESS_\w+>/.exec(line)?.[0] ?? '';
    expect(tag, line).not.to.equal('');
    expect(headers).to.be.an('object');
    const selector = `app.kubernetes.io/instance=main,app.kubernetes.io/name=guardrail`;
    await cluster().kubectl([
      'delete',
      'pods',
      '-n',
      stand.namespace,
      '-l',
      selector,
      '--grace-period=0',
      '--force',
      '--wait=false',
    ]);
    await rolledOut(GUARDRAIL, stand.namespace);
    // What the model says about the pseudonym later is about the same person, whichever pod answers.
    await soon(async () => {
      const { status, text } = await stand.chat(`mark-later: ${tag}`, asked);
      expect(status, text).to.equal(200);
      expect(text).to.include(`You said: mark-later: ${tag}`);
    }, POD_MS);
    for (const mark of ['mark-anew-a', 'mark-anew-b', 'mark-anew-c']) await guarded.call(mark);
  });

  it('has its key rotated under load without a call that fails', async () => {
    await guarded.rotateKeyUnderLoad(ROTATION_MS);
  }).timeout(2 * ROTATION_MS);

  it('keeps what it maps when Redis is killed', async () => {
    await cluster().killContainer({ namespace: stand.namespace, pod: 'guardrail-redis-0', container: 'redis' });
    await soon(async () => {
      await guarded.call('mark-redis');
    }, POD_MS);
  });

  it('becomes a sidecar, and a Deployment again, with calls guarded all the time', async () => {
    const load = stand.startLoad();
    try {
      for (const mode of ['Sidecar', 'Deployment'] as const) {
        await guarded.patch({ guardrail: { mode } });
        await becomes('ginst', 'main', stand.namespace, { type: 'Ready', status: 'True' }, 2 * POD_MS);
        await soon(async () => {
          const status = (await get('ginst', 'main', stand.namespace))?.status;
          expect((status?.guardrail as { mode?: string } | undefined)?.mode).to.equal(mode);
        });
        await rolledOut(GATEWAY, stand.namespace);
      }
    } finally {
      const { calls, failures } = await load.stop();
      expect(failures).to.deep.equal([]);
      expect(calls).to.be.greaterThan(50);
    }
  }).timeout(2 * ROTATION_MS);

  it("is switched off: all that was made is gone, and the owner's Deployment is as it was", async () => {
    await guarded.off();
    await guarded.ownerTakesLinesOut();
    await soon(async () => {
      // The instance still writes the gateway's configuration.
      const names = (await listNames(kinds, stand.namespace)).filter((name) => name !== 'ConfigMap gateway-config');
      expect(names).to.deep.equal(without);
    }, 2 * POD_MS);
  });
});
