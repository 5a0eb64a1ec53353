import { expect } from 'chai';
import { isFalseName } from './falseNames.ts';

/** How many persons are left in a text whose words in capitals, days of the week and some others were found as persons. */
function personsIn(text: string, rule = 'model.person'): number {
  const spans = Array.from(
    text.matchAll(
      /\b(?:[A-Z][A-Z&\d]+|[A-Z][a-z]+(?:day|tag)|Mutter|Martin|Severin|Angeklagte|Kundennr|Case|Min man|Pr[aä]sident|President|Doktorin)\b/gu,
    ),
    ({ 0: word, index }) => {
      return { start: index, end: index + word.length, type: 'PERSON', score: 1, detector: 'fixed', rule };
    },
  );
  return spans.filter((span) => !isFalseName(text, span)).length;
}

const without: readonly string[] = [
  'Please ask QA about the release.',
  'Kundennr. 2. NIR 12. Min man heter',
  'John said that the CEO will check it.',
  'The budget of R&D was approved.',
  'Anna: HR needs two more days.\nTom: And IT?',
  'Svenja übernimmt ab Montag die Aufgaben.',
  'Can we meet on Friday?',
  'The router (MAC 3c:5a:b4:11:22:33) reboots.',
  'Sehr geehrter Herr Präsident,',
  'Mr. President, thank you.',
  'Frau Doktorin, bitte',
  'Die Angeklagte schwieg.',
];
const withOne: readonly string[] = [
  'Please ask EVA about it.',
  'Patient: NAT',
  'Customer: Case\nAddress: unknown',
  'Kunde: Sonntag',
  'Herr DEV kommt morgen.',
  'Herr Sonntag kommt morgen.',
  'Sonntag, Anna',
  'LIST OF GUESTS: 1. DEV',
  'Guests of the day\nDEV',
  'Frau Mutter',
  'die Geigerin Mutter',
  'President Kim',
  'Frau Martin',
  'Mme Severin',
];

describe('false names', () => {
  for (const text of without) {
    it(`removes all persons in: ${JSON.stringify(text)}`, () => {
      expect(personsIn(text)).to.equal(0);
    });
  }
  for (const text of withOne) {
    it(`leaves a person in: ${JSON.stringify(text)}`, () => {
      expect(personsIn(text)).to.be.at.least(1);
    });
  }

  it('removes nothing that a recognizer found', () => {
    expect(personsIn('Can we meet on Friday?', 'name.label')).to.equal(1);
  });

  it('removes no other type', () => {
    expect(isFalseName('Ask QA now', { start: 4, end: 6, type: 'ORGANIZATION', rule: 'fixed' })).to.equal(false);
  });
});
