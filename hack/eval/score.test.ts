import { expect } from 'chai';
import { score, type EvalText } from './score.ts';

const texts: readonly EvalText[] = [
  {
    id: 'a',
    text: '😀 Anna Schmidt of Contoso, anna@example.com',
    spans: [
      { start: 2, end: 14, type: 'PERSON' },
      { start: 18, end: 25, type: 'ORG' },
      { start: 27, end: 43, type: 'EMAIL_ADDRESS' },
    ],
  },
  { id: 'b', text: 'two words on 2024-01-01', spans: [{ start: 13, end: 23, type: 'DATE_TIME' }] },
];

describe('scorer', () => {
  it('counts finds by type, leaked values, and over-masked text', () => {
    const finds = new Map([
      ['a', [{ start: 2, end: 14, type: 'PERSON' }, { start: 27, end: 43, type: 'EMAIL_ADDRESS', score: 1 }, { start: 32, end: 43, type: 'URL', score: 0.5 }]],
      ['b', [{ start: 4, end: 9, type: 'LOCATION' }, { start: 13, end: 23, type: 'PERSON' }]],
    ]); // prettier-ignore
    const { all, types } = score(texts, finds);
    expect(types.get('PERSON')).to.deep.equal({ gold: 1, precision: 0.5, recall: 1, f2: 5 / 6, masked: 1 });
    expect(types.get('ORGANIZATION')).to.deep.include({ gold: 1, recall: 0, f2: 0, masked: 0 });
    expect(all).to.deep.equal({
      gold: 3,
      precision: 2 / 4,
      recall: 2 / 3,
      f2: (5 * 0.5 * (2 / 3)) / (4 * 0.5 + 2 / 3),
      leakedCharacters: 7 / 32,
      leakedValues: 1 / 3,
      overmasked: 5 / 12,
      falsePer1000Words: 1000 / 10,
    });
  });

  it('requires half of the characters in common, and tolerates a readable tenth', () => {
    const one: EvalText[] = [{ id: 1, text: 'abcdefghijkl', spans: [{ start: 0, end: 10, type: 'PERSON' }] }];
    const only = (start: number, end: number): ReturnType<typeof score>['all'] =>
      score(one, new Map([[1, [{ start, end, type: 'PERSON' }]]])).all;
    expect(only(0, 5)).to.deep.include({ recall: 1, leakedValues: 1 });
    expect(only(0, 4)).to.deep.include({ recall: 0 });
    expect(only(0, 9)).to.deep.include({ leakedValues: 0 });
  });
});
