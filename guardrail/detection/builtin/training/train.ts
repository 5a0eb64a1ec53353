import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Tagger } from '../tagger/tagger.ts';
import { gazetteerFile, modelFile, packGazetteer, packModel } from '../tagger/model.ts';
import { buildGazetteer, gazetteerOf, withHidden } from './gazetteers.ts';
import { Generator, type LabelledText } from './generate.ts';
import { readWordNet } from './lexicon.ts';
import { examplesOf, train } from './perceptron.ts';
import { Random } from './random.ts';

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
const started = performance.now();
const wordNet = readWordNet();
const entries = buildGazetteer(wordNet);
log(`gazetteer: ${entries.size} words`);
const hidden = gazetteerOf(withHidden(entries));
const generator = new Generator(20_261_121, 'train', wordNet);
const scale = Number(process.env.TRAIN_SCALE ?? 1);
const times = (n: number): number => Math.max(1, Math.round(n * scale));
const texts: LabelledText[] = [
  ...generator.templates('english', times(50)),
  ...generator.templates('forms', times(60)),
  ...generator.templates('foreign', times(40)),
  ...generator.templates('negatives', times(28)),
  ...generator.carriers(times(12_000)),
  ...generator.prose(times(7000)),
  ...generator.encyclopedia(times(9000)),
];
log(
  `texts: ${texts.length}, ${texts.reduce((sum, { text }) => sum + text.length, 0)} characters, after ${Math.round(performance.now() - started)} ms`,
);
const examples = examplesOf(texts, hidden);
log(`features after ${Math.round(performance.now() - started)} ms`);
const model = train(examples, Number(process.env.TRAIN_EPOCHS ?? 4), new Random(7), log);
const packedModel = packModel(model);
const packedGazetteer = packGazetteer(entries);
writeFileSync(modelFile, packedModel);
writeFileSync(gazetteerFile, packedGazetteer);
log(
  `model ${packedModel.length} bytes, gazetteer ${packedGazetteer.length} bytes, after ${Math.round(performance.now() - started)} ms`,
);
for (const bytes of [packedModel, packedGazetteer]) log(createHash('sha256').update(bytes).digest('hex'));

const blind = new Generator(9_041_977, 'blind', wordNet).templates('blind', 12);
const tagger = new Tagger(model, hidden);
for (const bias of [0, 400, 800, 1200, 1600, 2000, 2400]) {
  const counts: Record<string, { gold: number; found: number; right: number }> = {};
  for (const { text, spans } of blind) {
    for (const { kind } of spans) (counts[kind] ??= { gold: 0, found: 0, right: 0 }).gold++;
    tagger.tag(text, bias, (kind, first, last) => {
      const row = (counts[kind] ??= { gold: 0, found: 0, right: 0 });
      row.found++;
      const start = tagger.tokens.start[first] ?? 0;
      const end = tagger.tokens.end[last] ?? 0;
      if (
        spans.some(
          (span) =>
            span.kind === kind &&
            Math.min(end, span.end) - Math.max(start, span.start) >=
              0.5 * (Math.max(end, span.end) - Math.min(start, span.start)),
        )
      )
        row.right++;
    });
  }
  log(
    `bias ${bias}: ${Object.entries(counts)
      .map(([kind, { gold, found, right }]) => `${kind} P ${(right / found).toFixed(3)} R ${(right / gold).toFixed(3)}`)
      .join('  ')}`,
  );
}
