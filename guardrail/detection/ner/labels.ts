export { labelCount } from '../kernel/numbers.ts';

/** Kinds of entities that the tagger labels. An address is a location with a street. */
export const kindNames = ['PERSON', 'LOCATION', 'ORGANIZATION', 'ADDRESS'] as const;
export type TagKind = (typeof kindNames)[number];

/** A label is O (outside), or B (begin) or I (inside) of a kind, in this order: see {@link labelCount}. */
export const beginOf = (kind: TagKind): number => 1 + 2 * kindNames.indexOf(kind);
export const insideOf = (kind: TagKind): number => 2 + 2 * kindNames.indexOf(kind);
export const isBegin = (label: number): boolean => (label & 1) === 1;
export const kindOfLabel = (label: number): TagKind | undefined => kindNames[(label - 1) >> 1];

/** Whether a label may follow another. An I label follows only B or I of its own kind. */
export const mayFollow = (before: number, label: number): boolean =>
  label === 0 || isBegin(label) || before === label || before === label - 1;
