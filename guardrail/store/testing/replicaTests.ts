/**
 * For tests: what holds of erasures where Redis has replicas, which hear of a write only after its caller.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import {
  startRedisCluster,
  startRedisSentinel,
  type RedisGroup,
  type RedisServer,
} from '../../../hack/testing/redis.ts';
import type { Pseudonym, SessionId, SubjectId } from '../../ids.ts';
import { createRedisStore, parseRedisAddress, StoreUnavailableError, type MappingStore } from '../store.ts';

const ANNA = '<PERSON_ANNAAA22>' as Pseudonym;

/** Defines the tests for one kind of server. */
export function describeReplicas(name: string, program?: () => Promise<string>): void {
  const options = async () => (program ? { program: await program() } : {});

  describe(`erasures with replicas: ${name}`, function () {
    this.timeout(180_000);
    let group: RedisGroup;
    let store: MappingStore;
    afterEach(async () => {
      await store.close();
      await group.stop();
    });

    function open(): void {
      store = createRedisStore({
        address: parseRedisAddress(group.url),
        sessionKey: randomBytes(32),
        encryptionKeys: () => [Buffer.alloc(32, 1)],
        ttlMs: 60_000,
      });
    }
    const server = (at: number): RedisServer => {
      const found = group.servers[at];
      if (!found) throw new Error(`There is no server ${at}.`);
      return found;
    };
    const put = (session: SessionId, subject: SubjectId, fence = store.fence()) =>
      store.put({ session, subject, values: new Map([[ANNA, 'Anna']]), fence });

    it('are done once a replica has them, hold nobody else up until then, and survive a fail-over', async () => {
      group = await startRedisSentinel(await options());
      open();
      const { session, subject } = newIds();
      await eventually(async () => (await put(session, subject)).kind === 'stored');
      await eventually(async () => (await server(1).cli('KEYS', '*')).includes(session));
      const before = store.fence();

      // A replica that has stopped confirms nothing.
      process.kill(server(1).pid, 'SIGSTOP');
      const order: string[] = [];
      const refused = store.eraseSubject(subject).then(
        () => expect.fail('The erasure was confirmed.'),
        (error: unknown) => {
          order.push('erasure');
          return error as Error;
        },
      );
      await delay(50);
      const other = newIds();
      expect((await put(other.session, other.subject)).kind).to.equal('stored');
      expect((await store.get(other.session, [ANNA])).size).to.equal(1);
      order.push('others');
      const error = await refused;
      expect(error).to.be.instanceOf(StoreUnavailableError);
      expect(error.message).to.match(/no replica confirmed the erasure in time\. Repeat the erasure\.$/);
      expect(order).to.deep.equal(['others', 'erasure']);

      const again = store.eraseSubject(subject);
      process.kill(server(1).pid, 'SIGCONT');
      await again;
      // Sentinel promotes no replica that it has seen down a moment ago.
      await eventually(async () => !(await server(2).cli('SENTINEL', 'REPLICAS', 'main')).includes('s_down'));
      await server(0).kill();
      await eventually(async () => (await store.get(other.session, [ANNA])).size === 1);
      await eventually(async () => (await put(session, subject, before)).kind === 'erased');
      expect((await store.get(session, [ANNA])).size).to.equal(0);
    });

    it('in a Cluster are done once a replica of their own master has them', async () => {
      group = await startRedisCluster({ ...(await options()), firstHasReplica: true });
      open();
      const all = Array.from({ length: 24 }, newIds);
      for (const { session, subject } of all) {
        await eventually(async () => (await put(session, subject)).kind === 'stored');
      }
      const onFirst = (await server(0).cli('KEYS', '*')).trim();
      const isOnFirst = ({ session }: { session: SessionId }): boolean => onFirst.includes(session);
      const [replicated, alone] = [all.find(isOnFirst), all.find((ids) => !isOnFirst(ids))];
      if (!replicated || !alone) throw new Error('All sessions are on one master.');
      process.kill(server(3).pid, 'SIGSTOP');
      expect(await store.eraseSession(alone.session)).to.equal(true);
      const problem = await store.eraseSession(replicated.session).catch((error: unknown) => error);
      expect(problem).to.be.instanceOf(StoreUnavailableError);
      process.kill(server(3).pid, 'SIGCONT');
      await eventually(async () => (await store.eraseSubject(replicated.subject)) === 0);
      await eventually(async () => !(await server(3).cli('KEYS', '*')).includes(`session:${replicated.session}`));
    });
  });
}

/** Sessions and end users share the beginning of their ids, as the core derives them. */
function newIds(): { session: SessionId; subject: SubjectId } {
  const id = (): string => randomBytes(16).toString('hex');
  const subject = id();
  return { session: (subject.slice(0, 4) + id().slice(4)) as SessionId, subject: subject as SubjectId };
}

/** Until it comes true, and no longer throws that the store is out of reach. */
async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 40_000;
  for (;;) {
    try {
      if (await condition()) return;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    if (performance.now() > deadline) expect.fail('The condition did not come true within 40 s.');
    await delay(20);
  }
}
