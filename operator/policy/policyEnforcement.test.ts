import { expect } from 'chai';
import { policyText } from './document.ts';
import { policyEnforcement } from './policyEnforcement.ts';

describe('what a policy says about enforcement', () => {
  const cases: readonly (readonly [text: string | undefined, says: string | undefined])[] = [
    [undefined, undefined],
    ['', undefined],
    ['deny: [mode]', undefined],
    ['mode: monitor', 'Monitor'],
    ['{"mode": "enforce"}', 'Enforce'],
    [policyText({ enforcement: 'Monitor' }), 'Monitor'],
    [policyText({ enforcement: 'Enforce' }), 'Enforce'],
    [policyText({ profile: 'Personal' }), undefined],
  ];
  for (const [text, says] of cases) {
    it(`is read from ${JSON.stringify(text)}`, () => {
      expect(policyEnforcement(text)).to.equal(says);
    });
  }
});
