import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { packValues, unpackValues, valueClasses, ValueNetwork, valuesFile } from './valueNetwork.ts';
import { valueGaps, ValueTokens } from './valueTokens.ts';

const tokensOf = (text: string): string[] => {
  const tokens = new ValueTokens();
  tokens.read(text);
  return Array.from({ length: tokens.count }, (_, at) => text.slice(tokens.start[at], tokens.end[at]));
};

describe('tokens of values', () => {
  it('are words and numbers, single marks, and single characters of scripts without spaces', () => {
    expect(tokensOf('Kd.-Nr. AB12_x')).to.deep.equal(['Kd', '.', '-', 'Nr', '.', 'AB12', '_', 'x']);
    expect(tokensOf('会员号12A')).to.deep.equal(['会', '员', '号', '12A']);
    expect(tokensOf(' \n')).to.deep.equal([]);
  });

  it('have the white space before them, and features of their form, not of their digits', () => {
    const tokens = new ValueTokens();
    const featuresOf = (text: string, at: number): number[] => {
      tokens.read(text);
      return [...tokens.features.slice(tokens.first[at], tokens.first[at + 1])];
    };
    tokens.read('a b\tc\nd\n\ne.');
    const { none, space, column, newline, paragraph } = valueGaps;
    expect([...tokens.gap.slice(0, 6)]).to.deep.equal([paragraph, space, column, newline, paragraph, none]);
    expect(featuresOf('no 48219', 1)).to.deep.equal(featuresOf('no 48733', 1));
    expect(featuresOf('no 48219', 1)).to.not.deep.equal(featuresOf('no 482', 1));
    expect(featuresOf('no Ähre', 1)).to.deep.equal(featuresOf('no Ahre', 1));
  });

  it('grow with the text', () => {
    expect(tokensOf('ab, 12 '.repeat(5000))).to.have.lengthOf(15_000);
  });
});

describe('the network of values', () => {
  const file = readFileSync(valuesFile);

  it('gives each token probabilities that add up to one, for texts of any length', () => {
    const network = new ValueNetwork(unpackValues(file));
    const tokens = new ValueTokens();
    for (const text of ['', 'PIN 4471', 'ID: 12, '.repeat(3000), 'x']) {
      tokens.read(text);
      network.run(tokens);
      for (let at = 0; at < tokens.count; at++) {
        const own = network.probabilities.slice(at * valueClasses.length, (at + 1) * valueClasses.length);
        expect(own.reduce((sum, one) => sum + one, 0)).to.be.closeTo(1, 1e-6);
      }
    }
  });

  it('sees nothing beyond the text: what was read before does not count', () => {
    const network = new ValueNetwork(unpackValues(file));
    const tokens = new ValueTokens();
    const run = (text: string): number[] => {
      tokens.read(text);
      network.run(tokens);
      return [...network.probabilities.slice(0, tokens.count * valueClasses.length)];
    };
    const first = run('badge 4471');
    run('Kundennummer 70-441928 '.repeat(40));
    expect(run('badge 4471')).to.deep.equal(first);
  });

  it('is packed and unpacked without loss, and a damaged file is refused', () => {
    const weights = unpackValues(file);
    expect(unpackValues(packValues(weights))).to.deep.equal(weights);
    expect(() => unpackValues(packValues({ ...weights, rows: weights.rows.slice(1) }))).to.throw('damaged');
  });
});
