import { expect } from 'chai';
import { GATEWAY, PORT } from '../gatewayApp.ts';
import { expectPseudonyms } from '../guardedGateway.ts';
import { becomes, becomesEqual, get, POD_MS, portFrom, rolledOut, soon, startStranger, Testbed } from '../testbed.ts';

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
  const expectGuarded = async (mark: string): Promise<void> => {
    const { guardrail } = (await get('ginst', 'main', testbed.namespace))?.status ?? {};
    const { clientEndpoint } = guardrail as { readonly clientEndpoint: string };
    await soon(() => expectPseudonyms(testbed, mark, (text) => testbed.chat(text, {}, clientEndpoint)));
  };

  it('guards the calls to its address, and leaves the address of the gateway open', async () => {
    await guarded(false);
    await testbed.ready();
    await rolledOut(GATEWAY, testbed.namespace);
    await expectGuarded('probe-inline');
    expect(await portFrom(testbed.namespace, host(GATEWAY), PORT)).to.equal('open');
  });

  it('closes the address of the gateway to all applications, and to no other', async () => {
    await guarded(true);
    await becomesEqual(() => portFrom(testbed.namespace, host(GATEWAY), PORT), 'closed');
    expect(await portFrom(stranger, host(GATEWAY), PORT)).to.equal('closed');
    await expectGuarded('probe-exclusive');
    // The operator still manages customers there. Without the component for sidecars, it cannot erase their sessions.
    await testbed.customer('exclusive', { deletionPolicy: 'Orphan' });
    await testbed.synced('exclusive', POD_MS);
    await becomes('ginst', 'main', testbed.namespace, { type: 'Reachable', status: 'True' });
  });

  it('opens it again on request', async () => {
    await guarded(false);
    await becomesEqual(() => portFrom(testbed.namespace, host(GATEWAY), PORT), 'open');
    expect(await portFrom(stranger, host(`main-guarded`), INLINE_PORT)).to.equal('open');
  });
});
