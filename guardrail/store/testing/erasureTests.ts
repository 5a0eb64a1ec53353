/** Tests of erasures, for every implementation of the store. */
import { expect } from 'chai';
import { ANNA, BOB, eventually, newIds, pseudonym, type StoreTestbed } from './storeTestbed.ts';

export function describeErasures(testbed: StoreTestbed): void {
  const { put } = testbed;

  it('erases a session repeatedly', async () => {
    const { store } = testbed;
    const { session } = newIds();
    expect(await store.eraseSession(session)).to.equal(false);
    await put(session, { [ANNA]: 'Anna' });
    expect(await store.eraseSession(session)).to.equal(true);
    expect(await store.eraseSession(session)).to.equal(false);
    expect((await store.get(session, [ANNA])).size).to.equal(0);
    expect(await put(session, { [ANNA]: 'Another' })).to.deep.equal({ kind: 'stored' });
  });

  it('erases every session of an end user and no other', async () => {
    const { store } = testbed;
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
}

export function describeFences(testbed: StoreTestbed): void {
  const { put } = testbed;

  it('rejects a write with a fence from before an erasure of its session, and accepts a later one', async () => {
    const { store } = testbed;
    const { session } = newIds();
    const before = store.fence();
    await store.eraseSession(session);
    expect(await put(session, { [ANNA]: 'Anna' }, { fence: before })).to.deep.equal({ kind: 'erased' });
    expect(await store.describe(session)).to.equal(undefined);
    expect(await put(session, { [ANNA]: 'Anna' })).to.deep.equal({ kind: 'stored' });
  });

  it('rejects a write with a fence from before an erasure of its end user', async () => {
    const { store } = testbed;
    const { session, sibling, subject } = newIds();
    await put(session, { [ANNA]: 'Anna' }, { subject });
    const before = store.fence();
    await store.eraseSubject(subject);
    expect((await put(session, { [BOB]: 'Bob' }, { subject, fence: before })).kind).to.equal('erased');
    expect((await put(sibling, { [BOB]: 'Bob' }, { subject, fence: before })).kind).to.equal('erased');
    expect(await store.describe(session)).to.equal(undefined);
    expect((await put(session, { [BOB]: 'Bob' }, { subject })).kind).to.equal('stored');
  });

  it('accepts a write after an erasure from another client, as soon as that one is healthy', async () => {
    const { session } = newIds();
    for (let round = 0; round < 20; round += 1) {
      await testbed.store.eraseSession(session);
      await testbed.withSecondStore(async (second) => {
        expect(await put(session, { [ANNA]: 'Anna' }, { in: second })).to.deep.equal({ kind: 'stored' });
      });
    }
  });

  it('never keeps erased data when writes and erasures interleave', async () => {
    const { store } = testbed;
    const { session, subject } = newIds();
    await testbed.withSecondStore(async (second) => {
      for (let round = 0; round < 30; round += 1) {
        const writes = Array.from({ length: 8 }, (_, at) => {
          const target = at % 2 === 0 ? store : second;
          return put(session, { [pseudonym(`R${round}A${at}`)]: 'value' }, { subject, in: target });
        });
        const erasure = round % 2 === 0 ? store.eraseSubject(subject) : second.eraseSession(session);
        await Promise.all([...writes, erasure]);
        expect(await store.describe(session)).to.equal(undefined);
        await eventually(async () => (await put(session, { [ANNA]: 'x' }, { subject })).kind === 'stored');
        await second.eraseSubject(subject);
      }
    });
  });
}
