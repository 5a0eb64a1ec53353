import type { Generator } from './generate.ts';
import type { LabelledText } from './labelledText.ts';

/** The texts from which the tagger learns where names are. */
export function taggerTexts(generator: Generator): LabelledText[] {
  return [
    ...generator.templates('english', 200),
    ...generator.templates('forms', 240),
    ...generator.templates('foreign', 160),
    ...generator.templates('everyday', 96),
    ...generator.templates('negatives', 112),
    ...generator.templates('shapes', 144),
    ...generator.templates('labels', 600),
    ...generator.templates('notices', 160),
    ...generator.templates('small', 96),
    ...generator.templates('work', 120),
    ...generator.templates('marked', 96),
    ...generator.templates('science', 60),
    ...generator.passages(
      ['english', 'english', 'everyday', 'negatives', 'foreign', 'notices', 'small', 'work', 'marked', 'science'],
      36000,
    ),
    ...generator.dictionary.examples(80_000),
    ...generator.dictionary.explanations(16_000),
    ...generator.prose('prose', 60),
    ...generator.carriers('carriers', 160),
    ...generator.dictionary.encyclopedia(9000),
    ...generator.foreign(),
    ...generator.plain(96),
    ...generator.catalogues(36000),
    ...generator.code(),
    ...generator.code(),
    ...generator.carriers('knowledge', 60),
    ...generator.registers('personal', 40),
    ...generator.registers('public', 30),
  ];
}

/** The texts from which the classifier learns what names are: only those that show who is private. */
export function classifierTexts(generator: Generator): LabelledText[] {
  return [
    ...generator.registers('personal', 12),
    ...generator.registers('public', 8),
    ...generator.catalogues(6000),
    ...generator.code(),
    ...generator.foreign(),
    ...generator.templates('negatives', 4),
    ...generator.prose('prose', 3),
    ...generator.dictionary.explanations(6000),
    ...generator.templates('science', 4),
    ...generator.templates('notices', 4),
    ...generator.templates('shapes', 6),
    ...generator.templates('labels', 20),
    ...generator.plain(3),
  ];
}
