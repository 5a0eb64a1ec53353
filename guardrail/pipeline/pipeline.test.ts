import { expect } from 'chai';
import { createGuard, type Guard } from '../pseudonymization/pseudonymization.ts';
import { callBy, createFakeAnalyzer, testKey } from '../pseudonymization/testing/testGuard.ts';
import { createMemoryStore, type MappingStore } from '../store/store.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';
import { onlyService } from './testing/testPolicies.ts';

const caller = callBy();

function guardIn(mode: PipelineOptions['mode'], store: MappingStore): Guard {
  return createPipeline({
    ...{ mode, store, sessionKey: testKey, scope: 'user', images: 'pass', remoteImages: 'pass', unreadText: 'mask' },
    policies: onlyService(),
    analyzer: createFakeAnalyzer({ Anna: 'PERSON' }),
    reader: {
      read: () => Promise.reject(new Error('There are no images here.')),
      rewrite: () => Promise.reject(new Error('There are no images here.')),
      close: () => Promise.resolve(),
    },
    createTextGuard: createGuard,
  }).guard;
}

describe('an answer that arrives in pieces', () => {
  const restored = { restored: 1, withheld: 0, unknown: 0, isEnumeration: false };
  const modes = [
    { mode: 'enforce', outputs: ['Hi ', '', 'Anna!'], counts: restored },
    { mode: 'monitor', outputs: undefined, counts: { ...restored, restored: 0 } },
  ] as const;
  for (const { mode, outputs, counts } of modes) {
    it(`is ${outputs ? 'restored' : 'unchanged'} in the mode ${mode}`, async () => {
      const store = createMemoryStore({ ttlMs: 1e6 });
      const sent = await guardIn('enforce', store).request({ texts: ['Anna'] }, caller);
      if (sent.action !== 'GUARDRAIL_INTERVENED') throw new Error('Nothing was replaced.');
      const tag = sent.texts[0] ?? '';
      const pieces = ['Hi ', tag.slice(0, 9), `${tag.slice(9)}!`];
      const answer = guardIn(mode, store).stream(caller);
      const text = answer.text('text');
      for (const [at, piece] of pieces.entries()) expect(await text.push(piece)).to.equal(outputs?.[at] ?? piece);
      expect(await text.end()).to.equal('');
      expect(answer.counts()).to.deep.equal(counts);
    });
  }
});

describe('a tool that asks for values', () => {
  const tag = '<PERSON_BBBB3333>';
  const passages = [{ text: tag, kind: 'text' }] as const;
  const anonymous = { ...caller, identity: { tenant: caller.identity.tenant } };
  for (const [name, mode, context] of [
    ['in monitor mode', 'monitor', caller],
    ['of a call without a session', 'enforce', anonymous],
  ] as const) {
    it(`gets to know that a pseudonym is unknown ${name}`, async () => {
      const guard = guardIn(mode, createMemoryStore({ ttlMs: 1e6 }));
      const outcome = await guard.response({ texts: [], passages }, { ...context, mayShow: () => true });
      expect(outcome).to.deep.include({ action: 'NONE', passages, restored: 0, withheld: 0, unknown: 1 });
      expect(outcome.byType?.unknown).to.deep.equal(new Map([['PERSON', 1]]));
    });
  }
});
