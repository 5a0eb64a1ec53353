import { zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { buckets, mostFeatures } from './features.ts';
import { labelCount, mayFollow } from './labels.ts';
import {
  byteOf,
  clamped,
  firstOf,
  highOf,
  packed,
  scoreOfSum,
  packedWords,
  limits,
  lowOf,
  otherOf,
  rowBytes,
  rowWords,
  unit,
  zero,
} from './packedScores.ts';
import { loadGazetteer, loadModel, packModel, unpackModel } from './model.ts';
import { Tagger } from './tagger.ts';
import { spreadOf, transitionAt, transitionCount, Viterbi } from './viterbi.ts';

const model = loadModel();
const gazetteer = loadGazetteer();

function tagsOf(tagger: Tagger, text: string): unknown[] {
  const tags: unknown[] = [];
  tagger.tag(text, (...tag) => tags.push(tag));
  return tags;
}

describe('tagger', () => {
  const texts = [
    'Anna Schmidt of Contoso Ltd lives at Hauptstraße 12, 10115 Berlin, and Bob met her in Paris.',
    'From: Priya Raman\nTo: Jean Dupont\n\nplease ask tom about the flat in Leeds, thanks',
    'The parcel for Lucía Fernández went to 12 rue de la Paix, 75002 Paris instead of 10 Downing Street, London.',
    'Anna Anna Berlin Berlin Anna Berlin Bob Bob Bob of of of Contoso',
  ];

  it('finds the same spans in a cache with many collisions and in one without', () => {
    const crowded = new Tagger(model, gazetteer, 8);
    for (const text of [...texts, ...texts.toReversed(), texts.join(' ')]) {
      const roomy = new Tagger(model, gazetteer, 1 << 16);
      expect(tagsOf(crowded, text)).to.deep.equal(tagsOf(roomy, text)).and.not.be.empty;
    }
  });

  it('finds the same spans in a text alone and at the end of a long text', () => {
    const tagger = new Tagger(model, gazetteer);
    const before = 'It was late, and nothing more could be done about the noise from the old machines.\n\n';
    const alone = tagsOf(tagger, `\n\n${texts[0] ?? ''}`).length;
    expect(tagsOf(tagger, before.repeat(300) + (texts[0] ?? ''))).to.have.length(alone);
  });
});

describe('Viterbi decoder', () => {
  /** The best score of all sequences of labels, by exhaustive search. */
  function bestOf(scores: Int32Array, gaps: Uint8Array, transitions: Int32Array, token = 0, before = 0): number {
    if (token === gaps.length - 1) return transitions[transitionAt(gaps[token] ?? 0, before, 0)] ?? 0;
    let best = -Infinity;
    for (let label = 0; label < labelCount; label++) {
      if (!mayFollow(before, label)) continue;
      const pair = transitions[transitionAt(gaps[token] ?? 0, before, label)] ?? 0;
      const own = scores[token * labelCount + label] ?? 0;
      best = Math.max(best, pair + own + bestOf(scores, gaps, transitions, token + 1, label));
    }
    return best;
  }

  /** The score of one sequence of labels, with O before and after it. */
  function scoreOf(labels: Uint8Array, scores: Int32Array, gaps: Uint8Array, transitions: Int32Array): number {
    return gaps.reduce((sum, gap, token) => {
      const [before = 0, label = 0] = [labels[token - 1], labels[token]];
      return (
        sum +
        (transitions[transitionAt(gap, before, label)] ?? 0) +
        (token < labels.length ? (scores[token * labelCount + label] ?? 0) : 0)
      );
    }, 0);
  }

  it('finds a best sequence of labels, and the same one if it skips labels that trail too far', () => {
    const small = fc.integer({ min: -40, max: 40 });
    const length = 4;
    fc.assert(
      fc.property(
        fc.array(small, { minLength: length * labelCount, maxLength: length * labelCount }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: length + 1, maxLength: length + 1 }),
        fc.array(small, { minLength: transitionCount, maxLength: transitionCount }),
        fc.constantFrom(1, 3, 10),
        (values, between, pairs, factor) => {
          // The decoded range has one O token before it and one after it.
          const scores = Int32Array.from([...new Array<number>(labelCount).fill(0), ...values.map((v) => v * factor)]);
          const gaps = Uint8Array.from([0, ...between]);
          const transitions = Int32Array.from(pairs);
          const [complete, pruned] = [new Uint8Array(length + 2), new Uint8Array(length + 2)];
          new Viterbi().decode(1, length + 1, length + 2, scores, gaps, transitions, complete);
          new Viterbi().decode(1, length + 1, length + 2, scores, gaps, transitions, pruned, spreadOf(transitions));
          expect(pruned).to.deep.equal(complete);
          const inside = scores.subarray(labelCount);
          const found = scoreOf(pruned.subarray(1, length + 1), inside, gaps.subarray(1), transitions);
          expect(found).to.equal(bestOf(inside, gaps.subarray(1), transitions));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('packed scores', () => {
  const ends = [-32_768, -32_767, -4400, -1, 0, 1, 900, 4400, 32_767];

  it('pack two 16-bit numbers into one 32-bit number', () => {
    for (const low of ends)
      for (const high of ends) {
        if (high === -32_768 && low < 0) continue;
        expect([lowOf(packed(low, high)), highOf(packed(low, high))]).to.deep.equal([low, high]);
      }
  });

  it('keep the greatest sum of a token within 16 bits', () => {
    const most = clamped(packed(-32_767, 32_767));
    expect([lowOf(most), highOf(most)]).to.deep.equal([-limits.word, limits.word]);
    let sum = scoreOfSum(11 * packed(zero - limits.weight, zero + limits.weight), 11);
    for (let word = 0; word < 5; word++) sum = (sum + most) | 0;
    const expected = 5 * limits.word + 11 * limits.weight * unit;
    expect([lowOf(sum), highOf(sum)]).to.deep.equal([-expected, expected]);
  });

  it('add up any rows, as many as a token has features', () => {
    const step = fc.integer({ min: -limits.weight, max: limits.weight });
    const row = fc.array(step, { minLength: rowBytes, maxLength: rowBytes });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: mostFeatures }), (rows) => {
        const sums = [0, 0, 0, 0];
        for (const steps of rows) {
          const bytes = new Uint8Array(rowBytes);
          steps.forEach((value, at) => (bytes[byteOf(at + 1)] = zero + value));
          const words = new Int32Array(bytes.buffer);
          expect(words).to.have.length(rowWords);
          words.forEach((word, at) => {
            sums[2 * at] = ((sums[2 * at] ?? 0) + firstOf(word)) | 0;
            sums[2 * at + 1] = ((sums[2 * at + 1] ?? 0) + otherOf(word)) | 0;
          });
        }
        const found = sums.map((sum) => scoreOfSum(sum, rows.length)).flatMap((pair) => [lowOf(pair), highOf(pair)]);
        const expected = Array.from({ length: rowBytes }, (_, at) =>
          rows.reduce((sum, row) => sum + (row[at] ?? 0), 0),
        );
        expect(found).to.deep.equal(expected.map((sum) => sum * unit));
      }),
    );
  });

  it('have room for all labels except O', () => {
    expect(rowBytes).to.equal(labelCount - 1);
    expect(2 * packedWords).to.equal(labelCount - 1);
  });
});

describe('packModel and unpackModel', () => {
  it('round the differences from O to steps, and omit rows without any', () => {
    const rows = new Int16Array(buckets * labelCount);
    rows.set([100, 108, 112, 104, 103, 105, -3000, 3000, 100], 5 * labelCount);
    rows.set([7, 10, 7, 7, 7, 7, 7, 7, 4], 6 * labelCount);
    rows.set([0, 0, 0, 0, 0, 0, 0, 0, -16], (buckets - 1) * labelCount);
    const transitions = Int16Array.from({ length: transitionCount }, (_, at) => at - 100);
    const packed = packModel({ rows, transitions, scale: 128 });
    const model = unpackModel(packed);
    expect(model.scale).to.equal(128);
    expect(model.transitions).to.deep.equal(transitions);
    const stepsOf = (feature: number): number[] => {
      const bytes = new Uint8Array(model.rows.slice(feature * rowWords).buffer, 0, rowBytes);
      return Array.from(bytes, (_, at) => (bytes[byteOf(at + 1)] ?? 0) - zero);
    };
    expect(stepsOf(5)).to.deep.equal([1, 2, 1, 0, 1, -127, 127, 0]);
    expect(stepsOf(buckets - 1)).to.deep.equal([0, 0, 0, 0, 0, 0, 0, -2]);
    for (const nothing of [0, 4, 6, 7]) {
      expect(stepsOf(nothing), String(nothing)).to.deep.equal(new Array(rowBytes).fill(0));
    }
  });

  it('reject a file with another layout', () => {
    for (const bytes of [Buffer.alloc(10), Buffer.alloc(100_000), Buffer.alloc(100_001)]) {
      expect(() => unpackModel(zstdCompressSync(bytes))).to.throw('belongs to another version');
    }
  });
});
