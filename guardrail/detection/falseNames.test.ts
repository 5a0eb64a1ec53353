import { expect } from 'chai';
import { withoutFalseNames } from './falseNames.ts';

/** How many persons are left in a text whose words in capitals, days of the week and some others were found as persons. */
function personsIn(text: string): number {
  const spans = Array.from(
    text.matchAll(
      /\b(?:[A-Z][A-Z&\d]+|[A-Z][a-z]+(?:day|tag)|Mutter|Mum|Martin|Severin|Angeklagte|Head of Procurement|Kundennr|Case|addy|Min man|(?:Pr[aä]sident|President|Doktorin))\b/gu,
    ),
    ({ 0: word, index }) => {
      return { start: index, end: index + word.length, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' };
    },
  );
  return withoutFalseNames(text, spans).length;
}

const without: readonly string[] = [
  'Please ask QA about the release.',
  'Kundennr. 2. NIR 12. Case No. 3. Her addy: here. Min man heter',
  'John said that the CEO will check it.',
  'The budget of R&D was approved.',
  'Anna: HR needs two more days.\nTom: And IT?',
  'Svenja übernimmt ab Montag die Aufgaben.',
  'Can we meet on Friday?',
  'The router (MAC 3c:5a:b4:11:22:33) reboots.',
  'Sehr geehrter Herr Präsident,',
  'Mr. President, thank you.',
  'Frau Doktorin, bitte',
  'seine Mutter (0151 23456789) geht nicht ran',
  'my Mum called',
  'Die Angeklagte schwieg.',
  'Owen Lloyd\nHead of Procurement\nAcme',
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

describe('withoutFalseNames', () => {
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

  for (const [text, found, name] of [
    ['Mein Mann Stefan und ich', 'Mann Stefan', 'Stefan'],
    ['Thomas, Mann Stefan', 'Mann Stefan', 'Mann Stefan'],
    ['Gruß, S. Bäcker', 'Gruß, S. Bäcker', 'S. Bäcker'],
    ['i.A. Julia Renner', 'A. Julia Renner', 'Julia Renner'],
    ['KFZ, Halter Ingo Frahm', 'Halter Ingo Frahm', 'Ingo Frahm'],
  ] as const) {
    it(`cuts off what stands before the name in: ${text}`, () => {
      const start = text.indexOf(found);
      const spans = [{ start, end: start + found.length, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' }];
      expect(withoutFalseNames(text, spans).map((span) => text.slice(span.start, span.end))).to.deep.equal([name]);
    });
  }

  it('cuts the particle off a Chinese name', () => {
    const spans = [
      [0, 3],
      [5, 7],
    ].map(([start = 0, end = 0]) => ({ start, end, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' }));
    expect(withoutFalseNames('张伟的电话,小的', spans).map(({ end }) => end)).to.deep.equal([2, 7]);
  });

  it('removes no other type', () => {
    const spans = [{ start: 4, end: 6, type: 'ORGANIZATION', score: 1, detector: 'fixed', rule: 'fixed' }];
    expect(withoutFalseNames('Ask QA now', spans)).to.equal(spans);
  });
});
