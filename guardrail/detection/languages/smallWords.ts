import { alternativesOf } from '../text/alternatives.ts';

/** Words of one language within and around names and labels. Each is alternatives of a regular expression that does not ignore case. */
interface SmallWords {
  /** Between the words of a person's name: "Ludwig van Beethoven". */
  readonly inName?: string;
  /** Between the name of a person and that of the father: "Fatima bint Khalid". */
  readonly patronymic?: string;
  /** Courtesy titles that are also ranks, units, verbs, parts of other names, or other words in another language: "Miss Universe". */
  readonly doubtfulTitle?: string;
  /** Titles of learning between a courtesy title and the name: "Frau Prof. Dr. Sommer". */
  readonly learnedTitle?: string;
  /** Titles of characters whom everybody knows: "Mrs. Dalloway". */
  readonly literaryTitle?: string;
  /** Offices and professions of women after a courtesy title, in place of a name: "Frau Ministerin". */
  readonly officeOfWoman?: string;
  /** Words that stand where names stand: people in proceedings and offices, other nouns with a capital. */
  readonly noName?: string;
  readonly weekday?: string;
  /** Before a weekday: "ab Montag". */
  readonly beforeWeekday?: string;
  /** Behind the day of a date: "May 3 to". */
  readonly afterDay?: string;
  /** Words that begin a message to somebody, before the handle. */
  readonly beforeHandle?: string;
  /** Between the label of an account and what it belongs to: "login for the portal". */
  readonly ofService?: string;
  /** Before what an account belongs to. */
  readonly article?: string;
  /** Between a word for a password and the separator: "password used:". */
  readonly afterPassword?: string;
  /** Before the number of a bank account in the United States. */
  readonly americanAccount?: string;
  /** Things before "is", whose value is no name: "the secret ingredient is". */
  readonly impersonalThing?: string;
  /** The words for the sign and for a dot in a mail address, with a space between them. The second needs one in `formatKeywords`. */
  readonly mailWords?: string;
  /** Behind a number that counts: no postal code. */
  readonly counted?: string;
  /** Before a digit in words that is meant two, or three, times. */
  readonly twice?: string;
  readonly thrice?: string;
}

const words: Readonly<Record<string, SmallWords>> = {
  ar: { inName: 'bint?|ibn|al|el', patronymic: 'bint|bin|ibn' },
  ms: { patronymic: 'binti|bin' },
  cs: { noName: 'Vážen[áéíý]' },
  cy: { inName: 'ap|ab' },
  da: { inName: 'af' },
  de: {
    inName: 'von|der|den|zu',
    learnedTitle: 'dr|prof|mag|dipl|ing|med',
    officeOfWoman: String.raw`\p{L}{4,}(?:er|or|ent|at|ist|eg|än|ar|är)in`,
    noName:
      'Angeklagter?|Beklagter?|Beschuldigter?|Bewerber(?:in)?|Chefin|Dr|Prof|Kennz|(?:Auftrags|Bestell|Kunden|Mitglieds|Rechnungs|Versicherungs|Vertrags)(?:nr|nummer)|Geschädigter?|Kläger(?:in)?|Kundin|Lehrer(?:in)?|Mandant(?:in)?|Mieter(?:in)?|Patient(?:in)?|Vermieter(?:in)?|Zeug(?:e|in)',
    weekday: '(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch|Sonnabend',
    beforeWeekday: 'ab|am|bis|seit|vom|von|zum|jeden|diesen|nächsten|kommenden|letzten',
    impersonalThing: 'Zutat|Farbe|Geschmack|Gewürz|Obst|Getränk|Gericht|Tier|Metall|Wort',
    mailWords: 'ät punkt|at punkt',
    ofService: 'bei|auf|für',
    article: 'das|die|den',
  },
  en: {
    doubtfulTitle: 'miss|mx',
    literaryTitle: 'mr|mrs',
    noName: 'Madam|Sir|Mrs?|Ms',
    weekday: '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day',
    beforeWeekday: 'on|by|until|till|since|from|next|last|this|every',
    afterDay: 'to|and|or|at',
    impersonalThing:
      'ingredients?|colou?r|flavou?r|spice|fruit|drink|dish|animal|metal|material|word|noun|verb|food|topping',
    mailWords: 'at dot',
    beforeHandle: 'handle|follow|dm|ping|cc|hey|hi|hello|thanks|thx|ask|owner|assignee',
    ofService: 'on|for|at',
    article: 'the|my|our',
    afterPassword: String.raw`used|set|reset|changed|now|today|for (?:the |my |our |this )?\p{L}{1,20}`,
    americanAccount: 'bank account|account number|acct|routing',
    counted: 'files?|bytes?|entries|archives?',
    twice: 'double',
    thrice: 'triple',
  },
  es: {
    inName: 'del?|la|el|y',
    doubtfulTitle: 'sr',
    mailWords: 'arroba punto',
    ofService: 'en|para',
    article: 'el',
  },
  fr: {
    inName: 'des?|la|le',
    literaryTitle: 'madame|monsieur',
    mailWords: 'arobase point',
    ofService: 'sur|pour',
    article: 'le|la',
  },
  it: {
    inName: 'di|della|la',
    mailWords: 'chiocciola punto',
    ofService: 'su|per',
  },
  nl: {
    inName: "van|der|den|de|het|ten|ter|'t",
    ofService: 'op|voor|bij',
    article: 'het|de',
  },
  pl: {
    doubtfulTitle: 'pan',
    noName: 'Szanown[aiy]',
    ofService: 'na|w|do',
  },
  pt: {
    inName: 'd[ae]s?|e',
    doubtfulTitle: 'dona',
    mailWords: 'arroba ponto',
  },
  ru: {
    noName:
      'Адрес|адрес|Меня|Мне|Мо[йяёи]|Паспорт|паспорт|Почта|почта|Телефон|телефон|Уважаем(?:ый|ая)|Здравствуйте|Привет',
  },
  sv: {
    inName: 'av',
    noName: 'Min (?:man|fru|mamma|pappa|son|dotter|bror|syster)',
    ofService: 'på|för',
  },
};

/** The words of all languages for one purpose, as alternatives of a regular expression. */
export const smallWords = (purpose: keyof SmallWords): string =>
  [...new Set(Object.values(words).flatMap((own) => alternativesOf(own[purpose] ?? '')))]
    .filter((word) => word !== '')
    .join('|');
