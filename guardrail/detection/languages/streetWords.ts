/** Words in the addresses of one language. Each is alternatives of a regular expression that does not ignore case. */
interface StreetWords {
  /** The end of the name of a street: "Hauptstraße". */
  readonly ending?: string;
  /** The last word of such a name: "Lange Straße". */
  readonly lastWord?: string;
  /** A word before a name with such an end, that is no part of it: "Diese Hauptstraße". */
  readonly determiner?: string;
  /** Before the name of a street: "Rua das Flores". */
  readonly before?: string;
  /** The same, abbreviated, without its full stop: "ul. Długa". */
  readonly abbreviation?: string;
  /** Between an abbreviation and the name of a street. */
  readonly article?: string;
  /** Between the word for a street and its name. */
  readonly particle?: string;
  /** Before an address whose street has no word for one: "bytem Lipová 8". */
  readonly label?: string;
  /** Before the number of a post office box. */
  readonly box?: string;
  /** A floor, a side of the stairs or a flat behind the number of the house. */
  readonly flat?: string;
  /** Behind a floor or a flat. */
  readonly side?: string;
  /** The side of a stairway, which looks like a name: "3.º Dto". */
  readonly stairSide?: string;
  /** Before the town. */
  readonly townPreposition?: string;
  /** Years, behind a number that is no house: "Rua 12 anos". */
  readonly years?: string;
}

const words: Readonly<Record<string, StreetWords>> = {
  cs: { label: '[bB]ytem|[bB]ydliště|[aA]dres[ay]' },
  da: { ending: 'gade|vej|allé', flat: String.raw`\d{1,2}\. ?(?:th|tv|mf|sal)`, townPreposition: 'i' },
  de: {
    ending: String.raw`straße|strasse|str\.|gasse|weg|platz|allee|damm|ufer`,
    lastWord: String.raw`Straße|Strasse|Str\.|Gasse|Weg|Platz|Allee|Damm|Ufer`,
    determiner: String.raw`D(?:as|e[mnrs]|ie)|(?:Dies|Ein|Jed|Kein|Mein|Unser)\p{Ll}{0,2}`,
    box: 'Postfach',
    flat: String.raw`\d{1,2}\. ?(?:OG|UG|DG|Stock|Etage)|(?:Whg|Wohnung|Top|Tür)\.? ?\d{1,4}|EG|Hinterhaus|Seitenflügel`,
    side: 'links|rechts|[Mm]itte',
    townPreposition: 'in',
  },
  en: { box: String.raw`P\.? ?O\.? ?[Bb]ox` },
  es: {
    before: String.raw`[Cc]alle|Avenida|Av\.|Avda\.|Paseo|Plaza`,
    particle: 'de(?: l[ao]s?)?|y',
    box: 'Apartado(?: de [Cc]orreos)?',
    flat: String.raw`\d{1,2}\.?[ºª°]\.? ?(?:[A-Da-d]|izq|dcha)`,
    article: 'de|del|la|las|los|el',
    stairSide: 'Dcha|Izq|Izda',
    townPreposition: 'en',
    years: 'años',
  },
  fr: { townPreposition: 'à' },
  it: { box: 'Casella [Pp]ostale' },
  nl: {
    ending: 'straat|laan|gracht|plein|kade|singel',
    box: 'Postbus',
    flat: String.raw`\d{1,2} hoog`,
    townPreposition: 'te',
  },
  pl: { abbreviation: 'ul|al|os|pl', flat: String.raw`(?:m|lok)\. ?\d{1,4}`, townPreposition: 'w', years: 'lat' },
  pt: {
    before: 'Rua|Travessa|Alameda|Praça|Largo',
    particle: 'd[aeo]s?|e',
    box: 'Caixa [Pp]ostal',
    flat: String.raw`\d{1,2}\.?[ºª°]\.? ?(?:[A-Da-d]|esq|dto)|ap(?:to|t)?\.? \d{1,5}`,
    stairSide: 'Dto|Esq|Fte|Frt',
    townPreposition: 'em',
    years: 'anos',
  },
  sk: { label: '[bB]ydlisko|[aA]dres[ao]' },
  sv: { ending: 'gata|gatan|vägen|gränd', flat: String.raw`\d{1,2} tr|lgh \d{4}`, townPreposition: 'i' },
};

/** The words of all languages for one purpose, as alternatives of a regular expression. */
export const streetWords = (purpose: keyof StreetWords): string =>
  [...new Set(Object.values(words).flatMap((own) => own[purpose] ?? []))].join('|');
