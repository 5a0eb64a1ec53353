import { expect } from 'chai';
import { slotOfKey } from './redisSlot.ts';

describe('the slot of a key', () => {
  // From `CLUSTER KEYSLOT`.
  const slots: Readonly<Record<string, number>> = {
    '123456789': 12_739,
    foo: 12_182,
    'guardrail:{foo}:session:1': 12_182,
    somekey: 11_058,
  };
  for (const [key, slot] of Object.entries(slots)) {
    it(`of ${key} is ${slot}`, () => {
      expect(slotOfKey(key)).to.equal(slot);
    });
  }
});
