import { expect } from 'chai';
import { withFamilyNames } from './familyNames.ts';

/** The persons in a text in which `name` was found as a public person. */
function personsIn(text: string, name: string): string[] {
  const start = text.indexOf(name);
  const spans = [
    { start, end: start + name.length, type: 'PUBLIC_PERSON', score: 1, detector: 'fixed', rule: 'fixed' },
  ];
  return withFamilyNames(text, spans).flatMap((span) =>
    span.type === 'PERSON' ? text.slice(span.start, span.end) : [],
  );
}

const titled: readonly [text: string, found: string, name: string][] = [
  ['de hond van mevrouw De Vries', 'De Vries', 'De Vries'],
  ['Mevrouw De Vries heeft gebeld.', 'De Vries', 'De Vries'],
  ['Mrs. Van Houten called again.', 'Van Houten', 'Van Houten'],
  ['MRS. Van Houten called again.', 'Van Houten', 'Van Houten'],
  ['Señora De la Cruz llamó ayer.', 'la Cruz', 'De la Cruz'],
  ['Signora De Luca ha chiamato.', 'Luca', 'De Luca'],
  ['Kunt u dhr. Van Dijk terugbellen?', 'Dijk', 'Van Dijk'],
  ['Herr Von Der Heide', 'Von Der Heide', 'Von Der Heide'],
  ["Mrs. O'Brien called.", "'Brien", "O'Brien"],
  ['I met Mr. O’Malley.', 'Malley', 'O’Malley'],
  ["Mr. D'Angelo", "D'Angelo", "D'Angelo"],
];
const initialled: readonly [text: string, found: string, name: string][] = [
  ['dhr. J.P. van der Meulen', 'P. van der Meulen', 'J.P. van der Meulen'],
  ['by A.B.C. Dahl', 'C. Dahl', 'A.B.C. Dahl'],
  ['Vitamin A. Peter', 'Peter', 'Peter'],
];
const others: readonly [text: string, name: string][] = [
  ['Who is Mr. Bean?', 'Bean'],
  ['Cocoa by Van Houten', 'Van Houten'],
  ['The actor Robert De Niro', 'De Niro'],
  ["The actor Pat O'Brien", "Pat O'Brien"],
];

describe('withFamilyNames', () => {
  for (const [text, found, name] of titled) {
    it(`makes ${JSON.stringify(name)} private in: ${text}`, () => {
      expect(personsIn(text, found)).to.deep.equal([name]);
    });
  }
  for (const [text, found, name] of initialled) {
    it(`begins at the first initial in: ${text}`, () => {
      const start = text.indexOf(found);
      const spans = [{ start, end: start + found.length, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' }];
      expect(withFamilyNames(text, spans).map((span) => text.slice(span.start, span.end))).to.deep.equal([name]);
    });
  }
  for (const [text, name] of others) {
    it(`leaves the name public in: ${text}`, () => {
      expect(personsIn(text, name)).to.deep.equal([]);
    });
  }

  it('removes the other part of a name that was found in two', () => {
    const spans = [
      [0, 4],
      [4, 11],
    ].map(([start = 0, end = 0]) => ({ start, end, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' }));
    expect(withFamilyNames("Dr O'Conner", spans).map(({ start, end }) => [start, end])).to.deep.equal([[3, 11]]);
  });

  it('completes names without a title, too', () => {
    const text = "I spoke to O'Reilly and D’Angelo, not to X'Y.";
    const spans = ["'Reilly", 'Angelo', "'Y"].map((name) => {
      const start = text.indexOf(name);
      return { start, end: start + name.length, type: 'PERSON', score: 1, detector: 'fixed', rule: 'fixed' };
    });
    const names = withFamilyNames(text, spans).map(({ start, end }) => text.slice(start, end));
    expect(names).to.deep.equal(["O'Reilly", 'D’Angelo', "'Y"]);
  });
});
