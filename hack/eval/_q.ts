import { detectorRow } from './evaluate.ts';
import { createBuiltinDetector } from '../../guardrail/detection/detection.ts';
import { readKinds, messagesFile, questionsFile } from './kinds.ts';
import { readTexts } from './texts.ts';
const all = (f?: URL) => readKinds(f).flatMap(k => k.texts);
const sets: [string, any][] = [['messages', all(messagesFile)], ['questions', all(questionsFile)], ['kinds', all()]];
for (const f of ['everyday_dev','presidio_synth_dev','prompts_dev']) sets.push([f, await readTexts(`/work/shared/eval/${f}.jsonl`)]);
for (const profile of ['personal','confidential'] as const) for (const [name, texts] of sets) {
  if (profile==='confidential' && name==='messages') continue;
  const { altered, score: { all } } = await detectorRow('x', profile, [createBuiltinDetector({})], texts);
  console.log(profile.padEnd(13), name.padEnd(20), 'altered', altered.toFixed(4), 'F2', all.f2.toFixed(4), 'P', all.precision.toFixed(4), 'leak', all.leakedValues.toFixed(4), 'over', all.overmasked.toFixed(4), 'fp/1k', all.falsePer1000Words.toFixed(2));
}
