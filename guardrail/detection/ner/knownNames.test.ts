import { expect } from 'chai';
import { nameFlagBits } from '../kernel/numbers.ts';
import { createKernel } from '../kernelInstance.ts';
import { Gazetteer } from './gazetteer.ts';
import { knownFlags, nameHash, reserveKnownNames } from './knownNames.ts';
import { Tokens, wordHash } from './tokens.ts';

const { person, single, place, thing } = knownFlags;
const list: readonly (readonly [name: string, flags: number])[] = [
  ['Marie Curie', person],
  ['Vincent van Gogh', person],
  ['Martin Luther King', person],
  ['Martin Luther', person],
  ['Mozart', single],
  ['Paris', place | thing],
];
const names = Gazetteer.of(new Map(list.map(([name, flags]) => [nameHash(name.split(' ').map(wordHash)), flags])));

/** The flags of the name in the tokens from `first` to `last` of a text. Default: in all its tokens. */
function lookup(text: string, first = 0, last?: number): number {
  const kernel = createKernel();
  reserveKnownNames(kernel, names);
  const tokens = new Tokens(kernel);
  tokens.read(text);
  return kernel.knownName(first, last ?? tokens.count - 1, tokens.count);
}

/** Flags of a longer name around the span. */
const around = (flags: number): number => flags << nameFlagBits;
/** Flags of a name that is a part of the span. */
const part = (flags: number): number => flags << (2 * nameFlagBits);

const cases: readonly (readonly [text: string, flags: number])[] = [
  ['Marie Curie', person],
  ['MARIE CURIE', person],
  ['márie curie', person],
  ['Marie-Curie', person],
  ['Vincent van Gogh', person],
  ['Martin Luther', person],
  ['Martin Luther King', person],
  ['Paris', place | thing],
  ['Marie', 0],
  ['Curie Marie', 0],
  ['Dr. Marie Curie', part(person)],
  ['Marie Curie and Mozart', part(person | single)],
  ['Anna Schmidt', 0],
];

describe('known names', () => {
  for (const [text, flags] of cases) {
    it(`${text}: ${flags}`, () => {
      expect(lookup(text)).to.equal(flags);
    });
  }

  it('finds a longer name around a span', () => {
    const text = 'by Vincent van Gogh and others';
    expect(lookup(text, 3, 3)).to.equal(around(person));
    expect(lookup(text, 1, 3)).to.equal(person);
    expect(lookup(text, 3, 4)).to.equal(0);
  });

  it('searches names of up to eight words in a long span', () => {
    expect(lookup(`${'Anna '.repeat(40)}Marie Curie`)).to.equal(part(person));
  });
});
