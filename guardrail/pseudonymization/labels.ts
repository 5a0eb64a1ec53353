import type { EntityType } from '../detection/detection.ts';
import { generalTypeOf, labelledTypes } from '../entityTypes.ts';
import { Recent } from '../recent.ts';

/** The type in a pseudonym: `PERSON` in `<PERSON_K7Q2RTM4>`. Part of the grammar. */
export type Label = string;

/** Label of types outside the vocabulary. */
const OTHER: Label = 'ENTITY';
/** Label of client text that looks like a pseudonym. */
export const LITERAL: Label = 'LITERAL';

/** Longer names are cut. With {@link MAX_WORDS}, this bounds the length of a pseudonym and therefore the holdback. */
const MAX_LENGTH = 32;
const MAX_WORDS = 5;
/** Types whose labels are remembered. Presidio and recognizers have a few dozen. */
const MAX_REMEMBERED = 500;

const KNOWN: readonly Label[] = [LITERAL, OTHER, ...labelledTypes];

/**
 * The labels that a guard writes and recognizes. The set is closed for two reasons: `(step AB12CDEF)` and
 * `[commit 3fa4c21b]` are not read as pseudonyms, and a stream holds text back only where a label can begin.
 */
export interface LabelSet {
  readonly labels: readonly Label[];
  readonly labelOf: (type: EntityType) => Label;
}

export function createLabelSet(customTypes: readonly EntityType[]): LabelSet {
  const labels = new Set([...KNOWN, ...customTypes.map(labelOfType)]);
  const known = new Recent<Label>(MAX_REMEMBERED);
  return {
    labels: [...labels],
    labelOf: (type) => {
      const before = known.get(type);
      if (before !== undefined) return before;
      const own = labelOfType(generalTypeOf(type));
      const label = labels.has(own) ? own : OTHER;
      known.set(type, label);
      return label;
    },
  };
}

/**
 * Tells which pseudonyms may be restored for a reader who may see only some types.
 * @param types undefined: all
 */
export function showing(types: ReadonlySet<string> | undefined): (label: Label) => boolean {
  // Text of the client itself.
  return (label) => types === undefined || label === LITERAL || types.has(label);
}

/**
 * The label of a type in a vocabulary that contains it, in upper snake case and ASCII: `Employee-ID (DE)` becomes
 * `EMPLOYEE_ID_DE`. Several types can have the same label.
 */
export function labelOfType(type: EntityType): Label {
  const words = type
    .slice(0, 4 * MAX_LENGTH)
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '');
  const label = words.slice(0, MAX_WORDS).join('_').slice(0, MAX_LENGTH).replace(/_+$/, '');
  return /^[A-Z]/.test(label) ? label : OTHER;
}
