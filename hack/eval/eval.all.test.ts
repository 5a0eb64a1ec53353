import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { evalFolder } from './evalData.ts';
import { builtinAnalyzer, findsOf } from './evaluate.ts';
import { scoreFor } from './profiles.ts';
import { score } from './score.ts';
import { readTexts } from './texts.ts';

/** Required scores at `balanced`, with the profile `confidential`, on sets that the detector was not trained on. */
const goals = {
  presidio_synth_dev: { f2: 0.66, leakedValues: 0.24, overmasked: 0.035 },
  prompts_dev: { f2: 0.82, leakedValues: 0.12, overmasked: 0.02 },
} as const;
const structured =
  'EMAIL_ADDRESS PHONE_NUMBER CREDIT_CARD IBAN_CODE IP_ADDRESS US_SSN URL API_KEY MAC_ADDRESS ID'.split(' ');

describe('built-in detector on the development sets', function () {
  this.timeout(120_000);
  let folder = '';
  before(() => {
    folder = evalFolder();
  });

  for (const [name, goal] of Object.entries(goals)) {
    it(`reaches the required scores on ${name}`, async () => {
      const texts = await readTexts(join(folder, `${name}.jsonl`));
      const finds = await findsOf(builtinAnalyzer('confidential'), texts);
      const { all } = score(texts, finds);
      expect(all.f2).to.be.at.least(goal.f2);
      expect(all.leakedValues).to.be.at.most(goal.leakedValues);
      expect(all.overmasked).to.be.at.most(goal.overmasked);
      const { all: forms } = score(texts, finds, new Set(structured));
      expect(forms.recall).to.be.at.least(0.95);
      expect(forms.precision).to.be.at.least(0.97);
    });

    it(`reaches the required scores with the profile personal on ${name}`, async () => {
      const texts = await readTexts(join(folder, `${name}.jsonl`));
      const { all } = scoreFor('personal', texts, await findsOf(builtinAnalyzer('personal'), texts));
      expect(all.f2).to.be.at.least(goal.f2);
      expect(all.leakedValues).to.be.at.most(goal.leakedValues);
      expect(all.overmasked).to.be.at.most(goal.overmasked);
    });

    it(`computes the same scores as score.py on ${name}`, async () => {
      const gold = join(folder, `${name}.jsonl`);
      const texts = await readTexts(gold);
      const finds = await findsOf(builtinAnalyzer('confidential', { recall: 'thorough' }), texts);
      const scratch = await mkdtemp(join(tmpdir(), 'eval-'));
      const file = join(scratch, 'finds.jsonl');
      await writeFile(file, [...finds].map(([id, spans]) => JSON.stringify({ id, spans })).join('\n'));
      const { stdout } = await promisify(execFile)('python3', [join(folder, 'score.py'), file, gold, '--json']);
      await rm(scratch, { recursive: true });
      const theirs = (JSON.parse(stdout) as { all: Record<string, number> }).all;
      const { all } = score(texts, finds);
      const ours = { n: all.gold, p: all.precision, r: all.recall, f2: all.f2, leak_char: all.leakedCharacters, leak_value: all.leakedValues, overmask: all.overmasked, fp_per_1k_words: all.falsePer1000Words }; // prettier-ignore
      for (const [key, value] of Object.entries(ours)) expect(value, key).to.be.closeTo(theirs[key] ?? NaN, 1e-9);
    });
  }
});
