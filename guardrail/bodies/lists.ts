/** The lists one after the other. Most bodies have one part, and its list is not copied. */
export function joined<T>(lists: readonly (readonly T[])[]): readonly T[] {
  return lists.length === 1 && lists[0] ? lists[0] : lists.flat();
}
