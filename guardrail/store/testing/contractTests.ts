/**
 * For tests: what every mapping store must do, whatever is behind it.
 */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { RedisGroup, RedisServer } from '../../../hack/testing/redis.ts';
import type { Pseudonym, SessionId, SubjectId } from '../../ids.ts';
import { createRedisStore, parseRedisAddress, type MappingStore } from '../store.ts';

interface Options {
  readonly ttlMs?: number;
  readonly tombstoneMs?: number;
}

export interface Implementation {
  readonly name: string;
  start?(): Promise<void>;
  open(options?: Options): Promise<MappingStore>;
  stop?(): Promise<void>;
}

export const DAY = 86_400_000;

export function redisImplementation(name: string, launch: () => Promise<RedisServer | RedisGroup>): Implementation {
  let server: RedisServer | RedisGroup | undefined;
  const sessionKey = randomBytes(32);
  const encryptionKey = randomBytes(32);
  return {
    name,
    async start() {
      server = await launch();
    },
    async open(options = {}) {
      const store = createRedisStore({
        address: parseRedisAddress(server?.url ?? ''),
        sessionKey,
        encryptionKeys: () => [encryptionKey],
        ttlMs: options.ttlMs ?? DAY,
        ...(options.tombstoneMs === undefined ? {} : { tombstoneMs: options.tombstoneMs }),
      });
      await answers(store);
      return store;
    },
    async stop() {
      await server?.stop();
    },
  };
}

/** Sessions and end users share the beginning of their ids, as the core derives them. */
function newIds(): { session: SessionId; sibling: SessionId; stranger: SessionId; subject: SubjectId } {
  const id = (): string => randomBytes(16).toString('hex');
  const subject = id();
  const under = (): SessionId => (subject.slice(0, 4) + id().slice(4)) as SessionId;
  return { session: under(), sibling: under(), stranger: id() as SessionId, subject: subject as SubjectId };
}

const tag = (code: string): Pseudonym => `<PERSON_${code}>` as Pseudonym;
const ANNA = tag('ANNAAA22');
const BOB = tag('BOB222');
const CARL = tag('CARL22');

