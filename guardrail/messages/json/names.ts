/** The number of members from which the names of an object are kept. */
export const MANY_MEMBERS = 1000;

const kept = new WeakMap<object, readonly string[]>();

/** Keeps the names of an object with many members, which does not change any more. @param names each once, in their order */
export function keepNames(object: object, names: readonly string[]): void {
  if (names.length >= MANY_MEMBERS) kept.set(object, names);
}

/**
 * The names of an object's own members. V8 sorts the names of an object with many members for each `Object.keys`: .2 s for 500,000,
 * in one step. The names of such an object are those that were kept, in the order of the text that it was read from; `Object.keys`
 * gives names that are numbers first.
 */
export function namesOf(object: object): readonly string[] {
  return kept.get(object) ?? Object.keys(object);
}
