import { expect } from 'chai';
import { join, type Piece } from './labelledText.ts';
import { classOf } from './spanExamples.ts';

const person: Piece = { text: 'Anna Schmidt', kind: 'PERSON', type: 'PERSON' };
const poet: Piece = { text: 'Goethe', kind: 'PERSON', type: 'PUBLIC_PERSON' };
const legacy: Piece = { text: 'Bob', kind: 'PERSON' };
const mail: Piece = { text: 'a@b.c', isValue: true };

/** The class of the part of a text that is between `<` and `>`. */
function classIn(...pieces: readonly Piece[]): string | undefined {
  const marked = pieces.map(({ text }) => text).join('');
  const start = marked.indexOf('<');
  const end = marked.indexOf('>') - 1;
  const plain = pieces.map((piece) => ({ ...piece, text: piece.text.replace(/[<>]/g, '') }));
  return classOf(join(plain, ''), start, end);
}

const cases: readonly (readonly [what: string, own: string | undefined, expected: string | undefined])[] = [
  ['a private person', classIn({ ...person, text: '<Anna Schmidt>' }), 'PERSON'],
  ['a part of a private person', classIn({ ...person, text: 'Anna <Schmidt>' }), 'PERSON'],
  [
    'a long span with a private person in it',
    classIn({ text: '<the very long way to ' }, { ...person, text: 'Anna>' }),
    'PERSON',
  ],
  ['a public person', classIn({ text: 'by ' }, { ...poet, text: '<Goethe>' }), 'PUBLIC_PERSON'],
  [
    'a long span with a public person in it',
    classIn({ text: '<a poem that was written by ' }, { ...poet, text: 'Goethe>' }),
    'NONE',
  ],
  [
    'a public and a private person',
    classIn({ ...poet, text: '<Goethe' }, { text: ' and ' }, { ...person, text: 'Eva>' }),
    'PERSON',
  ],
  ['other words', classIn({ text: '<Dear> ' }, person), 'NONE'],
  ['a value of a recognizer', classIn({ text: 'to ' }, { ...mail, text: '<a@b.c>' }), undefined],
  ['a person of a template that does not tell', classIn({ ...legacy, text: '<Bob>' }), undefined],
];

describe('the class of a candidate', () => {
  for (const [what, own, expected] of cases) {
    it(`${what}: ${expected ?? 'unknown'}`, () => {
      expect(own).to.equal(expected);
    });
  }
});
