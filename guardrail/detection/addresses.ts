import type { Span } from './contract.ts';

/** What separates the parts of one address: spaces, a line break or a comma. */
const separator = /^[\s,;|·/-]{1,3}$/;

const isPlace = ({ type }: Span): boolean => type === 'LOCATION' || type === 'ADDRESS';

/**
 * Makes a place part of an address if it contains a number, such as a postal code, or stands beside an address.
 * @param spans the places among them are in the order of the text, and disjoint
 */
export function withAddresses(text: string, spans: readonly Span[]): readonly Span[] {
  const places = spans.filter(isPlace);
  if (places.length === 0) return spans;
  const addresses = new Set(
    places.filter(({ type, start, end }) => type === 'ADDRESS' || /\d/.test(text.slice(start, end))),
  );
  const join = (first: Span | undefined, last: Span | undefined): void => {
    if (!first || !last || addresses.has(first) === addresses.has(last)) return;
    if (separator.test(text.slice(first.end, last.start))) addresses.add(first).add(last);
  };
  for (let at = 1; at < places.length; at++) join(places[at - 1], places[at]);
  for (let at = places.length - 1; at > 0; at--) join(places[at - 1], places[at]);
  return spans.map((span) => (addresses.has(span) && span.type !== 'ADDRESS' ? { ...span, type: 'ADDRESS' } : span));
}
