import { expect } from 'chai';
import { withFamilyNames } from './familyNames.ts';

const cases: readonly [text: string, found: string, name: string][] = [
  ['Señora De la Cruz llamó ayer.', 'la Cruz', 'De la Cruz'],
  ['Signora De Luca ha chiamato.', 'Luca', 'De Luca'],
  ['Kunt u dhr. Van Dijk terugbellen?', 'Dijk', 'Van Dijk'],
  ['MRS. Van Houten called again.', 'Houten', 'Van Houten'],
  ['Herr Von Der Heide', 'Heide', 'Von Der Heide'],
  ["Mrs. O'Brien called.", "'Brien", "O'Brien"],
  ['I met Mr. O’Malley.', 'Malley', 'O’Malley'],
  ["Mr. D'Angelo", "D'Angelo", "D'Angelo"],
  ['dhr. J.P. van der Meulen', 'P. van der Meulen', 'J.P. van der Meulen'],
  ['by A.B.C. Dahl', 'C. Dahl', 'A.B.C. Dahl'],
  ['Vitamin A. Peter', 'Peter', 'Peter'],
  ['Cocoa of Van Houten', 'Houten', 'Houten'],
  ['Who is Mr. Bean?', 'Bean', 'Bean'],
];

describe('withFamilyNames', () => {
  for (const type of ['PERSON', 'PUBLIC_PERSON'])
    for (const [text, found, name] of cases)
      it(`begins a ${type} with ${JSON.stringify(name.split(' ')[0])} in: ${text}`, () => {
        const start = text.indexOf(found);
        const spans = [{ start, end: start + found.length, type, score: 1, detector: 'fixed', rule: 'fixed' }];
        const whole = withFamilyNames(text, spans).map((span) => [text.slice(span.start, span.end), span.type]);
        expect(whole).to.deep.equal([[name, type]]);
      });

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
