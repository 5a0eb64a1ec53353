import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { startRedis, type RedisServer } from '../../hack/harness/redis.ts';
import type { KeyRing } from './cipher.ts';
import { createMemoryStore, createRedisStore, parseRedisAddress, type MappingStore } from './store.ts';
import { ANNA, BOB, CARL, DAY, eventually, newIds } from './testing/storeTestbed.ts';

describe('mappings that a process has stored before', () => {
  const sessionKey = randomBytes(32);
  let server: RedisServer | undefined;
  const stores: MappingStore[] = [];
  before(async function () {
    this.timeout(60_000);
    server = await startRedis();
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server?.stop();
  });

  async function open(ring: () => KeyRing): Promise<MappingStore> {
    const address = parseRedisAddress(server?.url ?? '');
    const store = createRedisStore({ address, sessionKey, encryptionKeys: ring, ttlMs: DAY });
    stores.push(store);
    await eventually(() =>
      store.ping().then(
        () => store.fence() > 0,
        () => false,
      ),
    );
    return store;
  }

  it('are stored as in memory, whatever was stored and erased before', async () => {
    const ring: KeyRing = [randomBytes(32)];
    const redis = [await open(() => ring), await open(() => ring)];
    const values = fc.dictionary(fc.constantFrom(ANNA, BOB, CARL), fc.constantFrom('one', 'two'), {
      noNullPrototype: true,
    });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ put: values, by: fc.constantFrom(0, 1) }) },
      { weight: 1, arbitrary: fc.constant('erase' as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const model = createMemoryStore({ ttlMs: DAY });
        const { session } = newIds();
        for (const one of steps) {
          if (one === 'erase') {
            const erased = await Promise.all([model.eraseSession(session), redis[0]?.eraseSession(session)]);
            expect(erased[1]).to.equal(erased[0]);
            // The other process asks for the time, so that its next fence is later than the erasure.
            await Promise.all(redis.map((store) => store.ping()));
            continue;
          }
          const stored = new Map(Object.entries(one.put)) as never;
          const [expected, result] = await Promise.all(
            [model, redis[one.by] ?? model].map((store) =>
              store.put({ session, subject: undefined, values: stored, fence: store.fence() }),
            ),
          );
          expect(result).to.deep.equal(expected);
        }
        const all = await Promise.all([model, ...redis].map((store) => store.get(session, [ANNA, BOB, CARL])));
        for (const one of all) expect(one).to.deep.equal(all[0]);
        await model.close();
      }),
      { numRuns: 60 },
    );
  });

  it('are encrypted again after a rotation of the key', async () => {
    const [old, key] = [randomBytes(32), randomBytes(32)];
    let ring: KeyRing = [old];
    const rotating = await open(() => ring);
    const { session } = newIds();
    const put = (): Promise<unknown> =>
      rotating.put({ session, subject: undefined, values: new Map([[ANNA, 'Anna']]), fence: rotating.fence() });
    await put();
    await put();
    const withNewKey = await open(() => [key]);
    expect((await withNewKey.get(session, [ANNA])).size).to.equal(0);
    ring = [key, old];
    await put();
    expect((await withNewKey.get(session, [ANNA])).get(ANNA)).to.equal('Anna');
  });
});
