import type { EntityType } from '../detection/detection.ts';
import { createGrammar, type Grammar } from './grammar.ts';
import { createLabelSet, type LabelSet } from './labels.ts';

/** How pseudonyms are written and recognized, for one list of entity types. */
export interface PseudonymSyntax {
  readonly labels: LabelSet;
  readonly grammar: Grammar;
}

/** Compiling the patterns takes time: all guards of a process share the last result. */
let cached: (PseudonymSyntax & { readonly key: string }) | undefined;

export function syntaxFor(customTypes: readonly EntityType[]): PseudonymSyntax {
  const key = customTypes.join('\n');
  if (cached?.key !== key) {
    const labels = createLabelSet(customTypes);
    cached = { key, labels, grammar: createGrammar(labels.labels) };
  }
  return cached;
}
