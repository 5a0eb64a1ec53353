import { expect } from 'chai';
import { builtinAnalyzer, findsOf } from './evaluate.ts';
import { readKinds, type Kind } from './kinds.ts';
import { scoreFor } from './profiles.ts';
import { trainedNamesIn } from './trainedNames.ts';
import { score, type EvalText, type Score } from './score.ts';

const kinds = readKinds();

/**
 * Required scores of each language. Most sets are small, so each limit allows one more leaked value and one or two more
 * false finds than measured.
 */
const goals: Readonly<Record<string, { f2: number; leaked: number; overmasked: number; falsePer1000Words: number }>> = {
  en: { f2: 0.87, leaked: 5, overmasked: 0.017, falsePer1000Words: 10 },
  de: { f2: 0.9, leaked: 1, overmasked: 0.021, falsePer1000Words: 14 },
  fr: { f2: 0.91, leaked: 2, overmasked: 0.01, falsePer1000Words: 5 },
  es: { f2: 0.85, leaked: 3, overmasked: 0.014, falsePer1000Words: 8 },
  it: { f2: 0.85, leaked: 1, overmasked: 0.021, falsePer1000Words: 12 },
  nl: { f2: 0.88, leaked: 2, overmasked: 0.012, falsePer1000Words: 9 },
};
/** Lower F2 limits for kinds of text with known weaknesses. The default is 0.7. */
const lowestF2: Readonly<Record<string, number>> = {
  tweet: 0.6,
  capitals: 0.65,
  organisations: 0.6,
  'single-word organisations': 0.25,
};
/** Higher limits of leaked values, where the default is a tenth. */
const mostLeaked: Readonly<Record<string, number>> = { 'single-word organisations': 2 };
/** Higher limits for kinds of text with more than three known false finds. */
const mostFalse: Readonly<Record<string, number>> = {
  'innocent papers': 5,
  table: 4,
  'innocent technical note': 4,
};

const textsOf = (group: readonly Kind[]): EvalText[] => group.flatMap(({ texts }) => texts);
const wordsOf = (group: readonly Kind[]): number =>
  textsOf(group).reduce((sum, { text }) => sum + text.split(/\s+/).filter((word) => word !== '').length, 0);

describe('texts of many kinds', () => {
  it('contain no person name of the training', () => {
    expect(trainedNamesIn(textsOf(kinds), /[ ,]+/)).to.deep.equal([]);
  });

  describe('at the balanced setting with the profile confidential', () => {
    let finds: Awaited<ReturnType<typeof findsOf>>;
    before(async () => {
      finds = await findsOf(builtinAnalyzer('confidential'), textsOf(kinds));
    });
    const scoreOf = (group: readonly Kind[]): Score['all'] => score(textsOf(group), finds).all;

    it('reach the required scores overall', () => {
      const all = scoreOf(kinds);
      expect(all.f2, 'F2').to.be.at.least(0.88);
      expect(all.leakedValues, 'leaked').to.be.at.most(0.045);
      expect(all.overmasked, 'over-masked').to.be.at.most(0.02);
      expect(all.falsePer1000Words, 'false finds per 1,000 words').to.be.at.most(8);
    });

    it('have required scores for each language', () => {
      expect(Object.keys(goals).sort()).to.deep.equal([...new Set(kinds.map(({ language }) => language))].sort());
    });

    for (const [code, goal] of Object.entries(goals)) {
      it(`reach the required scores in ${code}`, () => {
        const all = scoreOf(kinds.filter(({ language }) => language === code));
        expect(all.gold, 'values').to.be.at.least(19);
        expect(all.f2, 'F2').to.be.at.least(goal.f2);
        expect(all.leakedValues * all.gold, 'leaked values').to.be.at.most(goal.leaked + 1e-9);
        expect(all.overmasked, 'over-masked').to.be.at.most(goal.overmasked);
        expect(all.falsePer1000Words, 'false finds per 1,000 words').to.be.at.most(goal.falsePer1000Words);
      });
    }

    for (const [name, group] of Map.groupBy(kinds, (kind) => kind.name)) {
      it(`stay within the limits for ${name}`, () => {
        const all = scoreOf(group);
        const falseFinds = (all.falsePer1000Words * wordsOf(group)) / 1000;
        if (all.gold > 0) {
          expect(all.f2, 'F2').to.be.at.least(lowestF2[name] ?? 0.7);
          expect(all.leakedValues * all.gold, 'leaked values').to.be.at.most(
            Math.max(mostLeaked[name] ?? 1, 0.1 * all.gold) + 1e-9,
          );
        }
        expect(falseFinds, 'false finds').to.be.at.most(Math.max(mostFalse[name] ?? 3, 0.015 * wordsOf(group)) + 1e-9);
      });
    }
  });

  it('reach the required scores at the balanced setting with the profile personal', async () => {
    const texts = textsOf(kinds);
    const { all } = scoreFor('personal', texts, await findsOf(builtinAnalyzer('personal'), texts));
    expect(all.f2, 'F2').to.be.at.least(0.94);
    expect(all.leakedValues, 'leaked').to.be.at.most(0.045);
    expect(all.overmasked, 'over-masked').to.be.at.most(0.01);
    expect(all.falsePer1000Words, 'false finds per 1,000 words').to.be.at.most(5);
  });
});
