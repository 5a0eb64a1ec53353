import { expect } from 'chai';
import fc from 'fast-check';
import { buckets, mostFeatures, mostWordScore, offsets, pairCount, spanBuckets, zero } from './kernel/numbers.ts';
import { createKernel, numbersAt, type Kernel } from './kernelInstance.ts';
import { cases, gaps, shapes, Tokens, wordHash } from './ner/tokens.ts';
import { rowBytes, rowWords, step } from './ner/weightRows.ts';

/** The properties of each token, by name. */
function read(tokens: Tokens, text: string): unknown[] {
  tokens.read(text);
  const nameIn = (names: Readonly<Record<string, number>>, value = -1): string =>
    Object.entries(names).findLast(([, own]) => own <= value)?.[0] ?? '';
  return Array.from({ length: tokens.count }, (_, at) => [
    text.slice(tokens.start[at], tokens.end[at]),
    nameIn(shapes, tokens.shape[at]),
    nameIn(gaps, tokens.gap[at]),
    nameIn(cases, tokens.lineCase[at]),
  ]);
}

describe('tokens', () => {
  const tokens = new Tokens();

  it('are words and single marks, with their shapes, gaps and the case of their lines', () => {
    expect(read(tokens, 'Anna O’Neil, IT\n\nmacOS mcDonald 12 x1 A1\r\nok then')).to.deep.equal([
      ['Anna', 'capitalized', 'paragraph', 'usual'],
      ['O', 'initial', 'space', 'usual'],
      ['’', 'mark', 'none', 'usual'],
      ['Neil', 'capitalized', 'none', 'usual'],
      [',', 'mark', 'none', 'usual'],
      ['IT', 'upper', 'space', 'usual'],
      ['macOS', 'mixed', 'paragraph', 'usual'],
      ['mcDonald', 'mixed', 'space', 'usual'],
      ['12', 'digit1', 'space', 'usual'],
      ['x1', 'lowerDigits', 'space', 'usual'],
      ['A1', 'upperDigits', 'space', 'usual'],
      ['ok', 'lower', 'paragraph', 'lower'],
      ['then', 'lower', 'space', 'lower'],
    ]);
    expect(read(tokens, 'MEETING WITH JOHN').map((token) => (token as string[])[3])).to.deep.equal(
      new Array(3).fill('upper'),
    );
  });

  it('are those of any text, however long the one before was', () => {
    const unit = fc.constantFrom('Anna', 'ÜNAL', 'ß', ' ', '\n', '.', '1234567', 'é', '😀', '山', '\u00a0', '-');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), fc.constantFrom(1, 100), (units, times) => {
        const text = units.join('').repeat(times);
        tokens.read(text);
        const words = Array.from({ length: tokens.count }, (_, at) => text.slice(tokens.start[at], tokens.end[at]));
        expect(words.join('')).to.equal(text.replace(/\s/g, ''));
        words.forEach((word, at) => {
          const isWord = tokens.shape[at] !== shapes.mark;
          expect(word).to.match(isWord ? /^[\p{L}0-9]+$/u : /^[^a-zA-Z0-9]$/);
          if (!isWord) return;
          expect(tokens.word[at]).to.equal(wordHash(word));
          const isCut = at > 0 && tokens.shape[at - 1] !== shapes.mark && tokens.gap[at] === gaps.none;
          expect(isCut).to.equal(false);
        });
      }),
    );
  });
});

