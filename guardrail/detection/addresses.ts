import type { TagKind } from './ner/labels.ts';

interface Tagged {
  readonly kind: TagKind;
  readonly start: number;
  readonly end: number;
}

/** What separates the parts of one address: spaces, a line break or a comma. */
const separator = /^[\s,;|·/-]{1,3}$/;

/**
 * Makes a place part of an address if it contains a number, such as a postal code, or stands beside an address.
 * @param found in the order of the text, disjoint
 */
export function withAddresses<T extends Tagged>(text: string, found: readonly T[]): T[] {
  const isAddress = found.map(
    ({ kind, start, end }) => kind === 'ADDRESS' || (kind === 'LOCATION' && /\d/.test(text.slice(start, end))),
  );
  const spread = (at: number, from: number): void => {
    const [one, other] = [found[at], found[from]];
    if (!one || !other || one.kind !== 'LOCATION' || !isAddress[from]) return;
    const [first, last] = at < from ? [one, other] : [other, one];
    if (separator.test(text.slice(first.end, last.start))) isAddress[at] = true;
  };
  for (let at = 1; at < found.length; at++) spread(at, at - 1);
  for (let at = found.length - 2; at >= 0; at--) spread(at, at + 1);
  return found.map((one, at) => (isAddress[at] && one.kind !== 'ADDRESS' ? { ...one, kind: 'ADDRESS' } : one));
}
