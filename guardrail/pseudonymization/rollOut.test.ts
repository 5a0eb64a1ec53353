import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { createMemoryStore } from '../store/store.ts';
import { Pseudonyms } from './pseudonyms.ts';
import { callBy, createFakeAnalyzer, createTestGuard, type Planted } from './testing/testGuard.ts';

describe('replicas of two versions during a roll-out', () => {
  // Derived by the first release: another derivation would give one value two tags, and refuse to restore the old ones.
  it('derive the same tag from a value', () => {
    const pseudonyms = new Pseudonyms(createSecretKey(Buffer.alloc(32, 1)), 'session');
    const { pseudonym } = pseudonyms.entry('PERSON', 'Anna Schmidt');
    expect(pseudonym).to.equal('<PERSON_7NMRAKQ1>');
  });

  const old: Planted = { 'Anna Schmidt': 'PERSON', Bolt: 'PERSON', '4711': 'ID' };
  const young: Planted = { 'Anna Schmidt': 'PERSON', Anna: 'PERSON', 'mail@e.example': 'EMAIL_ADDRESS', '4711': 'ID' };
  const text = 'Anna Schmidt and Bolt: 4711, mail@e.example, and Anna';

  it('that find different values give the same tags, and restore those of each other', async () => {
    const store = createMemoryStore({ ttlMs: 60_000 });
    const guards = [old, young].map((planted) => createTestGuard(createFakeAnalyzer(planted), { store }).guard);
    const sent: string[] = [];
    for (const guard of guards) {
      const outcome = await guard.request({ texts: [text] }, callBy());
      sent.push(outcome.action === 'GUARDRAIL_INTERVENED' ? (outcome.texts[0] ?? '') : '');
    }
    const [byOld = [], byYoung = []] = sent.map((one): string[] => one.match(/<\w+>/g) ?? []);
    expect([byOld.length, byYoung.length]).to.deep.equal([3, 4]);
    expect(byOld.filter((tag) => byYoung.includes(tag))).to.have.length(2);
    for (const guard of guards)
      for (const one of sent) expect((await guard.response({ texts: [one] }, callBy())).texts).to.deep.equal([text]);
    await store.close();
  });
});
