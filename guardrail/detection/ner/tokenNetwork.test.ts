import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { NetworkTokens, tokenGaps, type NameLists } from './networkTokens.ts';
import { flags } from './gazetteer.ts';
import { knownFlags, nameHash } from './knownNames.ts';
import { networkFiles, packNetwork, tokenClasses, TokenNetwork, unpackNetwork } from './tokenNetwork.ts';
import { wordHash } from './tokens.ts';

/** Lists with some words and names. */
const listsOf = (words: Readonly<Record<string, number>>, names: Readonly<Record<string, number>> = {}): NameLists => {
  const byWord = new Map(Object.entries(words).map(([word, flag]) => [wordHash(word), flag]));
  const byName = new Map(Object.entries(names).map(([name, flag]) => [nameHash(name.split(' ').map(wordHash)), flag]));
  const lookup = (known: ReadonlyMap<number, number>): NameLists['gazetteer'] => ({
    lookup: (hash) => known.get(hash) ?? 0,
  });
  return { gazetteer: lookup(byWord), knownNames: lookup(byName) };
};
const noLists = listsOf({});

const tokensOf = (text: string): string[] => {
  const tokens = new NetworkTokens(noLists);
  tokens.read(text);
  return Array.from({ length: tokens.count }, (_, at) => text.slice(tokens.start[at], tokens.end[at]));
};

describe('tokens of the network', () => {
  it('are words and numbers, single marks, and single characters of scripts without spaces', () => {
    expect(tokensOf('Kd.-Nr. AB12_x')).to.deep.equal(['Kd', '.', '-', 'Nr', '.', 'AB12', '_', 'x']);
    expect(tokensOf('会员号12A')).to.deep.equal(['会', '员', '号', '12A']);
    expect(tokensOf(' \n')).to.deep.equal([]);
  });

  it('have the white space before them, and features of their form, not of their digits', () => {
    const tokens = new NetworkTokens(noLists);
    const featuresOf = (text: string, at: number): number[] => {
      tokens.read(text);
      return [...tokens.features.slice(tokens.first[at], tokens.first[at + 1])];
    };
    tokens.read('a b\tc\nd\n\ne.');
    const { none, space, column, newline, paragraph } = tokenGaps;
    expect([...tokens.gap.slice(0, 6)]).to.deep.equal([paragraph, space, column, newline, paragraph, none]);
    expect(featuresOf('no 48219', 1)).to.deep.equal(featuresOf('no 48733', 1));
    expect(featuresOf('no 48219', 1)).to.not.deep.equal(featuresOf('no 482', 1));
    expect(featuresOf('no Ähre', 1)).to.deep.equal(featuresOf('no Ahre', 1));
  });

  it('have features for the lists that have their word, and for a known name that they are a part of', () => {
    const featuresOf = (lists: NameLists, text: string, at: number): number[] => {
      const tokens = new NetworkTokens(lists);
      tokens.read(text);
      return [...tokens.features.slice(tokens.first[at], tokens.first[at + 1])];
    };
    const plain = featuresOf(noLists, 'Ask Clara Schumann', 1);
    const listed = featuresOf(listsOf({ clara: flags.given }), 'Ask Clara Schumann', 1);
    expect(listed).to.have.lengthOf(plain.length + 1);
    const known = listsOf({}, { 'clara schumann': knownFlags.person, clara: knownFlags.character });
    const [first, last] = [1, 2].map((at) => featuresOf(known, 'Ask Clara Schumann', at).at(-1));
    expect(plain).to.not.include(first);
    expect(first).to.not.equal(last);
    expect(featuresOf(known, 'Ask Clara Schumann', 0)).to.deep.equal(featuresOf(noLists, 'Ask Clara Schumann', 0));
    // A name does not go over a line, and a longer one counts.
    expect(featuresOf(known, 'Ask Clara\nSchumann', 1).at(-1)).to.not.equal(first);
  });

  it('grow with the text', () => {
    expect(tokensOf('ab, 12 '.repeat(5000))).to.have.lengthOf(15_000);
  });
});

describe('the network', () => {
  const file = readFileSync(networkFiles.network);

  it('gives each token probabilities that add up to one, for texts of any length', () => {
    const network = new TokenNetwork(unpackNetwork(file));
    const tokens = new NetworkTokens(noLists);
    for (const text of ['', 'PIN 4471', 'ID: 12, '.repeat(3000), 'x']) {
      tokens.read(text);
      network.run(tokens);
      for (let at = 0; at < tokens.count; at++) {
        const own = network.probabilities.slice(at * tokenClasses.length, (at + 1) * tokenClasses.length);
        expect(own.reduce((sum, one) => sum + one, 0)).to.be.closeTo(1, 1e-6);
      }
    }
  });

  it('sees nothing beyond the text: what was read before does not count', () => {
    const network = new TokenNetwork(unpackNetwork(file));
    const tokens = new NetworkTokens(noLists);
    const run = (text: string): number[] => {
      tokens.read(text);
      network.run(tokens);
      return [...network.probabilities.slice(0, tokens.count * tokenClasses.length)];
    };
    const first = run('badge 4471');
    run('Kundennummer 70-441928 '.repeat(40));
    expect(run('badge 4471')).to.deep.equal(first);
  });

  it('is packed and unpacked without loss, and a damaged file is refused', () => {
    const weights = unpackNetwork(file);
    expect(unpackNetwork(packNetwork(weights))).to.deep.equal(weights);
    expect(() => unpackNetwork(packNetwork({ ...weights, rows: weights.rows.slice(1) }))).to.throw('damaged');
  });
});
