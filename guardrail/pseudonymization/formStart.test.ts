import { expect } from 'chai';
import fc from 'fast-check';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import { formStart } from './formStart.ts';

/** The rule as a pattern, which reads each word of a text. */
const START = /[<&%\\([{«]|\b(?<!\\)[a-z](?=[0-9a-z]*[\\_\-\u2010\u2011\u2013])/gi;
const OPEN_START = /[<&%\\([{«]|\b(?<!\\)[a-z](?=[0-9a-z]*(?:[\\_\-\u2010\u2011\u2013]|$))/gi;

function byPattern(text: string, from: number, mayEnd: boolean): number {
  const pattern = mayEnd ? OPEN_START : START;
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length;
}

describe('the places where a form can begin', () => {
  it('are those of the rule, from any place on', () => {
    const unit = fc.constantFrom(...'aZ09_-:{«\\<&%([>) .\u2010\u2013\ud83d'.split(''));
    const parts = fc.oneof(unit, fc.constantFrom('PERSON', 'EMAIL_ADDRESS', 'K7Q2RTM4', '\\n', 'u003c'));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), fc.nat(20), fc.boolean(), (list, from, mayEnd) => {
        const text = list.join('');
        const place = Math.min(from, text.length);
        expect(formStart(text, place, mayEnd)).to.equal(byPattern(text, place, mayEnd));
      }),
      { numRuns: 20_000 },
    );
  });

  it('are found in linear time', () =>
    expectLinearTime('words', 20_000, (length) => {
      const text = 'word_'.repeat(length) + 'word'.repeat(length);
      let found = 0;
      for (let at = formStart(text, 0, true); at < text.length; at = formStart(text, at + 1, true)) found += 1;
      expect(found).to.equal(1);
    }));

  const words: [text: string, places: number[]][] = [
    ['ИМЯ_K7Q2', [0]],
    ['éNAME_K7Q2', [0, 1]],
    ['请联系PERSON_K7Q2', [3]],
    ['请联系人_K7Q2', []],
    ['「人_K7Q2', [1]],
    ['a"人_K7Q2', []],
    ['a\u200b:b', [0]],
  ];
  for (const [text, places] of words) {
    it(`are ${JSON.stringify(places)} in ${text}`, () => {
      const found: number[] = [];
      for (let at = formStart(text, 0, false); at < text.length; at = formStart(text, at + 1, false)) found.push(at);
      expect(found).to.deep.equal(places);
    });
  }

  it('are found in linear time in long words of other scripts', () =>
    expectLinearTime('letters', 10_000, (length) => {
      const text = `${'éa'.repeat(length)}_${'é'.repeat(length)}_`;
      let found = 0;
      for (let at = formStart(text, 0, false); at < text.length; at = formStart(text, at + 1, false)) found += 1;
      expect(found).to.equal(1);
    }));
});
