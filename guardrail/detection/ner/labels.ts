/** Labels of the tagger: outside, and the beginning and inside of each kind. Addresses are places that hold a street. */
export const kindNames = ['PERSON', 'LOCATION', 'ORGANIZATION', 'ADDRESS'] as const;
export type TagKind = (typeof kindNames)[number];

/** O, then B and I of each kind. */
export const labelCount = 1 + 2 * kindNames.length;

export const beginOf = (kind: TagKind): number => 1 + 2 * kindNames.indexOf(kind);
export const insideOf = (kind: TagKind): number => 2 + 2 * kindNames.indexOf(kind);
export const isBegin = (label: number): boolean => (label & 1) === 1;
export const kindOfLabel = (label: number): TagKind | undefined => kindNames[(label - 1) >> 1];

/** Whether a label may follow another: an inside label only its own beginning or inside. */
export const mayFollow = (before: number, label: number): boolean =>
  label === 0 || isBegin(label) || before === label || before === label - 1;
