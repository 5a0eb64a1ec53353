/** Kills the operator and its gateway at random times while customers are created, changed and deleted. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { customers } from '../../../operator/api/kinds.ts';
import {
  freePort,
  type ManagedProcess,
  portInUse,
  startProcess,
  temporaryFolder,
  waitUntilReady,
} from '../../harness/processes.ts';
import { Admin, differences, type GatewayRecord } from './records.ts';
import { faultsUntil, instanceRef, isSynced, messagesOf } from './namespace.ts';
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
  const { home, random } = context;
  const desired = new Map<string, GatewayRecord>();
  let serial = 0;
  for (let n = 0; n < changes; n += 1) {
    const name = `c${random.int(NAMES)}`;
    const [alias, maxBudget] = [`Alias ${(serial += 1)}`, 1 + random.int(9)];
    const known = desired.get(name);
    if (known !== undefined && random.int(4) === 0) {
      await home.delete(name);
      desired.delete(name);
    } else if (known !== undefined) {
      await home.client.patch(customers, home.key(name), { spec: { alias, maxBudget } });
      desired.set(name, { alias, blocked: false, maxBudget });
    } else {
      // The previous resource of this name may still be terminating.
      const spec = { instanceRef, customerId: name, alias, maxBudget };
      if (await home.isAccepted(customers, name, spec)) desired.set(name, { alias, blocked: false, maxBudget });
    }
    await delay(random.int(80));
  }
  return desired;
}

const attacks: readonly OperatorAttack[] = [
  {
    name: 'killed-at-random',
    run: async (context) => {
      const { testbed, random, home } = context;
      const folder = temporaryFolder('attack-gateway-');
      const port = await freePort();
      let gateway = await startGateway(port, folder);
      const admin = new Admin(() => `http://127.0.0.1:${port}`, MASTER_KEY);
      try {
        await admin.call('/customer/new', { user_id: 'foreign', alias: 'Another owner' });
        await home.instance('main', `http://127.0.0.1:${port}`, MASTER_KEY);
        const changing = changeAtRandom(context, CHANGES);
        for (let kill = 0; kill < 4; kill += 1) {
          await delay(300 + random.int(700));
          await gateway.kill();
          if (kill === 1) {
            await testbed.operator.end();
            await testbed.shortenLease();
          }
          await delay(random.int(400));
          gateway = await startGateway(port, folder);
          if (kill === 1) await testbed.operator.start();
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
  { home }: Context,
  admin: Admin,
  desired: ReadonlyMap<string, GatewayRecord>,
): Promise<string[]> {
  const foreign = { alias: 'Another owner', blocked: false, maxBudget: null };
  // The killed gateway may have acknowledged a write that it did not store. The next sync corrects the record.
  await home.requestSync();
  const faults = await faultsUntil(async () => {
    const all = await home.customers();
    const names = all.map(({ metadata }) => metadata.name).sort();
    return [
      ...all.filter((one) => !isSynced(one)).map((one) => `${one.metadata.name} is not synced: ${messagesOf(one)}`),
      ...differences({ foreign, ...Object.fromEntries(desired) }, await admin.records()),
      ...(names.join() === [...desired.keys()].sort().join() ? [] : ['deletions did not complete']),
    ];
  }, CONVERGED_WITHIN_MS);
  const rows = (await admin.budgets()).length;
  if (rows !== desired.size) faults.push(`the gateway has ${rows} budget rows for ${desired.size} customers`);
  return faults;
}

export const crashAttacks = [...attacks];
