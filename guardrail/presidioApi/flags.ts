/** The flags of Python's patterns that RE2 has, by their values in Python. */
const FLAGS: ReadonlyMap<number, string> = new Map([
  [2, 'i'],
  [8, 'm'],
  [16, 's'],
]);
/** Unicode, which Python sets by default. */
const IGNORED = 32;

/** `DOTALL | MULTILINE | IGNORECASE`, Presidio's default. */
export const DEFAULT_FLAGS = 26;

/**
 * A pattern with the flags of Python before it.
 * @returns undefined for a flag that RE2 does not have
 */
export function withFlags(pattern: string, flags: number): string | undefined {
  const known = [...FLAGS.keys()].reduce((sum, flag) => sum | flag, IGNORED);
  if (flags < 0 || (flags & ~known) !== 0) return undefined;
  const names = [...FLAGS].flatMap(([flag, name]) => ((flags & flag) === 0 ? [] : [name])).join('');
  return names === '' ? pattern : `(?${names})${pattern}`;
}
