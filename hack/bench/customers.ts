/**
 * What the operator, as a process of its own, makes of many customers, at a gateway that takes 10 ms for each call. Each
 * figure is a ratio to a reference measured in the same run:
 *
 * - customers created, against the two writes that each of them costs at the API server, made by as many loops with
 *   nothing around them; and against one customer after the other, as an operator with one worker does it;
 * - after a restart with many customers: one that is applied in that moment, against one that is applied at rest. The
 *   gateway's limit is the default there, so that looking at all of them takes most of a minute.
 *
 * node hack/bench/customers.ts [customers] [customers at the restart]
 */
import { customers, instances } from '../../operator/api/kinds.ts';
import { FINALIZER, instanceDefaults } from '../../operator/api/v1alpha1/v1alpha1.ts';
import { keyOf } from '../../operator/runtime/runtime.ts';
import { each, isSynced, NAMESPACE, OperatorTestbed, pause, seconds, WORKERS } from './operatorTestbed.ts';

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

/** Seconds from its creation until a customer is in sync. */
async function timeOfOne(instanceName: string, name: string): Promise<number> {
  const began = performance.now();
  await testbed.create(instanceName, [name]);
  while (!isSynced(await client.get(customers, { namespace: NAMESPACE, name }))) await pause(5);
  return seconds(began);
}

try {
  await testbed.prepare();
  await testbed.instance('usual');

  // Reference 1: the two writes alone.
  const names = Array.from({ length: CREATED }, (_, at) => `c${at}`);
  await testbed.create('fast', names, 'reference');
  const references = await client.list(customers, { namespace: 'reference' });
  let began = performance.now();
  await each(references, async (object) => {
    await client.patch(customers, keyOf(object), { metadata: { finalizers: [FINALIZER] } });
    await client.patch(customers, keyOf(object), { status: { synced: true } }, { subresource: 'status' });
  });
  const writes = seconds(began);
  console.log(`the two writes alone: ${CREATED} customers in ${writes.toFixed(1)} s`);

  // Reference 2: one after the other.
  const single = Array.from({ length: ONE_BY_ONE }, (_, at) => `s${at}`);
  const oneByOne = ((await testbed.timeOfAll('fast', single, 1)) * CREATED) / ONE_BY_ONE;
  console.log(`one worker: ${CREATED} customers would take ${oneByOne.toFixed(1)} s`);

  const took = await testbed.timeOfAll('fast', names, WORKERS);
  console.log(
    `${CREATED} customers created: ${took.toFixed(1)} s, ${(took / writes).toFixed(2)} × the two writes alone, ` +
      `${(took / oneByOne).toFixed(3)} × one worker`,
  );

  proxy.calls.length = 0;
  const quiet = await testbed.startOperator();
  // Until the last of them has been looked at.
  for (let calls = -1; calls !== proxy.calls.length || calls < CREATED;) {
    calls = proxy.calls.length;
    await pause(2_000);
  }
  const atRest = await timeOfOne('usual', 'at-rest');
  await quiet.stop();

  // Many that are in sync already, at a gateway with the usual limit.
  const many = Array.from({ length: RESTARTED }, (_, at) => `m${at}`);
  proxy.fault = () => undefined;
  await testbed.timeOfAll('fast', many, WORKERS);
  console.log(`${RESTARTED} customers are there`);
  const fast = { namespace: NAMESPACE, name: 'fast' };
  await client.patch(instances, fast, { spec: { rateLimit: instanceDefaults.rateLimit } });
  proxy.calls.length = 0;
  const operator = await testbed.startOperator();
  // In the middle of it: the burst is used up.
  while (proxy.calls.length < 1.5 * instanceDefaults.rateLimit.burst) await pause(5);
  const during = await timeOfOne('fast', 'during');
  const total = RESTARTED + CREATED + ONE_BY_ONE;
  const looked = proxy.calls.filter(({ path }) => path.startsWith('/customer/info') && !path.endsWith('during'));
  console.log(
    `applied at a restart with ${total}: in sync after ${during.toFixed(2)} s, ${(during / atRest).toFixed(1)} × one at rest ` +
      `(${atRest.toFixed(2)} s), when ${looked.length} of the others had been looked at`,
  );
  began = performance.now();
  await operator.stop();
  console.log(`stopped in the middle of that in ${seconds(began).toFixed(1)} s`);
} finally {
  await testbed.stop();
}