describe('the sums of rows of weights', () => {
  /** What fills a table: the least or the greatest weights only, or all weights. */
  const contents = fc.oneof(
    fc.constantFrom(0, -1),
    fc.integer().map((seed) => (at: number) => Math.imul(at ^ seed, 0x9e3779b1)),
  );
  const fillWith = (table: Int32Array, content: number | ((at: number) => number)): void => {
    if (typeof content === 'number') table.fill(content);
    else for (let at = 0; at < table.length; at++) table[at] = content(at);
  };
  /** The sum of each byte of some rows, in plain arithmetic. */
  const plainSums = (table: Int32Array, rows: Iterable<number>): number[] => {
    const bytes = new Uint8Array(table.buffer, table.byteOffset, table.byteLength);
    const all = [...rows];
    return Array.from({ length: rowBytes }, (_, at) =>
      all.reduce((sum, row) => sum + (bytes[row * rowBytes + at] ?? 0), 0),
    );
  };

  it('are those of all features of a candidate, also the greatest ones', () => {
    const kernel = createKernel();
    kernel.reserveClassifier(spanBuckets);
    const table = numbersAt(kernel, kernel.spanRowsAt, spanBuckets * rowWords);
    const features = numbersAt(kernel, kernel.featuresAt, mostFeatures);
    const sums = new Uint16Array(kernel.memory.buffer, kernel.sumsAt.value, rowBytes);
    // A few rows occur again and again, the last one of the table among them.
    const row = fc.oneof(fc.nat(spanBuckets - 1), fc.constantFrom(0, 1, spanBuckets - 1));
    const counts = fc.oneof(fc.nat(mostFeatures), fc.constant(mostFeatures));
    fc.assert(
      fc.property(
        contents,
        counts.chain((count) => fc.array(row, { minLength: count, maxLength: count })),
        (content, rows) => {
          fillWith(table, content);
          // What is behind the last feature does not count.
          features.fill(7).set(rows);
          kernel.sumFeatures(rows.length);
          expect([...sums]).to.deep.equal(plainSums(table, rows));
        },
      ),
      { numRuns: 150, examples: [[-1, new Array<number>(mostFeatures).fill(0)]] },
    );
  });

  /** The rows of the features of each token: those of five words, and those of several tokens. */
  function rowsOf(kernel: Kernel, count: number): (readonly number[])[][] {
    const features = numbersAt(kernel, kernel.featuresAt, mostFeatures);
    const ends = numbersAt(kernel, kernel.endsAt, offsets);
    const words = Array.from({ length: count }, (_, token) => {
      kernel.wordFeatures(token, 0);
      return Array.from(ends, (end, offset) => [...features.subarray(ends[offset - 1] ?? 0, end)]);
    });
    return Array.from({ length: count }, (_, token) => {
      kernel.pairFeatures(token, count, kernel.featuresAt.value);
      const near = Array.from({ length: offsets }, (_, offset) => words[token + offset - 2]?.[offset] ?? []);
      return [...near, [...features.subarray(0, pairCount)]];
    });
  }

  it('are the scores of each token, where those of a word are limited', () => {
    const limited = (score: number): number => Math.max(-mostWordScore, Math.min(mostWordScore, score));
    const words = fc.array(fc.constantFrom('Anna', 'Wolfgangsee', 'of', ',', '12', 'IT', 'ñandú'), { minLength: 1 });
    fc.assert(
      fc.property(contents, words, (content, units) => {
        // A kernel keeps the scores of words that it has seen.
        const kernel = createKernel();
        // No lead of O is confident, so that all tokens have all scores.
        kernel.reserveTagger(8, buckets, 1 << 16, 0x7fff);
        const tokens = new Tokens(kernel);
        tokens.read(units.join(' '));
        const { count } = tokens;
        const table = numbersAt(kernel, kernel.rowsAt, buckets * rowWords);
        fillWith(table, content);
        kernel.label(count);
        const scores = (rows: readonly number[]): number[] =>
          plainSums(table, rows).map((sum) => (sum - rows.length * zero) * step);
        const expected = rowsOf(kernel, count).map((own) => {
          const all = own.map((rows, at) => (at < offsets ? scores(rows).map(limited) : scores(rows)));
          return Array.from({ length: rowBytes }, (_, at) => all.reduce((sum, row) => sum + (row[at] ?? 0), 0));
        });
        const found = Array.from({ length: count }, (_, token) => [
          ...tokens.scores.subarray(token * rowBytes, (token + 1) * rowBytes),
        ]);
        expect(found).to.deep.equal(expected);
      }),
      { numRuns: 60 },
    );
  });
});
