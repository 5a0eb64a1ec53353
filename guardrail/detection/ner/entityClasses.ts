/**
 * What a name in a text can be. The tagger proposes where names are; the classifier decides which class each candidate has.
 * Its class `NONE` is text that only looks like a name.
 */
export const nameTypes = ['PERSON', 'PUBLIC_PERSON', 'ADDRESS', 'LOCATION', 'ORGANIZATION'] as const;
/** A class that is reported. */
export type NameType = (typeof nameTypes)[number];

export const entityClasses = ['NONE', ...nameTypes] as const;
export type EntityClass = (typeof entityClasses)[number];

export const classCount = entityClasses.length;
