import { expect } from 'chai';
import { decode } from './ctc.ts';

const CHARACTERS = ['', ...Array.from('abcdefghijklmnopqrstuvwxyz'), ' '];

/** Steps in which each sign is the most probable class. `-` stands for no new character. */
function stepsOf(signs: string, probability = 0.9): Parameters<typeof decode>[0] {
  const classes = CHARACTERS.length;
  const data = new Float32Array(signs.length * classes);
  for (const [step, sign] of Array.from(signs).entries()) {
    data[step * classes + (sign === '-' ? 0 : CHARACTERS.indexOf(sign))] = probability;
  }
  return { data, classes, first: 0, count: signs.length };
}

const textOf = (signs: string): string =>
  decode(stepsOf(signs), CHARACTERS)
    .words.map(({ text }) => text)
    .join(' ');

describe('the text of a line', () => {
  const CASES: readonly (readonly [what: string, signs: string, text: string])[] = [
    ['repeated steps are one character', '--aaa--bb', 'ab'],
    ['a pause separates equal characters', 'a-a', 'aa'],
    ['spaces separate words', 'ab-- --cd', 'ab cd'],
    ['spaces at the ends are no words', ' -ab- ', 'ab'],
    ['a wide gap separates words', 'ab----------cd', 'ab cd'],
    ['nothing is no text', '------', ''],
  ];
  for (const [what, signs, text] of CASES) {
    it(`${what}: ${signs}`, () => {
      expect(textOf(signs)).to.equal(text);
    });
  }

  it('has words from end to end of the line, which meet in the spaces between them', () => {
    const { words } = decode(stepsOf('-ab- -cd-'), CHARACTERS);
    const [first, second] = words;
    expect([first?.from, second?.to]).to.deep.equal([0, 1]);
    const space = 4.5 / 9;
    expect(first?.to).to.be.within(3 / 9, space);
    expect(second?.from).to.be.within(space, 6 / 9);
  });

  it('has a word that does not extend far into a wide gap', () => {
    const [first, second] = decode(stepsOf('ab---------- ----------cd'), CHARACTERS).words;
    expect(first?.to).to.be.below(6 / 25);
    expect(second?.from).to.be.above(19 / 25);
  });

  it('has the mean confidence of its characters, without spaces', () => {
    const { length, confidence } = decode(stepsOf('a b', 0.75), CHARACTERS);
    expect([length, confidence]).to.deep.equal([2, 0.75]);
    expect(decode(stepsOf('---'), CHARACTERS)).to.deep.equal({ words: [], length: 0, confidence: 0, gap: 1 });
  });

  it('has the longest stretch without a character, also at its ends', () => {
    for (const [signs, gap] of [
      ['abcdefghij', 0.1],
      ['------abcd', 0.6],
      ['abc ----cd', 0.6],
      ['abcde-----', 0.6],
    ] as const) {
      expect(decode(stepsOf(signs), CHARACTERS).gap, signs).to.be.closeTo(gap, 1e-6);
    }
  });

  it('is read from its own steps', () => {
    const steps = { ...stepsOf('abcdef'), first: 2, count: 2 };
    expect(decode(steps, CHARACTERS).words.map(({ text }) => text)).to.deep.equal(['cd']);
  });
});
