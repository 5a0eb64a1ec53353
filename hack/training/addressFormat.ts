import type { Random } from './random.ts';

/** Supplies the names from which street names are built. */
export interface NameSource {
  readonly random: Random;
  person(): { readonly full: string };
  given(): string;
  family(): string;
  nounName(): string;
  streetStem(): string;
  /** Street names of faker's locales. */
  streets(locales: string): readonly string[];
}

/** The street line of an address. */
export interface Street {
  readonly name: (names: NameSource) => string;
  /** Whether the house number precedes the street. */
  readonly numberFirst?: boolean;
}

/** How a country writes addresses. */
export interface AddressFormat {
  readonly code: string;
  readonly weight: number;
  readonly street: Street;
  /** Patterns of postal codes: `#` is a digit, `?` a letter. */
  readonly codes: readonly string[];
  /** Joins street, code, town and region in the order that the country uses. */
  readonly order: (street: string, code: string, town: string, region: string) => string;
  readonly regions?: readonly string[];
  readonly units?: readonly string[];
  readonly names: readonly string[];
}

/** Street, postal code and town: the order of most countries of Europe. */
export const codeBeforeTown = (street: string, code: string, town: string): string => `${street}, ${code} ${town}`;

/** A name and one of several endings: "Lindenweg". @param suffixes separated by spaces. */
export const suffixed =
  (suffixes: string): Street['name'] =>
  (maker) =>
    maker.streetStem() + maker.random.pick(suffixes.split(' '));

/** One of several words and a name: "Rue Dupont". @param prefixes separated by `|`. */
export const prefixedBy =
  (prefixes: string): Street['name'] =>
  (maker) =>
    `${maker.random.pick(prefixes.split('|'))} ${maker.random.chance(0.4) ? maker.person().full : maker.random.chance(0.5) ? maker.family() : maker.nounName()}`;

/** A street of faker's locales; in four of ten cases, or without such a street, another name. */
export const listed =
  (keys: string, otherwise: Street['name']): Street['name'] =>
  (maker) => {
    const list = maker.streets(keys);
    return list.length > 0 && maker.random.chance(0.6) ? maker.random.pick(list) : otherwise(maker);
  };
