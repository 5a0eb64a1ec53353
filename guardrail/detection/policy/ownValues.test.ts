import { expect } from 'chai';
import fc from 'fast-check';
import { atOnce } from '../../eventLoop.ts';
import { compilePolicy } from './policy.ts';
import { parsePolicy } from './schema.ts';

const policyOf = (yaml: string): ReturnType<typeof compilePolicy> => compilePolicy(parsePolicy(yaml), 'confidential');

/** The values that a policy finds in a text, and the steps of the search. */
function search(yaml: string, text: string): { values: string[]; steps: number } {
  const work = policyOf(yaml).find(text, undefined);
  let steps = 0;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return { values: step.value.map(({ start, end }) => text.slice(start, end)), steps };
    steps += 1;
  }
}

const DENIED = 'deny: [Project Falcon]';
const encoded = (value: string): string =>
  Array.from(value, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');

describe('the search for the values of a policy', () => {
  for (const [what, text] of [
    ['percent encoding', '%41'],
    ['references', '&#x41;'],
    ['escapes', '\\u0041'],
    ['letters of a circle', 'Ⓐ'],
    ['letters with marks', 'a\u0308'],
    ['plain text', 'some words '],
    ['words of one letter', 'a '],
  ] as const) {
    it(`reads a long text of ${what} in steps of at most 16,384 characters`, () => {
      const whole = text.repeat(400_000 / text.length);
      for (const yaml of [DENIED, 'deny: [a a a a b]', "recognizers: [{name: a, type: A, pattern: '[yz]+[0-9]'}]"]) {
        expect(search(yaml, whole).steps, yaml).to.be.at.least(whole.length / 16_384);
      }
    });
  }

  it('finds a value once at any place of a long text, in any spelling', () => {
    const value = fc.constantFrom('Project Falcon', encoded('Project Falcon'), 'Project&#32;Falcon', 'Ｐroject Falcon');
    const filler = fc.constantFrom('words ', '%41', 'é, ', '&amp; ', '\n');
    fc.assert(
      fc.property(value, filler, fc.integer({ min: 0, max: 60_000 }), (written, around, at) => {
        const before = around.repeat(Math.ceil(at / around.length));
        const text = `${before} ${written} ${around.repeat(3000)}`;
        expect(search(DENIED, text).values).to.deep.equal([written]);
      }),
    );
  });

  it('finds a value whose end is far behind that of a piece', () => {
    const written = encoded('a'.repeat(200));
    for (let at = 16_000; at < 16_500; at += 50) {
      const text = `${'. '.repeat(at / 2)}${written} ${'. '.repeat(20_000)}`;
      expect(search(`deny: [${'a'.repeat(200)}]`, text).values).to.deep.equal([written]);
    }
  });

  it('decides that no pattern allows a very long value', () => {
    const policy = policyOf("recognizers: [{name: a, type: A, pattern: 'a+'}]\nallow: [{pattern: 'a+'}]");
    const text = 'a'.repeat(100_000);
    const [found] = atOnce(policy.find(text, undefined));
    expect(found && policy.actionOf(found, text, undefined)).to.equal('pseudonymize');
    expect(found && policy.actionOf(found, 'aaa', undefined)).to.equal(undefined);
  });
});
