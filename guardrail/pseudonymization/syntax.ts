import type { EntityType } from '../detection/detection.ts';
import { createGrammar, type Grammar } from './grammar.ts';
import { createLabelSet, type LabelSet } from './labels.ts';

/** The labels and the grammar of pseudonyms for one list of entity types. */
export interface PseudonymSyntax {
  readonly labels: LabelSet;
  /** Of answers. */
  readonly grammar: Grammar;
  /** Of the client's text that looks like a pseudonym. */
  readonly lookAlikes: Grammar;
}

/** Reading the labels takes time, so all guards of a process share the last result. */
let cached: (PseudonymSyntax & { readonly key: string }) | undefined;

export function syntaxFor(customTypes: readonly EntityType[]): PseudonymSyntax {
  const key = customTypes.join('\n');
  if (cached?.key !== key) {
    const labels = createLabelSet(customTypes);
    const lookAlikes = createGrammar(labels.labels, { commonOnly: true });
    cached = { key, labels, grammar: createGrammar(labels.labels), lookAlikes };
  }
  return cached;
}
