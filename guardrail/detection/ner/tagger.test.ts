import { zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import { buckets, mostWeight, mostWordScore, pairCount, zero } from '../kernel/numbers.ts';
import { kindNames, labelCount } from './labels.ts';
import { loadGazetteer, loadModel, packModel, unpackModel } from './model.ts';
import { Tagger } from './tagger.ts';
import { transitionCount } from './transitions.ts';
import { byteOf, rowBytes, rowWords, step } from './weightRows.ts';

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
    const crowded = new Tagger(model, gazetteer, { slots: 8 });
    for (const text of [...texts, ...texts.toReversed(), texts.join(' ')]) {
      const roomy = new Tagger(model, gazetteer, { slots: 1 << 16 });
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

describe('a row of weights', () => {
  it('has room for all labels except O', () => {
    expect(labelCount).to.equal(1 + 2 * kindNames.length);
    expect(rowBytes).to.equal(labelCount - 1);
  });

  it('keeps the greatest sum of a token within 16 bits', () => {
    expect(5 * mostWordScore + pairCount * mostWeight * step).to.be.below(2 ** 15);
  });
});

describe('packModel and unpackModel', () => {
  it('round the differences from O to steps', () => {
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
