/** Tests of reading and writing mappings, for every implementation of the store. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { SessionId } from '../../ids.ts';
import { ANNA, BOB, CARL, DAY, eventually, newIds, pseudonym, type StoreTestbed } from './storeTestbed.ts';

export function describeMappings(testbed: StoreTestbed): void {
  const { put } = testbed;

  it('returns stored values and no others', async () => {
    const { session } = newIds();
    expect(await put(session, { [ANNA]: 'Anna Schmidt', [BOB]: 'Bob' })).to.deep.equal({ kind: 'stored' });
    expect([...(await testbed.store.get(session, [BOB, CARL, ANNA]))]).to.deep.equal([
      [BOB, 'Bob'],
      [ANNA, 'Anna Schmidt'],
    ]);
    expect((await testbed.store.get(session, [])).size).to.equal(0);
  });

  it('isolates sessions', async () => {
    const { session, sibling, stranger } = newIds();
    await put(session, { [ANNA]: 'Anna' });
    expect((await testbed.store.get(sibling, [ANNA])).size).to.equal(0);
    expect((await testbed.store.get(stranger, [ANNA])).size).to.equal(0);
    expect(await put(stranger, { [ANNA]: 'Another' })).to.deep.equal({ kind: 'stored' });
    expect((await testbed.store.get(session, [ANNA])).get(ANNA)).to.equal('Anna');
  });

  it('adds to a session and accepts equal values again', async () => {
    const { session } = newIds();
    await put(session, { [ANNA]: 'Anna' });
    expect(await put(session, { [ANNA]: 'Anna', [BOB]: 'Bob' })).to.deep.equal({ kind: 'stored' });
    expect((await testbed.store.get(session, [ANNA, BOB])).size).to.equal(2);
    expect((await testbed.store.describe(session))?.pseudonyms).to.equal(2);
  });

  it('stores any string byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), async (values) => {
        const { session } = newIds();
        const stored = new Map(
          [...values, '\ud800 lone', '\udc00', ''].map((value, at) => [pseudonym(`T${at}`), value]),
        );
        await testbed.store.put({ session, subject: undefined, values: stored, fence: testbed.store.fence() });
        expect(await testbed.store.get(session, [...stored.keys()])).to.deep.equal(stored);
      }),
      { numRuns: 20 },
    );
  });

  it('stores thousands of entries in one step', async () => {
    const { store } = testbed;
    const { session, subject } = newIds();
    const values = new Map(Array.from({ length: 5000 }, (_, at) => [pseudonym(`N${at}`), `value ${at}`]));
    expect(await store.put({ session, subject, values, fence: store.fence() })).to.deep.equal({ kind: 'stored' });
    expect(await store.get(session, [...values.keys()])).to.deep.equal(values);
    const others = new Map([...values.keys()].map((known) => [known, 'another']));
    const result = await store.put({ session, subject, values: others, fence: store.fence() });
    expect(result.kind).to.equal('collision');
  });
}

export function describeSessions(testbed: StoreTestbed): void {
  const { put } = testbed;

  it('describes a session without its values', async () => {
    const { session, subject } = newIds();
    expect(await testbed.store.describe(session)).to.equal(undefined);
    await put(session, { [ANNA]: 'Anna', [BOB]: 'Bob' }, { subject });
    const info = await testbed.store.describe(session);
    expect(info?.pseudonyms).to.equal(2);
    expect(info?.expiresAt.getTime()).to.be.within(Date.now() + DAY - 60_000, Date.now() + DAY + 1000);
  });

  it('counts sessions', async () => {
    const before = await testbed.store.count();
    const { session, sibling } = newIds();
    await put(session, { [ANNA]: 'Anna' });
    await put(sibling, { [ANNA]: 'Anna' });
    expect(await testbed.store.count()).to.equal(before + 2);
  });
}

export function describeCollisions(testbed: StoreTestbed): void {
  const { put } = testbed;

  it('reports every collision and stores nothing', async () => {
    const { session } = newIds();
    await put(session, { [ANNA]: 'Anna', [BOB]: 'Bob' });
    const result = await put(session, { [CARL]: 'Carl', [ANNA]: 'Annabel', [BOB]: 'Bobby' });
    expect(result.kind).to.equal('collision');
    expect(result.kind === 'collision' && [...result.taken].sort()).to.deep.equal([
      [ANNA, 'Anna'],
      [BOB, 'Bob'],
    ]);
    expect([...(await testbed.store.get(session, [ANNA, BOB, CARL]))]).to.deep.equal([
      [ANNA, 'Anna'],
      [BOB, 'Bob'],
    ]);
  });

  it('stores one of several concurrent values of a pseudonym', async () => {
    const { session } = newIds();
    await testbed.withSecondStore(async (second) => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          put(session, { [ANNA]: `value ${at}` }, { in: at % 2 === 0 ? testbed.store : second }),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'stored')).to.have.length(1);
      const winner = (await testbed.store.get(session, [ANNA])).get(ANNA);
      for (const result of results) {
        if (result.kind === 'collision') expect(result.taken.get(ANNA)).to.equal(winner);
      }
    });
  });
}

export function describeExpiry(testbed: StoreTestbed): void {
  const HOUR = 3_600_000;
  const remaining = async (id: SessionId): Promise<number> => {
    const expiresAt = (await testbed.store.describe(id))?.expiresAt.getTime() ?? Date.now();
    return expiresAt - Date.now();
  };

  it('expires a session after the time of its last call, shorter or longer than the setting', async () => {
    const { session, sibling, subject } = newIds();
    await testbed.put(session, { [ANNA]: 'Anna' }, { ttlMs: HOUR, subject });
    await testbed.put(sibling, { [BOB]: 'Bob' }, { subject });
    expect(await remaining(session)).to.be.closeTo(HOUR, 10_000);
    await testbed.store.get(session, [ANNA], 2 * HOUR);
    expect(await remaining(session)).to.be.closeTo(2 * HOUR, 10_000);
    await testbed.store.get(session, [ANNA], 20);
    await eventually(async () => (await testbed.store.describe(session)) === undefined);
    expect((await testbed.store.get(session, [ANNA])).size).to.equal(0);
    expect((await testbed.store.get(sibling, [BOB])).get(BOB)).to.equal('Bob');
    expect(await testbed.store.eraseSubject(subject)).to.equal(1);
  });

  it('renews a session that is used, and no other', async () => {
    const { session, sibling } = newIds();
    await testbed.put(session, { [ANNA]: 'Anna' }, { ttlMs: HOUR });
    await testbed.put(sibling, { [BOB]: 'Bob' }, { ttlMs: HOUR });
    expect((await testbed.store.get(session, [ANNA])).get(ANNA)).to.equal('Anna');
    expect(await remaining(session)).to.be.closeTo(DAY, 10_000);
    expect(await remaining(sibling)).to.be.closeTo(HOUR, 10_000);
  });

  it('does not renew a session that is only read for a tool', async () => {
    const { session } = newIds();
    await testbed.put(session, { [ANNA]: 'Anna' }, { ttlMs: HOUR });
    expect((await testbed.store.get(session, [ANNA], 0)).get(ANNA)).to.equal('Anna');
    expect(await remaining(session)).to.be.closeTo(HOUR, 10_000);
  });
}
