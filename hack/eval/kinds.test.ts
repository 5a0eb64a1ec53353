import { expect } from 'chai';
import { createAnalyzer, createBuiltinDetector } from '../../guardrail/detection/detection.ts';
import { isBlind, namePools } from '../../guardrail/detection/builtin/training/lexicon.ts';
import { findsOf } from './evaluate.ts';
import { readKinds } from './kinds.ts';
import { score } from './score.ts';

const kinds = readKinds();

describe('texts of many kinds', () => {
  it('name nobody whose name training uses', () => {
    const trained = new Set(
      namePools
        .flatMap(({ given, family }) => [...given, ...family])
        .filter((name) => !isBlind(name))
        .map((name) => name.toLowerCase()),
    );
    const people = kinds
      .flatMap(({ texts }) => texts)
      .flatMap(({ text, spans }) =>
        spans
          .filter(({ type }) => type === 'PERSON')
          .map(({ start, end }) => Array.from(text).slice(start, end).join('')),
      );
    const known = people.flatMap((name) => name.split(/[ ,]+/)).filter((name) => trained.has(name.toLowerCase()));
    expect([...new Set(known)]).to.deep.equal([]);
  });

  it('are found well in every language, and little else is', async () => {
    const analyzer = createAnalyzer({ detectors: [createBuiltinDetector()] });
    const texts = kinds.flatMap((kind) => kind.texts);
    const finds = await findsOf(analyzer, texts);
    const { all } = score(texts, finds);
    expect(all.f2, 'F2').to.be.at.least(0.88);
    expect(all.leakedValues, 'leaked').to.be.at.most(0.03);
    expect(all.overmasked, 'destroyed').to.be.at.most(0.02);
    expect(all.falsePer1000Words, 'false finds per 1,000 words').to.be.at.most(8);
  });
});
