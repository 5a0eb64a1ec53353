/** Kills the operator and its gateway at random times while customers are created, changed and deleted. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { customers, instances } from '../../../operator/api/kinds.ts';
import { annotations } from '../../../operator/api/v1alpha1/v1alpha1.ts';
import { eventually } from '../../../operator/runtime/testing/testing.ts';
import {
  freePort,
  type ManagedProcess,
  portInUse,
  removeAtExit,
  startProcess,
  waitUntilReady,
} from '../../harness/processes.ts';
import { Admin, differences, type GatewayRecord } from './records.ts';
import { isSynced, messagesOf } from './conditions.ts';
import type { Context, OperatorAttack } from './testbed.ts';

const MASTER_KEY = 'sk-crashes';
const NAMES = 12;
const CHANGES = 60;
const CONVERGED_WITHIN_MS = 60_000;

/** A gateway as a separate process, which stores its state in a file. */
async function startGateway(port: number, folder: string): Promise<ManagedProcess> {
  const child = await startProcess({
    name: 'The gateway',
    command: process.execPath,
    args: [
      join(import.meta.dirname, '../../harness/gateway/main.ts'),
      `--port=${port}`,
      '--proxy-name=litellm',
      `--state-file=${join(folder, 'state.json')}`,
    ],
    env: { ...process.env, DEV_GATEWAY_MASTER_KEY: MASTER_KEY },
    logFile: join(folder, 'gateway.log'),
  });
  await waitUntilReady(child, () => portInUse(port), 15_000);
  return child;
}

/**
 * Creates, changes and deletes customers at random.
 *
 * @returns the expected records
 */
async function changeAtRandom(context: Context, changes: number): Promise<Map<string, GatewayRecord>> {
  const { testbed, random, namespace } = context;
  const desired = new Map<string, GatewayRecord>();
  let serial = 0;
  for (let n = 0; n < changes; n += 1) {
    const name = `c${random.int(NAMES)}`;
    const key = { namespace, name };
    const [alias, maxBudget] = [`Alias ${(serial += 1)}`, 1 + random.int(9)];
    const known = desired.get(name);
    if (known !== undefined && random.int(4) === 0) {
      await testbed.client.delete(customers, key);
      desired.delete(name);
    } else if (known !== undefined) {
      await testbed.client.patch(customers, key, { spec: { alias, maxBudget } });
      desired.set(name, { alias, blocked: false, maxBudget });
    } else {
      const spec = { instanceRef: { name: 'main' }, customerId: name, alias, maxBudget };
      // The previous resource of this name may still be terminating.
      const isCreated = await testbed.client.create(customers, { metadata: key, spec } as object).then(
        () => true,
        () => false,
      );
      if (isCreated) desired.set(name, { alias, blocked: false, maxBudget });
    }
    await delay(random.int(80));
  }
  return desired;
}

const attacks: readonly OperatorAttack[] = [
  {
    name: 'killed-at-random',
    run: async (context) => {
      const { testbed, random, namespace } = context;
      const folder = mkdtempSync(join(tmpdir(), 'attack-gateway-'));
      removeAtExit(folder);
      const port = await freePort();
      let gateway = await startGateway(port, folder);
      const admin = new Admin(() => `http://127.0.0.1:${port}`, MASTER_KEY);
      try {
        await testbed.namespace(namespace);
        await testbed.secret(namespace, 'gateway', MASTER_KEY);
        await admin.call('/customer/new', { user_id: 'foreign', alias: 'Another owner' });
        const masterKeySecretRef = { name: 'gateway', key: 'key' };
        const spec = { endpoint: `http://127.0.0.1:${port}`, proxyName: 'litellm', masterKeySecretRef };
        await testbed.client.create(instances, { metadata: { namespace, name: 'main' }, spec } as object);

        const changing = changeAtRandom(context, CHANGES);
        for (let kill = 0; kill < 4; kill += 1) {
          await delay(300 + random.int(700));
          await gateway.kill();
          if (kill === 1) {
            await testbed.operator.kill();
            await testbed.shortenLease();
          }
          await delay(random.int(400));
          gateway = await startGateway(port, folder);
          if (kill === 1) await testbed.operator.restart();
        }
        const desired = await changing;
        return await converged(context, admin, desired);
      } finally {
        await gateway.kill();
      }
    },
  },
];

async function converged(
  { testbed, namespace }: Context,
  admin: Admin,
  desired: ReadonlyMap<string, GatewayRecord>,
): Promise<string[]> {
  const foreign = { alias: 'Another owner', blocked: false, maxBudget: null };
  // The killed gateway may have acknowledged a write that it did not store. The next sync corrects the record.
  const patch = { metadata: { annotations: { [annotations.syncRequested]: String(performance.now()) } } };
  for (const { metadata } of await testbed.client.list(customers, { namespace })) {
    await testbed.client.patch(customers, { namespace, name: metadata.name }, patch).catch(() => undefined);
  }
  try {
    await eventually(async () => {
      const all = await testbed.client.list(customers, { namespace });
      const names = all.map(({ metadata }) => metadata.name).sort();
      const waiting = all.filter((one) => !isSynced(one)).map((one) => `${one.metadata.name} (${messagesOf(one)})`);
      if (waiting.length > 0) throw new Error(`not synced after the attack: ${waiting.join(', ')}`);
      const wrong = differences({ foreign, ...Object.fromEntries(desired) }, await admin.records());
      if (wrong.length > 0) throw new Error(wrong.join('; '));
      if (names.join() !== [...desired.keys()].sort().join()) throw new Error('deletions did not complete');
    }, CONVERGED_WITHIN_MS);
  } catch (error) {
    return [(error as Error).message];
  }
  const rows = (await admin.budgets()).length;
  return rows === desired.size ? [] : [`the gateway has ${rows} budget rows for ${desired.size} customers`];
}

export const crashAttacks = [...attacks];
