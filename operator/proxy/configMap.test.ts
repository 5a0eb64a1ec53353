import { expect } from 'chai';
import { timeoutSecondsOf } from './configMap.ts';

describe('the entry of the guardrail in the configuration of the gateway', () => {
  for (const [what, guardrailSpec, seconds] of [
    ['images to read, which is the default', {}, 30],
    ['slow detectors and images', { detectionTimeout: '40s' }, 49],
    ['texts alone', { images: 'Block' }, 10],
    ['slow detectors', { images: 'Pass', detectionTimeout: '2500ms' }, 12],
  ] as const) {
    it(`sets the timeout of ${seconds} s for a guardrail with ${what}`, () => {
      expect(timeoutSecondsOf(guardrailSpec)).to.equal(seconds);
    });
  }
});
