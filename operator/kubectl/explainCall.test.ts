import { expect } from 'chai';
import { explanationText, type Explanation } from './explainCall.ts';

const text = 'Mail anna@example.org in Lisbon';
const customer = { metadata: { namespace: 'shop', name: 'acme' } } as Parameters<typeof explanationText>[1];
const base = { mode: 'enforce', refusal: null, policies: { service: null, end_user: null } } as const;
const entity = {
  start: 5,
  end: 21,
  type: 'EMAIL_ADDRESS',
  score: 1,
  detector: 'builtin',
  action: 'pseudonymize',
} as const;
const dropped = { start: 25, end: 31, type: 'LOCATION', score: 0.98, rule: 'model.location', lost_to: null } as const;

describe('the text of an explained call', () => {
  const cases: readonly (readonly [what: string, explanation: Explanation, expected: readonly string[]])[] = [
    [
      'has the rule and the words of a find',
      { ...base, entities: [{ ...entity, rule: 'email', words: [{ start: 0, end: 4 }] }], dropped: [] },
      ['EMAIL_ADDRESS pseudonymize "anna@example.org" 1.00 email Mail'],
    ],
    [
      'has what is left, and why',
      { ...base, entities: [], dropped: [{ ...dropped, by: 'profile' }] },
      ['Candidates that are not hidden:', 'LOCATION "Lisbon" 0.98 model.location profile'],
    ],
    [
      'has the rule to which a candidate lost its place',
      { ...base, entities: [], dropped: [{ ...dropped, by: 'overlap', lost_to: 'url' }] },
      ['LOCATION "Lisbon" 0.98 model.location overlap url'],
    ],
  ];
  for (const [what, explanation, expected] of cases) {
    it(what, () => {
      const lines = explanationText(text, customer, explanation).replace(/ {2,}/g, ' ').split('\n');
      expect(lines).to.include.members([...expected]);
    });
  }

  it('leaves out candidates with a low score', () => {
    const low = { ...base, entities: [], dropped: [{ ...dropped, by: 'modelThreshold', score: 0.01 }] };
    expect(explanationText(text, customer, low)).to.not.include('Candidates');
  });
});
