/** The position relative to an address that a renderer loads: outside, at its start, or inside. */
export const Place = { outside: 0, start: 1, inside: 2 } as const;
export type Place = (typeof Place)[keyof typeof Place];

/** Reads text one UTF-16 code unit at a time and finds addresses that a renderer loads automatically. */
export interface AddressReader {
  feed(unit: number): void;
  /** The position of the next character. Depends only on the text before it. */
  readonly place: Place;
}

/** The innermost position of several readings of a text. */
export function innermost(readings: readonly { readonly place: Place }[]): Place {
  let place: Place = Place.outside;
  for (const reading of readings) if (reading.place > place) place = reading.place;
  return place;
}

/** Maximum number of addresses nested in each other. Beyond it, all following text counts as an address. */
export const MAX_OPEN = 32;

export const isSpace = (unit: number): boolean => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
