import { expect } from 'chai';
import { Gazetteer } from './gazetteer.ts';
import { knownFlags, KnownNames, nameHash } from './knownNames.ts';
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
const names = new KnownNames(
  Gazetteer.of(new Map(list.map(([name, flags]) => [nameHash(name.split(' ').map(wordHash)), flags]))),
);

function lookup(text: string): number {
  const tokens = new Tokens();
  tokens.read(text);
  return names.lookup(tokens, 0, tokens.count - 1);
}

/** Flags of a longer name around the span. */
const around = (flags: number): number => flags << 5;
/** Flags of a name that is a part of the span. */
const part = (flags: number): number => flags << 10;

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
    const tokens = new Tokens();
    tokens.read('by Vincent van Gogh and others');
    expect(names.lookup(tokens, 3, 3)).to.equal(around(person));
    expect(names.lookup(tokens, 1, 3)).to.equal(person);
    expect(names.lookup(tokens, 3, 4)).to.equal(0);
  });

  it('searches names of up to eight words in a long span', () => {
    expect(lookup(`${'Anna '.repeat(40)}Marie Curie`)).to.equal(part(person));
  });
});