async function answers(store: MappingStore): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    try {
      await store.ping();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) expect.fail('The condition did not come true within 10 s.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Defines the tests of one implementation. */
export function describeMappingStore(implementation: Implementation): void {
  describe(`the mapping store: ${implementation.name}`, () => {
    let store: MappingStore;

    before(async function () {
      this.timeout(180_000);
      await implementation.start?.();
      store = await implementation.open();
    });
    after(async () => {
      await store.close();
      await implementation.stop?.();
    });

    const put = (
      session: SessionId,
      values: Record<string, string>,
      options: { subject?: SubjectId; fence?: number; in?: MappingStore } = {},
    ): ReturnType<MappingStore['put']> => {
      const target = options.in ?? store;
      const fence = options.fence ?? target.fence();
      return target.put({ session, subject: options.subject, values: new Map(Object.entries(values)) as never, fence });
    };

    it('gives back what was put, and nothing for what was not', async () => {
      const { session } = newIds();
      expect(await put(session, { [ANNA]: 'Anna Schmidt', [BOB]: 'Bob' })).to.deep.equal({ kind: 'stored' });
      expect([...(await store.get(session, [BOB, CARL, ANNA]))]).to.deep.equal([
        [BOB, 'Bob'],
        [ANNA, 'Anna Schmidt'],
      ]);
      expect((await store.get(session, [])).size).to.equal(0);
    });

    it('keeps sessions apart', async () => {
      const { session, sibling, stranger } = newIds();
      await put(session, { [ANNA]: 'Anna' });
      expect((await store.get(sibling, [ANNA])).size).to.equal(0);
      expect((await store.get(stranger, [ANNA])).size).to.equal(0);
      expect(await put(stranger, { [ANNA]: 'Another' })).to.deep.equal({ kind: 'stored' });
      expect((await store.get(session, [ANNA])).get(ANNA)).to.equal('Anna');
    });

    it('adds to a session, and takes the same again', async () => {
      const { session } = newIds();
      await put(session, { [ANNA]: 'Anna' });
      expect(await put(session, { [ANNA]: 'Anna', [BOB]: 'Bob' })).to.deep.equal({ kind: 'stored' });
      expect((await store.get(session, [ANNA, BOB])).size).to.equal(2);
      expect((await store.describe(session))?.pseudonyms).to.equal(2);
    });

    it('tells of every collision, and then stores nothing', async () => {
      const { session } = newIds();
      await put(session, { [ANNA]: 'Anna', [BOB]: 'Bob' });
      const result = await put(session, { [CARL]: 'Carl', [ANNA]: 'Annabel', [BOB]: 'Bobby' });
      expect(result.kind).to.equal('collision');
      expect(result.kind === 'collision' && [...result.taken].sort()).to.deep.equal([
        [ANNA, 'Anna'],
        [BOB, 'Bob'],
      ]);
      expect([...(await store.get(session, [ANNA, BOB, CARL]))]).to.deep.equal([
        [ANNA, 'Anna'],
        [BOB, 'Bob'],
      ]);
    });

    it('lets one of two that claim a pseudonym at the same time win', async () => {
      const { session } = newIds();
      const second = await implementation.open();
      try {
        const both = implementation.name === 'memory' ? store : second;
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, at) =>
            put(session, { [ANNA]: `value ${at}` }, { in: at % 2 === 0 ? store : both }),
          ),
        );
        expect(results.filter(({ kind }) => kind === 'stored')).to.have.length(1);
        const winner = (await store.get(session, [ANNA])).get(ANNA);
        for (const result of results) {
          if (result.kind === 'collision') expect(result.taken.get(ANNA)).to.equal(winner);
        }
      } finally {
        await second.close();
      }
    });

    it('carries any string byte for byte', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), async (values) => {
          const { session } = newIds();
          const wanted = new Map([...values, '\ud800 lone', '\udc00', ''].map((value, at) => [tag(`T${at}`), value]));
          await store.put({ session, subject: undefined, values: wanted, fence: store.fence() });
          expect(await store.get(session, [...wanted.keys()])).to.deep.equal(wanted);
        }),
        { numRuns: 20 },
      );
    });

    it('takes a few thousand entries in one step', async () => {
      const { session, subject } = newIds();
      const values = new Map(Array.from({ length: 5000 }, (_, at) => [tag(`N${at}`), `value ${at}`]));
      expect(await store.put({ session, subject, values, fence: store.fence() })).to.deep.equal({ kind: 'stored' });
      expect(await store.get(session, [...values.keys()])).to.deep.equal(values);
      const others = new Map([...values.keys()].map((pseudonym) => [pseudonym, 'another']));
      const result = await store.put({ session, subject, values: others, fence: store.fence() });
      expect(result.kind).to.equal('collision');
    });

    it('forgets a session that was not used for its time, and renews one that was', async function () {
      this.timeout(20_000);
      const { session, sibling } = newIds();
      const short = await implementation.open({ ttlMs: 400 });
      try {
        await put(session, { [ANNA]: 'Anna' }, { in: short });
        await put(sibling, { [BOB]: 'Bob' }, { in: short });
        const until = performance.now() + 900;
        await eventually(async () => {
          expect((await short.get(session, [ANNA])).get(ANNA)).to.equal('Anna');
          return performance.now() > until;
        });
        expect((await short.get(sibling, [BOB])).size).to.equal(0);
        expect(await short.describe(sibling)).to.equal(undefined);
        await eventually(async () => (await short.describe(session)) === undefined);
        expect((await short.get(session, [ANNA])).size).to.equal(0);
      } finally {
        await short.close();
      }
    });

    it('describes a session without telling a value', async () => {
      const { session, subject } = newIds();
      expect(await store.describe(session)).to.equal(undefined);
      await put(session, { [ANNA]: 'Anna', [BOB]: 'Bob' }, { subject });
      const info = await store.describe(session);
      expect(info?.pseudonyms).to.equal(2);
      expect(info?.expiresAt.getTime()).to.be.within(Date.now() + DAY - 60_000, Date.now() + DAY + 1000);
    });

    it('erases a session, again and again', async () => {
      const { session } = newIds();
      expect(await store.eraseSession(session)).to.equal(false);
      await put(session, { [ANNA]: 'Anna' });
      expect(await store.eraseSession(session)).to.equal(true);
      expect(await store.eraseSession(session)).to.equal(false);
      expect((await store.get(session, [ANNA])).size).to.equal(0);
      expect(await put(session, { [ANNA]: 'Another' })).to.deep.equal({ kind: 'stored' });
    });

    it('erases every session of an end user, and no other', async () => {
      const { session, sibling, stranger, subject } = newIds();
      await put(session, { [ANNA]: 'Anna' }, { subject });
      await put(sibling, { [ANNA]: 'Anna too' }, { subject });
      await put(stranger, { [ANNA]: 'Stranger' });
      expect(await store.eraseSubject(subject)).to.equal(2);
      expect(await store.eraseSubject(subject)).to.equal(0);
      expect(await store.describe(session)).to.equal(undefined);
      expect(await store.describe(sibling)).to.equal(undefined);
      expect((await store.get(stranger, [ANNA])).get(ANNA)).to.equal('Stranger');
    });

    it('refuses a write that was begun before an erasure of its session, and takes one begun after it', async () => {
      const { session } = newIds();
      const before = store.fence();
      await store.eraseSession(session);
      expect(await put(session, { [ANNA]: 'Anna' }, { fence: before })).to.deep.equal({ kind: 'erased' });
      expect(await store.describe(session)).to.equal(undefined);
      expect(await put(session, { [ANNA]: 'Anna' })).to.deep.equal({ kind: 'stored' });
    });

    it('refuses a write that was begun before an erasure of its end user', async () => {
      const { session, sibling, subject } = newIds();
      await put(session, { [ANNA]: 'Anna' }, { subject });
      const before = store.fence();
      await store.eraseSubject(subject);
      expect((await put(session, { [BOB]: 'Bob' }, { subject, fence: before })).kind).to.equal('erased');
      expect((await put(sibling, { [BOB]: 'Bob' }, { subject, fence: before })).kind).to.equal('erased');
      expect(await store.describe(session)).to.equal(undefined);
      expect((await put(session, { [BOB]: 'Bob' }, { subject })).kind).to.equal('stored');
    });

    it('never keeps what was erased, however writes and erasures interleave', async () => {
      const { session, subject } = newIds();
      const second = await implementation.open();
      try {
        const other = implementation.name === 'memory' ? store : second;
        for (let round = 0; round < 30; round += 1) {
          const writes = Array.from({ length: 8 }, (_, at) => {
            const target = at % 2 === 0 ? store : other;
            return put(session, { [tag(`R${round}A${at}`)]: 'value' }, { subject, in: target });
          });
          const erasure = round % 2 === 0 ? store.eraseSubject(subject) : other.eraseSession(session);
          await Promise.all([...writes, erasure]);
          expect(await store.describe(session)).to.equal(undefined);
          await eventually(async () => (await put(session, { [ANNA]: 'x' }, { subject })).kind === 'stored');
          await other.eraseSubject(subject);
        }
      } finally {
        await second.close();
      }
    });

    it('counts sessions', async () => {
      const before = await store.count();
      const { session, sibling } = newIds();
      await put(session, { [ANNA]: 'Anna' });
      await put(sibling, { [ANNA]: 'Anna' });
      expect(await store.count()).to.equal(before + 2);
    });
  });
}
