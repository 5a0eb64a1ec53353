/** How the detector finds names that no list has. The shipped lists have most names of real people, also those of the sets. */
import { flags, Gazetteer } from '../../guardrail/detection/ner/gazetteer.ts';
import { loadNameModels, type NameModels } from '../../guardrail/detection/ner/nameModels.ts';
import { wordHash } from '../../guardrail/detection/ner/tokens.ts';
import { personNamesIn } from './personNames.ts';
import type { EvalText } from './score.ts';

/** A copy of a gazetteer that does not know that some words are names. */
function withoutNames(all: Gazetteer, hidden: readonly number[]): Gazetteer {
  const entries = all.entries.slice();
  for (const hash of hidden) {
    const slot = all.slotOf(hash);
    if (slot !== undefined) entries[slot] = (entries[slot] ?? 0) & ~(flags.given | flags.family);
  }
  return new Gazetteer(entries);
}

/** The models, as if no list of given and family names had the people in these texts. Default: the shipped ones. */
export function modelsWithoutNamesOf(texts: readonly EvalText[], models = loadNameModels()): NameModels {
  const words = personNamesIn(texts).flatMap((name) => name.match(/[\p{L}\p{M}]+/gu) ?? []);
  return { ...models, gazetteer: withoutNames(models.gazetteer, words.map(wordHash)) };
}
