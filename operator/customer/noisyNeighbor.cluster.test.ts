/** A namespace whose gateways do not answer, beside another one, on a real API server. */
import { expect } from 'chai';
import { startTestProxy, type TestProxy } from '../gateway/testing/testProxy.ts';
import { masterKey, withTestbed } from './testing/testbed.ts';
import { eventually } from './testing/testOperator.ts';

const INSTANCES = 40;
const CUSTOMERS_OF_EACH = 2;

describe('a namespace whose gateways do not answer', function () {
  this.timeout(120_000);
  const bed = withTestbed();
  let hanging: TestProxy;
  before(async () => {
    hanging = await startTestProxy(() => '');
    hanging.fault = () => ({ kind: 'hang' });
  });
  after(() => hanging.stop());

  it('delays no customer of another namespace', async () => {
    const other = await bed.watchSecondNamespace();
    await other.secret('hanging', masterKey);
    const names = Array.from({ length: INSTANCES }, (_, at) => `hanging-${at}`);
    const masterKeySecretRef = { name: 'hanging', key: 'key' };
    await Promise.all(names.map((name) => other.instance(name, { endpoint: hanging.url, masterKeySecretRef })));
    await Promise.all(
      names.flatMap((name) =>
        Array.from({ length: CUSTOMERS_OF_EACH }, (_, at) =>
          other.customer(`${name}-${at}`, { instanceRef: { name } }),
        ),
      ),
    );
    // They have all workers that they get: no key of theirs moves, and others wait.
    const waiting = await eventually(async () => {
      const { values } = await bed.operator.metrics.queueDepth.get();
      const depth = values.reduce((sum, { value }) => sum + value, 0);
      expect(depth).to.equal(INSTANCES * CUSTOMERS_OF_EACH - hanging.calls.length);
      expect(hanging.calls.length).to.be.above(0);
      return depth;
    });
    expect(waiting).to.be.above(0);
    const calls = hanging.calls.length;

    await bed.user.customer('a', { alias: 'A' });
    await bed.user.untilReason('a', 'Created');
    // No call of theirs has ended, so that another one could begin.
    expect(hanging.calls).to.have.length(calls);
  });
});
