import { expect } from 'chai';
import { labelCount } from './labels.ts';
import { clamped, highOf, lane, laneWords, limits, lowOf } from './lanes.ts';
import { loadGazetteer, loadModel } from './model.ts';
import { Tagger } from './tagger.ts';

const model = loadModel();
const gazetteer = loadGazetteer();

function tagsOf(tagger: Tagger, text: string, bias = 0): unknown[] {
  const tags: unknown[] = [];
  tagger.tag(text, bias, (...tag) => tags.push(tag));
  return tags;
}

describe('tagger', () => {
  const texts = [
    'Anna Schmidt of Contoso Ltd lives at Hauptstraße 12, 10115 Berlin, and Bob met her in Paris.',
    'From: Priya Raman\nTo: Jean Dupont\n\nplease ask tom about the flat in Leeds, thanks',
    'The parcel for Lucía Fernández went to 12 rue de la Paix, 75002 Paris instead of 10 Downing Street, London.',
    'Anna Anna Berlin Berlin Anna Berlin Bob Bob Bob of of of Contoso',
  ];

  it('finds the same in a cache where nearly all words collide as in one where none do', () => {
    const crowded = new Tagger(model, gazetteer, 8);
    for (const text of [...texts, ...texts.toReversed(), texts.join(' ')]) {
      const roomy = new Tagger(model, gazetteer, 1 << 16);
      expect(tagsOf(crowded, text)).to.deep.equal(tagsOf(roomy, text)).and.not.be.empty;
    }
  });

  it('finds the same at the end of a long text as by itself', () => {
    const tagger = new Tagger(model, gazetteer);
    const before = 'It was late, and nothing more could be done about the noise from the old machines.\n\n';
    const alone = tagsOf(tagger, `\n\n${texts[0] ?? ''}`).length;
    expect(tagsOf(tagger, before.repeat(300) + (texts[0] ?? ''))).to.have.length(alone);
  });
});

describe('lanes', () => {
  const ends = [-32_768, -32_767, -4400, -1, 0, 1, 900, 4400, 32_767];

  it('hold two numbers of 16 bits in one of 32', () => {
    for (const low of ends)
      for (const high of ends) {
        if (high === -32_768 && low < 0) continue;
        expect([lowOf(lane(low, high)), highOf(lane(low, high))]).to.deep.equal([low, high]);
      }
  });

  it('keep the greatest sum of a token within 16 bits', () => {
    const most = clamped(lane(-32_767, 32_767));
    expect([lowOf(most), highOf(most)]).to.deep.equal([-limits.word, limits.word]);
    const pair = lane(-limits.weight, limits.weight);
    let sum = 0;
    for (let word = 0; word < 5; word++) sum = (sum + most) | 0;
    for (let feature = 0; feature < 11; feature++) sum = (sum + pair) | 0;
    const expected = 5 * limits.word + 11 * limits.weight;
    expect([lowOf(sum), highOf(sum)]).to.deep.equal([-expected, expected]);
  });

  it('are enough for all labels but O', () => {
    expect(laneWords * 2).to.equal(labelCount - 1);
    for (const row of model.rows) {
      if (Math.abs(lowOf(row)) > limits.weight || Math.abs(highOf(row)) > limits.weight)
        throw new Error('A stored weight is beyond its limit.');
    }
  });
});
