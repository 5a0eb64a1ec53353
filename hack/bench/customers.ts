/**
 * Measures the operator, as a separate process, with many customers, at a gateway that takes 10 ms for each call. Each
 * figure is a ratio to a reference from the same run:
 *
 * - creating customers, compared with the two API server writes that each of them needs, in as many plain loops; and
 *   compared with one customer after the other, as an operator with one worker does it;
 * - applying a customer just after a restart with many customers, compared with applying one at rest. This part uses the
 *   default rate limit.
 *
 *     node hack/bench/customers.ts [customers] [customers at the restart; 0: without this part]
 */
import { customers, instances } from '../../operator/api/kinds.ts';
import { FINALIZER, instanceDefaults } from '../../operator/api/v1alpha1/v1alpha1.ts';
import { keyOf } from '../../operator/runtime/runtime.ts';
import { atRest, each, isSynced, NAMESPACE, OperatorTestbed, pause, seconds, WORKERS } from './operatorTestbed.ts';

const CREATED = Number(process.argv[2] ?? 1_000);
const RESTARTED = Number(process.argv[3] ?? 10_000);
const ONE_BY_ONE = Math.ceil(CREATED / 10);
const CALL_MS = 10;

const testbed = await OperatorTestbed.start(['reference']);
const { client, proxy } = testbed;
proxy.fault = async () => {
  await pause(CALL_MS);
  return undefined;
};

/** @returns the seconds from the creation of a customer until it is in sync. */
async function timeOfOne(instanceName: string, name: string): Promise<number> {
  const began = performance.now();
  await testbed.create(instanceName, [name]);
  while (!isSynced(await client.get(customers, { namespace: NAMESPACE, name }))) await pause(5);
  return seconds(began);
}

/** Many customers that are already in sync, at a gateway with the default rate limit. */
async function measureRestart(quietTime: number): Promise<void> {
  const many = Array.from({ length: RESTARTED }, (_, at) => `m${at}`);
  proxy.fault = () => undefined;
  await testbed.timeOfAll('fast', many, WORKERS);
  console.log(`${RESTARTED} customers exist`);
  const fast = { namespace: NAMESPACE, name: 'fast' };
  await client.patch(instances, fast, { spec: { rateLimit: instanceDefaults.rateLimit } });
  proxy.calls.length = 0;
  const operator = await testbed.startOperator();
  // While the operator compares all customers with the gateway.
  while (!proxy.calls.some(({ path }) => path.startsWith('/customer/list'))) await pause(5);
  const during = await timeOfOne('fast', 'during');
  const total = RESTARTED + 2 * CREATED + ONE_BY_ONE;
  console.log(
    `applied at a restart with ${total}: in sync after ${during.toFixed(2)} s, ${(during / quietTime).toFixed(1)} × one at rest ` +
      `(${quietTime.toFixed(2)} s), after ${proxy.calls.length} gateway calls`,
  );
  const began = performance.now();
  await operator.stop();
  console.log(`stopped during this time in ${seconds(began).toFixed(1)} s`);
}

try {
  await testbed.prepare();
  await testbed.instance('usual');

  // Reference 1: only the two writes.
  const names = Array.from({ length: CREATED }, (_, at) => `c${at}`);
  await testbed.create('fast', names, 'reference');
  const references = await client.list(customers, { namespace: 'reference' });
  const began = performance.now();
  await each(references, async (object) => {
    await client.patch(customers, keyOf(object), { metadata: { finalizers: [FINALIZER] } });
    await client.patch(customers, keyOf(object), { status: { synced: true } }, { subresource: 'status' });
  });
  const writes = seconds(began);
  console.log(`the two writes alone: ${CREATED} customers in ${writes.toFixed(1)} s`);

  // Reference 2: one customer after the other.
  const single = Array.from({ length: ONE_BY_ONE }, (_, at) => `s${at}`);
  const oneByOne = ((await testbed.timeOfAll('fast', single, 1)) * CREATED) / ONE_BY_ONE;
  console.log(`one worker: ${CREATED} customers would take ${oneByOne.toFixed(1)} s`);

  // The customers of one instance use at most half of the workers: as many as there are loops.
  const created = async (what: string, instanceName: string, ofInstance: readonly string[]): Promise<void> => {
    const took = await testbed.timeOfAll(instanceName, ofInstance, 2 * WORKERS);
    console.log(
      `${CREATED} customers created ${what}: ${took.toFixed(1)} s, ${(took / writes).toFixed(2)} × the two writes alone, ` +
        `${(took / oneByOne).toFixed(3)} × one worker`,
    );
  };
  await created('without a rate limit', 'fast', names);
  const more = names.map((name) => `usual-${name}`);
  await created('with the default rate limit', 'usual', more);

  proxy.calls.length = 0;
  const quiet = await testbed.startOperator();
  while (proxy.calls.length === 0) await pause(5);
  await atRest(quiet.pid);
  const quietTime = await timeOfOne('usual', 'at-rest');
  await quiet.stop();

  if (RESTARTED > 0) await measureRestart(quietTime);
} finally {
  await testbed.stop();
}
