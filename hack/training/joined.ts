/**
 * Joins lists of several languages. Random draws depend on the order of the entries, and so do the trained weights.
 * @param order keys of lists: `de:5` takes the next five entries of the list `de`, `de` takes all that remain. What is left
 *   of any list follows.
 * @throws Error if there is no list for a key.
 */
export function joined<T>(order: string, lists: Readonly<Record<string, readonly T[]>>): T[] {
  const left = new Map(Object.entries(lists));
  const take = (key: string, count?: number): readonly T[] => {
    const list = left.get(key);
    if (!list) throw new Error(`No list "${key}".`);
    const end = count ?? list.length;
    left.set(key, list.slice(end));
    return list.slice(0, end);
  };
  const first = order.split(' ').flatMap((run) => {
    const [key = '', count] = run.split(':');
    return take(key, count === undefined ? undefined : Number(count));
  });
  return [...first, ...[...left.keys()].flatMap((key) => take(key))];
}
