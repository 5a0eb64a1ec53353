/** Kinds of entities that the tagger labels. An address is a location with a street. */
export const kindNames = ['PERSON', 'LOCATION', 'ORGANIZATION', 'ADDRESS'] as const;
export type TagKind = (typeof kindNames)[number];

/** Number of labels: O (outside), then B (begin) and I (inside) of each kind. */
export const labelCount = 1 + 2 * kindNames.length;

export const beginOf = (kind: TagKind): number => 1 + 2 * kindNames.indexOf(kind);
export const insideOf = (kind: TagKind): number => 2 + 2 * kindNames.indexOf(kind);
export const isBegin = (label: number): boolean => (label & 1) === 1;
export const kindOfLabel = (label: number): TagKind | undefined => kindNames[(label - 1) >> 1];

/** Whether a label may follow another. An I label follows only B or I of its own kind. */
export const mayFollow = (before: number, label: number): boolean =>
  label === 0 || isBegin(label) || before === label || before === label - 1;
