import { expect } from 'chai';
import { jiebaEntries, mecabEntries, unspacedCorpus } from './unspaced.ts';

const none = { japanese: [], korean: [], chinese: [] };
const japanese = (sorts: string, word: string): { sorts: string[]; word: string } => ({
  sorts: sorts.split(' '),
  word,
});
/** The letters of the lists that have a word. */
const listsOf = (corpus: readonly string[], word: string): string =>
  corpus.find((line) => line.endsWith(` ${word}`))?.split(' ')[0] ?? '';

describe('words of scripts without spaces', () => {
  const corpus = unspacedCorpus({
    japanese: [
      japanese('名詞 固有名詞 人名 姓', '剣持'),
      japanese('名詞 固有名詞 人名 名', '類'),
      japanese('名詞 固有名詞 地域 一般', '剣持'),
      japanese('名詞 固有名詞 地域 一般', '札幌'),
      japanese('名詞 一般 * *', '剣持類'),
      japanese('名詞 一般 * *', '電車'),
      japanese('名詞 固有名詞 人名 姓', 'マクダーモット'),
    ],
    korean: ['김서연', '이서연', '박서연', '최서연', '정서연', '강서연', '조서연', '윤서연', '윤하나'].map((word) => ({
      sorts: ['NNP', '인명', 'T'],
      word,
    })),
    chinese: [
      { word: '王小敏', count: 3, tag: 'nr' },
      { word: '李小敏', count: 3, tag: 'nr' },
      { word: '李大石', count: 3, tag: 'nr' },
      { word: '小敏', count: 30, tag: 'n' },
      { word: '汽车', count: 3000, tag: 'n' },
      { word: '罕词', count: 3, tag: 'n' },
      { word: '桂林', count: 300, tag: 'ns' },
    ],
  });
  for (const [why, word, lists] of [
    ['family names come from the dictionary, and can be places', '剣持', 'fr'],
    ['given names come from the dictionary', '類', 'g'],
    ['Japanese places need the form of a name', '札幌', ''],
    ['a common word with the form of a name is listed', '剣持類', 'o'],
    ['another Japanese word is not', '電車', ''],
    ['Korean family names are known', '남궁', 'f'],
    ['a Korean given name stands in eight full names', '서연', 'g'],
    ['a rarer one is none', '하나', ''],
    ['a Chinese given name stands in two full names, and can be a word', '小敏', 'go'],
    ['a rarer one is none', '大石', ''],
    ['frequent Chinese words are listed', '汽车', 'o'],
    ['rare ones are not', '罕词', ''],
    ['Chinese places are listed', '桂林', 'r'],
  ] as const)
    it(`${why}: ${word}`, () => {
      expect(listsOf(corpus, word)).to.equal(lists);
    });

  it('are sorted, once each, and have at most four characters', () => {
    const words = corpus.map((line) => line.split(' ')[1] ?? '');
    expect(words).to.deep.equal([...new Set(words)].sort());
    expect(Math.max(...words.map(({ length }) => length))).to.be.at.most(4);
    expect(unspacedCorpus(none).length).to.be.above(500);
  });
});

describe('dictionaries', () => {
  it('of MeCab are texts between zero bytes', () => {
    const dictionary = Buffer.from('\u0001\u0000NNP,인명,F,서연,*,*,*,*\u0000x\u0000NNG,*,T,블루종,*,*,*,*\u0000');
    expect(mecabEntries(dictionary, { sorts: 0, word: 3 })).to.deep.equal([
      { sorts: ['NNP', '인명', 'F'], word: '서연' },
      { sorts: ['NNG', '*', 'T'], word: '블루종' },
    ]);
  });

  it('of jieba are lines with a word, its count and its tag', () => {
    expect(jiebaEntries('桂林 300 ns\n\nB超 3 n\n')).to.deep.equal([
      { word: '桂林', count: 300, tag: 'ns' },
      { word: 'B超', count: 3, tag: 'n' },
    ]);
  });
});
