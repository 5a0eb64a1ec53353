/** Small words of one language within names and labels. Each is alternatives of a regular expression that does not ignore case. */
interface SmallWords {
  /** Between the words of a person's name: "Ludwig van Beethoven". */
  readonly inName?: string;
  /** The first word of the name of a town: "San Sebastián". */
  readonly beforeTown?: string;
  /** Between the words of the name of a town: "Frankfurt am Main". */
  readonly inTown?: string;
  /** Between the label of an account and what it belongs to: "login for the portal". */
  readonly ofService?: string;
  /** Before what an account belongs to. */
  readonly article?: string;
}

const words: Readonly<Record<string, SmallWords>> = {
  ar: { inName: 'bin|ibn|al|el' },
  cy: { inName: 'ap|ab' },
  da: { inName: 'af' },
  de: {
    inName: 'von|der|den|zu',
    beforeTown: 'Bad',
    inTown: 'am|an der|im',
    ofService: 'bei|auf|für',
    article: 'das|die|den',
  },
  en: { beforeTown: String.raw`Saint|St\.|New`, inTown: 'of|upon', ofService: 'on|for|at', article: 'the|my|our' },
  es: {
    inName: 'del?|la|el|y',
    beforeTown: 'San|Santa|Los|Las|La|El',
    inTown: 'de la|del',
    ofService: 'en|para',
    article: 'el',
  },
  fr: { inName: 'des?|la|le', beforeTown: 'Le|La', inTown: 'sur', ofService: 'sur|pour', article: 'le|la' },
  it: { inName: 'di|della|la', beforeTown: 'San|Santa', ofService: 'su|per' },
  nl: {
    inName: "van|der|den|de|het|ten|ter|'t",
    beforeTown: 'Den',
    ofService: 'op|voor|bij',
    article: 'het|de',
  },
  pl: { beforeTown: 'Nowy|Nowa|Stary|Stara', ofService: 'na|w|do' },
  pt: { inName: 'd[ae]s?|e', inTown: 'do' },
  sv: { inName: 'av', ofService: 'på|för' },
};

/** The words of all languages for one purpose, as alternatives of a regular expression. */
export const smallWords = (purpose: keyof SmallWords): string =>
  [...new Set(Object.values(words).flatMap((own) => own[purpose]?.split('|') ?? []))].join('|');
