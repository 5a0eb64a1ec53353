import { expect } from 'chai';
import fc from 'fast-check';
import { EntityFinder } from './entityFinder.ts';
import { loadNameModels } from './nameModels.ts';

const finder = new EntityFinder(loadNameModels());

const found = (text: string, recall: 'precise' | 'balanced' | 'thorough' = 'balanced'): string[] =>
  finder.find(text, recall).map(({ start, end, type }) => `${type} ${text.slice(start, end)}`);

/** What is personal in a text. */
const personal = (text: string): string[] => found(text).filter((find) => /^(?:PERSON|ADDRESS) /.test(find));

const innocent: readonly string[] = [
  'What is the capital of France?',
  'Who painted the Mona Lisa, Leonardo da Vinci or Michelangelo?',
  'Explain the Nash equilibrium and the Turing machine to a child.',
  "Was Crohn's disease named after Burrill Crohn?",
  'How did the Black Death change Europe?',
  'Summarise the plot of Hamlet in five sentences.',
  'Compare PostgreSQL with Microsoft SQL Server.',
  'Was ist der Unterschied zwischen Java und Kotlin?',
  'Quelle est la capitale du Pérou ?',
  'data:image/png;base64,iVBORw0KGgo=',
  'Hey ChatGPT, write a poem.',
  'Draft an email to move my appointment from 3 May to 10 May.',
];

const messages: readonly (readonly [text: string, values: readonly string[]])[] = [
  [
    'Dear Mr Okafor, please call my sister Chioma Okafor about the invoice.',
    ['PERSON Mr Okafor', 'PERSON Chioma Okafor'],
  ],
  ['Please send it to 12 Rosewood Lane, Leeds LS1 4DY.', ['ADDRESS 12 Rosewood Lane, Leeds LS1 4DY']],
  [
    'Frau Krüger wohnt in der Lindenstraße 14, 10969 Berlin.',
    ['PERSON Krüger', 'ADDRESS Lindenstraße 14, 10969 Berlin'],
  ],
];

describe('finding names', () => {
  for (const text of innocent) {
    it(`finds nothing personal in: ${text}`, () => {
      expect(personal(text)).to.deep.equal([]);
    });
  }

  for (const [text, values] of messages) {
    it(`finds what is personal in: ${text}`, () => {
      expect(personal(text)).to.deep.equal(values);
    });
  }

  it('takes a doubtful word for a name only beside other values of private persons', () => {
    const word = 'Pearl';
    const all = [finder.find(word, 'balanced'), finder.find(word, 'balanced', { isPersonal: true })];
    expect(all.map((names) => names.map(({ type }) => type))).to.deep.equal([[], ['PERSON']]);
    expect(personal(word)).to.deep.equal([]);
    expect(personal(`Mr Okafor, Chioma Okafor, ${word}`)).to.include(`PERSON ${word}`);
  });

  it('reports public names as public', () => {
    expect(found('What did Albert Einstein say about Paris?')).to.include.members([
      'PUBLIC_PERSON Albert Einstein',
      'LOCATION Paris',
    ]);
  });

  it('finds ordered, disjoint spans on whole tokens, and the same in any order of texts', () => {
    const words = fc.constantFrom(
      'Anna',
      'Schmidt',
      'the',
      'Paris',
      'of',
      'Mozart',
      '12',
      'Main',
      'Street',
      ',',
      '.',
      '\n',
      'ÄÖ',
      '王',
    );
    const texts = fc.array(
      fc.array(words, { maxLength: 30 }).map((list) => list.join(' ')),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(texts, (list) => {
        const first = list.map((text) => finder.find(text, 'thorough'));
        const again = list.toReversed().map((text) => finder.find(text, 'thorough'));
        expect(again.toReversed()).to.deep.equal(first);
        for (const [index, spans] of first.entries()) {
          let last = 0;
          for (const { start, end, score } of spans) {
            expect(start).to.be.at.least(last);
            expect(end).to.be.above(start);
            expect(score).to.be.within(0, 1);
            last = end;
          }
          expect(last).to.be.at.most((list[index] ?? '').length);
        }
      }),
    );
  });

  it('finds more at a higher recall', () => {
    const text = messages.map(([message]) => message).join('\n') + innocent.join('\n');
    const covered = (['precise', 'balanced', 'thorough'] as const).map((recall) =>
      finder.find(text, recall).reduce((sum, { start, end }) => sum + end - start, 0),
    );
    expect(covered).to.deep.equal(covered.toSorted((a, b) => a - b));
  });
});
