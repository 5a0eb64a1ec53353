/** Where a place is: in no address that a renderer loads by itself, at the very beginning of one, or inside one. */
export const Place = { outside: 0, start: 1, inside: 2 } as const;
export type Place = (typeof Place)[keyof typeof Place];

/** Reads text one UTF-16 code unit at a time and finds addresses that a renderer loads by itself. */
export interface AddressReader {
  feed(unit: number): void;
  /** Where the next character stands. Depends on the text before it only. */
  readonly place: Place;
}

/** The place that counts where several readings of a text differ. */
export function innermost(readings: readonly { readonly place: Place }[]): Place {
  let place: Place = Place.outside;
  for (const reading of readings) if (reading.place > place) place = reading.place;
  return place;
}

/** More addresses than this, each begun inside another, stand in no answer: all that follows counts as one. */
export const MAX_OPEN = 32;

export const isSpace = (unit: number): boolean => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
