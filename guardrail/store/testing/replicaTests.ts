/** Tests of erasures where Redis has replicas, which receive a write only after its caller has the reply. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import {
  startRedisCluster,
  startRedisSentinel,
  type RedisGroup,
  type RedisServer,
} from '../../../hack/harness/redis.ts';
import type { SessionId, SubjectId } from '../../ids.ts';
import { createRedisStore, parseRedisAddress, StoreUnavailableError, type MappingStore } from '../store.ts';
import { ANNA, newIds } from './storeTestbed.ts';

/** Defines the tests for one kind of server. */
export function describeReplicas(name: string, findProgram?: () => Promise<string>): void {
  const options = async () => (findProgram ? { program: await findProgram() } : {});

  describe(`erasures with replicas: ${name}`, function () {
    this.timeout(180_000);
    let testbed: ReplicaTestbed;
    afterEach(() => testbed.stop());

    it('wait for a replica without blocking other calls, and survive a failover', async () => {
      testbed = new ReplicaTestbed(await startRedisSentinel(await options()));
      await erasureSurvivesFailover(testbed);
    });

    it('in a Cluster wait for a replica of their own master', async () => {
      testbed = new ReplicaTestbed(await startRedisCluster({ ...(await options()), firstHasReplica: true }));
      await erasureWaitsForItsOwnReplica(testbed);
    });
  });
}

class ReplicaTestbed {
  readonly #group: RedisGroup;
  readonly store: MappingStore;

  constructor(group: RedisGroup) {
    this.#group = group;
    this.store = createRedisStore({
      address: parseRedisAddress(group.url),
      sessionKey: randomBytes(32),
      encryptionKeys: () => [Buffer.alloc(32, 1)],
      ttlMs: 60_000,
    });
  }

  server(at: number): RedisServer {
    const found = this.#group.servers[at];
    if (!found) throw new Error(`Server ${at} does not exist.`);
    return found;
  }

  put(session: SessionId, subject: SubjectId, fence = this.store.fence()) {
    return this.store.put({ session, subject, values: new Map([[ANNA, 'Anna']]), fence });
  }

  async stop(): Promise<void> {
    await this.store.close();
    await this.#group.stop();
  }
}

async function erasureSurvivesFailover(testbed: ReplicaTestbed): Promise<void> {
  const { store } = testbed;
  const [master, replica, sentinel] = [testbed.server(0), testbed.server(1), testbed.server(2)];
  const { session, subject } = newIds();
  await eventually(async () => (await testbed.put(session, subject)).kind === 'stored');
  await eventually(async () => (await replica.cli('KEYS', '*')).includes(session));
  const before = store.fence();
  const other = newIds();
  await erasureFailsWithoutBlocking(testbed, replica, subject, other);

  const again = store.eraseSubject(subject);
  process.kill(replica.pid, 'SIGCONT');
  await again;
  // Sentinel does not promote a replica that was down recently.
  await eventually(async () => !(await sentinel.cli('SENTINEL', 'REPLICAS', 'main')).includes('s_down'));
  await master.kill();
  await eventually(async () => (await store.get(other.session, [ANNA])).size === 1);
  await eventually(async () => (await testbed.put(session, subject, before)).kind === 'erased');
  // Sentinel can move the connection once more.
  await eventually(async () => (await store.get(session, [ANNA])).size === 0);
}

async function erasureFailsWithoutBlocking(
  testbed: ReplicaTestbed,
  replica: RedisServer,
  subject: SubjectId,
  other: { readonly session: SessionId; readonly subject: SubjectId },
): Promise<void> {
  const { store } = testbed;
  // A stopped replica confirms nothing.
  process.kill(replica.pid, 'SIGSTOP');
  const order: string[] = [];
  const rejected = store.eraseSubject(subject).then(
    () => expect.fail('The erasure was confirmed.'),
    (error: unknown) => {
      order.push('erasure');
      return error as Error;
    },
  );
  await delay(50);
  expect((await testbed.put(other.session, other.subject)).kind).to.equal('stored');
  expect((await store.get(other.session, [ANNA])).size).to.equal(1);
  order.push('others');
  const error = await rejected;
  expect(error).to.be.instanceOf(StoreUnavailableError);
  expect(error.message).to.match(/no replica confirmed the erasure in time\. Repeat the erasure\.$/);
  expect(order).to.deep.equal(['others', 'erasure']);
}

async function erasureWaitsForItsOwnReplica(testbed: ReplicaTestbed): Promise<void> {
  const { store } = testbed;
  const [first, replica] = [testbed.server(0), testbed.server(3)];
  const all = Array.from({ length: 24 }, newIds);
  for (const { session, subject } of all) {
    await eventually(async () => (await testbed.put(session, subject)).kind === 'stored');
  }
  const onFirst = (await first.cli('KEYS', '*')).trim();
  const isOnFirst = ({ session }: { session: SessionId }): boolean => onFirst.includes(session);
  const [replicated, alone] = [all.find(isOnFirst), all.find((ids) => !isOnFirst(ids))];
  if (!replicated || !alone) throw new Error('All sessions are on one master.');
  process.kill(replica.pid, 'SIGSTOP');
  expect(await store.eraseSession(alone.session)).to.equal(true);
  const problem = await store.eraseSession(replicated.session).catch((error: unknown) => error);
  expect(problem).to.be.instanceOf(StoreUnavailableError);
  process.kill(replica.pid, 'SIGCONT');
  await eventually(async () => (await store.eraseSubject(replicated.subject)) === 0);
  await eventually(async () => !(await replica.cli('KEYS', '*')).includes(`session:${replicated.session}`));
}

/** Waits until a condition is true and the store is available. */
async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 40_000;
  for (;;) {
    try {
      if (await condition()) return;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    if (performance.now() > deadline) expect.fail('The condition did not become true within 40 s.');
    await delay(20);
  }
}
