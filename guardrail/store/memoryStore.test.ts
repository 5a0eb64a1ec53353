import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Pseudonym, SessionId, SubjectId, Tenant } from '../ids.ts';
import { createMemoryStore, type MemoryStore } from './memoryStore.ts';

const session = (n: number): SessionId => `session-${n}` as SessionId;
const subject = (n: number): SubjectId => `subject-${n}` as SubjectId;
const pseudonym = (n: number): Pseudonym => `<PERSON_${n}>` as Pseudonym;
const isStored = async (store: MemoryStore, n: number): Promise<boolean> =>
  (await store.describe(session(n))) !== undefined;

function put(store: MemoryStore, n: number, tags: number, of?: number, tenant?: Tenant): Promise<unknown> {
  const values = new Map(Array.from({ length: tags }, (_, at): [Pseudonym, string] => [pseudonym(at), `value ${at}`]));
  return store.put({
    session: session(n),
    subject: of === undefined ? undefined : subject(of),
    tenant,
    values,
    fence: store.fence(),
  });
}

describe('the memory store', () => {
  it('evicts the least recently used session when it has too many entries', async () => {
    const store = createMemoryStore({ ttlMs: 1000, maxEntries: 10 });
    for (let n = 0; n < 5; n += 1) await put(store, n, 2);
    await store.get(session(0), [pseudonym(0)]);
    await put(store, 5, 2);
    expect(await Promise.all([0, 1, 2, 5].map((n) => isStored(store, n)))).to.deep.equal([true, false, true, true]);
    expect(store.usage.entries).to.equal(10);
    await store.close();
  });

  it('evicts sessions when they take too many bytes', async () => {
    const store = createMemoryStore({ ttlMs: 1000, maxBytes: 100_000 });
    for (let n = 0; n < 1000; n += 1) await put(store, n, 3, n);
    expect(store.usage.bytes).to.be.within(90_000, 100_000);
    expect([await isStored(store, 999), await isStored(store, 0)]).to.deep.equal([true, false]);
    await store.close();
  });

  it('evicts the oldest session of the tenant that fills it', async () => {
    const [A, B, C] = ['a', 'b', 'c'] as Tenant[] as [Tenant, Tenant, Tenant];
    const store = createMemoryStore({ ttlMs: 1e6, maxBytes: 1_000_000 });
    for (let n = 0; n < 20; n += 1) await put(store, n, 20, n, B);
    for (let n = 100; n < 5000; n += 1) await put(store, n, 20, n, A);
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    expect(await Promise.all(numbers.map((n) => isStored(store, n)))).to.not.contain(false);
    expect([await isStored(store, 100), await isStored(store, 4999)]).to.deep.equal([false, true]);
    // A third tenant takes its place from the first one.
    for (let n = 10_000; n < 10_020; n += 1) await put(store, n, 20, n, C);
    expect(await Promise.all(numbers.map((n) => isStored(store, 10_000 + n)))).to.not.contain(false);
    expect(await Promise.all(numbers.map((n) => isStored(store, n)))).to.not.contain(false);
    await store.close();
  });

  it('shares its memory about equally among the tenants that fill it', async () => {
    const store = createMemoryStore({ ttlMs: 1e6, maxBytes: 1_000_000 });
    const tenants = ['a', 'b', 'c', 'd'] as Tenant[];
    for (let n = 0; n < 8000; n += 1) await put(store, n, 5, n, tenants[n < 4000 ? 0 : n % 4]);
    const left = [0, 0, 0, 0];
    for (let n = 0; n < 8000; n += 1)
      if (await isStored(store, n)) left[n < 4000 ? 0 : n % 4] = (left[n < 4000 ? 0 : n % 4] ?? 0) + 1;
    const all = left.reduce((sum, count) => sum + count, 0);
    for (const count of left) expect(count / all).to.be.within(0.2, 0.3);
    await store.close();
  });

  it('drops a session that is larger than its limits', async () => {
    const store = createMemoryStore({ ttlMs: 1000, maxEntries: 10 });
    await put(store, 1, 50);
    expect(store.usage).to.deep.equal({ sessions: 0, entries: 0, bytes: 0 });
    await store.close();
  });

  it('expires sessions by its own clock and frees their memory', async () => {
    let time = 0;
    const store = createMemoryStore({ ttlMs: 1000, now: () => time });
    await put(store, 1, 1);
    time = 999;
    expect(await isStored(store, 1)).to.equal(true);
    await put(store, 2, 1);
    time = 1000;
    expect(await isStored(store, 1)).to.equal(false);
    await put(store, 3, 1);
    expect(store.usage.sessions).to.equal(2);
    await store.close();
  });

  it('frees an expired session behind one with a longer expiry', async () => {
    let time = 0;
    const store = createMemoryStore({ ttlMs: 1000, now: () => time });
    await put(store, 1, 1);
    const values = new Map([['<PERSON_1>' as Pseudonym, 'Anna']]);
    await store.put({ session: 'short' as SessionId, subject: undefined, values, fence: store.fence(), ttlMs: 100 });
    time = 100;
    expect(await store.count()).to.equal(1);
    expect(await isStored(store, 1)).to.equal(true);
    await store.close();
  });

  it('remembers erasures only for the tombstone time', async () => {
    let time = 0;
    const store = createMemoryStore({ ttlMs: 1000, tombstoneMs: 500, now: () => time });
    const fence = store.fence();
    await store.eraseSession(session(1));
    const stale = { session: session(1), subject: undefined, values: new Map([[pseudonym(1), 'x']]), fence };
    expect((await store.put(stale)).kind).to.equal('erased');
    time = 501;
    await store.count();
    expect((await store.put(stale)).kind).to.equal('stored');
    await store.close();
  });

  it('counts no entries or bytes after eviction, expiry and erasure', async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('put' as const),
        n: fc.nat(8),
        tags: fc.nat(40),
        of: fc.option(fc.nat(3), { nil: undefined }),
        tenant: fc.constantFrom(undefined, 'a' as Tenant, 'b' as Tenant),
      }),
      fc.record({ do: fc.constant('get' as const), n: fc.nat(8) }),
      fc.record({ do: fc.constant('eraseSession' as const), n: fc.nat(8) }),
      fc.record({ do: fc.constant('eraseSubject' as const), n: fc.nat(3) }),
      fc.record({ do: fc.constant('wait' as const), n: fc.nat(400) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        let time = 0;
        const store = createMemoryStore({ ttlMs: 1000, maxEntries: 100, now: () => time });
        for (const one of steps) {
          if (one.do === 'put') await put(store, one.n, one.tags, one.of, one.tenant);
          else if (one.do === 'get') await store.get(session(one.n), [pseudonym(0)]);
          else if (one.do === 'eraseSession') await store.eraseSession(session(one.n));
          else if (one.do === 'eraseSubject') await store.eraseSubject(subject(one.n));
          else time += one.n;
          expect(store.usage.entries).to.be.within(0, 100);
        }
        time += 1001;
        await store.count();
        expect(store.usage).to.deep.equal({ sessions: 0, entries: 0, bytes: 0 });
        await store.close();
      }),
      { numRuns: 200 },
    );
  });

  it('takes at most 500 bytes per mapping after a garbage collection', async function () {
    this.timeout(60_000);
    // A separate process, so that garbage of other tests is not counted.
    const program = join(import.meta.dirname, 'testing/memoryFootprint.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program]);
    const { measured, accounted, left } = JSON.parse(stdout) as Record<'measured' | 'accounted' | 'left', number>;
    expect(measured).to.be.within(50, 500);
    expect(accounted).to.be.within(0.8 * measured, 1.5 * measured);
    expect(left).to.be.lessThan(20);
  });
});
