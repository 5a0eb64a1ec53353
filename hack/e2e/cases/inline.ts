import { expect } from 'chai';
import { GATEWAY, MASTER_KEY, PORT } from '../gatewayApp.ts';
import { becomes, get, POD_MS, portFrom, rolledOut, soon, startStranger, Testbed, type Answer } from '../testbed.ts';

/** The port of the guardrail's proxy, which applications call. */
const INLINE_PORT = 8081;

describe('a guardrail that stands before the gateway', () => {
  let testbed: Testbed;
  let stranger: string;
  before(async () => {
    testbed = await Testbed.start('inline', 1);
    stranger = await startStranger();
  });
  after(() => testbed.end());

  const guarded = (exclusive: boolean): Promise<void> =>
    testbed.instance({
      serviceRef: { name: GATEWAY, port: PORT },
      workloadRef: { name: GATEWAY },
      guardrail: { integration: 'Inline', exclusive },
    });
  const host = (service: string): string => `${service}.${testbed.namespace}.svc.cluster.local`;
  const askGuarded = async (mark: string): Promise<Answer> => {
    const { guardrail } = (await get('ginst', 'main', testbed.namespace))?.status ?? {};
    const { clientEndpoint } = guardrail as { readonly clientEndpoint: string };
    return testbed.call({
      url: `${clientEndpoint}/v1/chat/completions`,
      method: 'POST',
      headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
      body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: `${mark}: write to ${mark}@example.com.` }] },
    });
  };
  const expectGuarded = async (mark: string): Promise<void> => {
    await soon(async () => {
      const { status, text } = await askGuarded(mark);
      expect(status, text).to.equal(200);
      expect(text).to.include(`${mark}@example.com`);
    });
    for (const line of await testbed.modelSaw(`${mark}:`)) {
      expect(line)
        .to.match(/<EMAIL_ADDRESS_\w+>/)
        .and.not.include(`${mark}@example.com`);
    }
  };

  it('guards the calls to its address, and leaves the address of the gateway open', async () => {
    await guarded(false);
    await becomes('ginst', 'main', testbed.namespace, { type: 'Ready', status: 'True' }, 2 * POD_MS);
    await rolledOut(GATEWAY, testbed.namespace);
    await expectGuarded('probe-inline');
    expect(await portFrom(testbed.namespace, host(GATEWAY), PORT)).to.equal('open');
  });

  it('closes the address of the gateway to all applications, and to no other', async () => {
    await guarded(true);
    await soon(async () => {
      expect(await portFrom(testbed.namespace, host(GATEWAY), PORT)).to.equal('closed');
    });
    expect(await portFrom(stranger, host(GATEWAY), PORT)).to.equal('closed');
    await expectGuarded('probe-exclusive');
    // The operator still manages customers there. Without the component for sidecars, it cannot erase their sessions.
    await testbed.customer('exclusive', { deletionPolicy: 'Orphan' });
    await becomes('gcust', 'exclusive', testbed.namespace, { type: 'Synced', status: 'True' }, POD_MS);
    await becomes('ginst', 'main', testbed.namespace, { type: 'Reachable', status: 'True' });
  });

  it('opens it again on request', async () => {
    await guarded(false);
    await soon(async () => {
      expect(await portFrom(testbed.namespace, host(GATEWAY), PORT)).to.equal('open');
    });
    expect(await portFrom(stranger, host(`main-guarded`), INLINE_PORT)).to.equal('open');
  });
});
