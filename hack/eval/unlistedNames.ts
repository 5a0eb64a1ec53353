/** How the detector finds names that no list has. The shipped lists have most names of real people, also those of the sets. */
import { flags, Gazetteer } from '../../guardrail/detection/ner/gazetteer.ts';
import { loadNameModels, type NameModels } from '../../guardrail/detection/ner/nameModels.ts';
import { wordHash } from '../../guardrail/detection/ner/tokens.ts';
import { personNamesIn } from './personNames.ts';
import type { EvalText } from './score.ts';

/** A gazetteer that does not know that some words are names. */
class WithoutNames extends Gazetteer {
  private readonly all: Gazetteer;
  private readonly hidden: ReadonlySet<number>;

  constructor(all: Gazetteer, hidden: ReadonlySet<number>) {
    super(0);
    this.all = all;
    this.hidden = hidden;
  }

  override lookup(hash: number): number {
    const known = this.all.lookup(hash);
    return this.hidden.has(hash) ? known & ~(flags.given | flags.family) : known;
  }
}

/** The shipped models, as if no list of given and family names had the people in these texts. */
export function modelsWithoutNamesOf(texts: readonly EvalText[]): NameModels {
  const words = personNamesIn(texts).flatMap((name) => name.match(/[\p{L}\p{M}]+/gu) ?? []);
  const models = loadNameModels();
  return { ...models, gazetteer: new WithoutNames(models.gazetteer, new Set(words.map(wordHash))) };
}
