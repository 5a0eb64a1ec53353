import type * as numberingPlans from 'libphonenumber-js/min';

/** Code of a country whose numbering plan the phone recognizer checks. */
export type PlanCountry = numberingPlans.CountryCode;

/** The purposes for which recognizers read words. */
export interface ContextWords {
  /** Before a phone number. */
  readonly phone: string;
  /** A label on the line above a phone number. */
  readonly phoneLabelAbove: string;
  /** The header of a column with phone numbers. */
  readonly phoneHeader: string;
  /** Before a colon and the names of the columns of the lines that follow. */
  readonly columnList: string;
  /** A label after a phone number. */
  readonly phoneLabelAfter: string;
  /** Before the extension of a phone number. */
  readonly phoneExtension: string;
  /** Before a number that is not a phone number. */
  readonly otherNumber: string;
  /** Before a version number, which can look like an IP address. */
  readonly version: string;
  /** Before the number of a payment card. */
  readonly card: string;
  /** Before the verification code of a card. */
  readonly cardCode: string;
  /** Before the verification code of a card, behind its expiration date: words that alone say too little. */
  readonly cardCodeAfterDate: string;
  /** Before the expiration date of a card. */
  readonly cardExpiry: string;
  /** "date", between an expiration word and the date. */
  readonly date: string;
  /** Before a crypto wallet address. */
  readonly wallet: string;
  /** Before a password. The password recognizer ignores the case of these words. */
  readonly password: string;
  /** Before the code of a door, an alarm or a box with keys. */
  readonly accessCode: string;
  /** Words after "password:" and the like that are not a secret. */
  readonly notASecret: string;
  /** "is" and "was", between a word and its value. */
  readonly is: string;
  /** Before a vehicle identification number. */
  readonly vehicle: string;
  /** A kind of vehicle: its plate can follow without a word for it. */
  readonly vehicleKind: string;
  /** Before a licence plate. */
  readonly plate: string;
  /** Before a date of birth. */
  readonly birth: string;
  /** Behind a date of birth, or behind the place that follows it. */
  readonly birthAfter: string;
  /** Names of months and their abbreviations. */
  readonly month: string;
  /** Ending of the day, as in "3rd of March" and "March 3rd". */
  readonly ordinal: string;
  /** Between the day and the month, and between the month and the year. */
  readonly ofMonth: string;
  /** Numbers in words, and the parts of which a language composes them. */
  readonly numberWord: string;
  /** Words within a date in words: "of", "in". */
  readonly spokenFiller: string;
  /** Before the name of a person: titles, roles, and words with which people introduce themselves. */
  readonly introduction: string;
  /** Before the name of the person who writes. */
  readonly selfIntroduction: string;
  /** The label of a field with the name of a private person: a customer, a patient, a tenant. */
  readonly personLabel: string;
  /** Before the name of who sends or receives a mail: "From". */
  readonly mailHeader: string;
  /** Before a pair of coordinates with at least four decimals. Drawings use these words, too. */
  readonly position: string;
  /** The name of one coordinate, before it or before a pair. */
  readonly coordinate: string;
  /** Before the number of a driving licence. */
  readonly driverLicense: string;
  /** Before the number of a passport. */
  readonly passport: string;
  /** Before the number of a bank account. */
  readonly bankAccount: string;
  /** Before the number of another document, a membership or a patient. */
  readonly documentId: string;
  /** Before a number of four digits that identifies a person: a badge. */
  readonly badge: string;
  /** The header of a column with the numbers of persons. */
  readonly personNumber: string;
  /** "and", "or": before the last entry of a list. */
  readonly and: string;
  /** Before the number of a telephone (IMEI). */
  readonly device: string;
  /** Between a document word and its number. */
  readonly documentFiller: string;
  /** The key of a field that contains the name of a person, or a part of it. */
  readonly personName: string;
  /** The header of a column with names, of people or of other things. */
  readonly name: string;
  /** The label of a user name. */
  readonly username: string;
  /** Before the code of a booking: six letters and digits. */
  readonly booking: string;
  /** Before a VAT number. */
  readonly vat: string;
  /** Between a person and the place where that person lives or was born, before a preposition. */
  readonly home: string;
  /** The same, if the person is the one who writes. */
  readonly ownHome: string;
  /** The same, directly before the place, with the preposition. */
  readonly ownPlace: string;
  /** The person who writes, before a place. */
  readonly self: string;
  /** After such a place: what the person who writes did there. */
  readonly homeAfter: string;
  /** Between these words and the place. */
  readonly homePreposition: string;
  /** Words in small letters within an address: articles, abbreviations of streets, words for a part of a building. */
  readonly addressPart: string;
  /** Words behind an address that are not a town or a country: labels of contact data, and thanks or regards. */
  readonly afterAddress: string;
  /** A flat, a floor or a house number behind the name of a person who lives there. */
  readonly dwelling: string;
  /** Between the name and the dwelling. */
  readonly dwellingPreposition: string;
  /** Words in small letters between two parts of the name of a town. */
  readonly townParticle: string;
  /** Words in small letters within the name of a person: "van der", "geborene". */
  readonly nameParticle: string;
  /** What people are addressed with before their family name: "Mrs". */
  readonly courtesyTitle: string;
  /** Offices and professions behind such a title, in place of a name: "Mr. President". */
  readonly office: string;
  /** The label of the place where a person lives or was born. */
  readonly town: string;
  /** The label of a column with streets and house numbers. */
  readonly streetHeader: string;
  /** Before a postal code. */
  readonly postalCode: string;
  /** The key of a field with a postal code, before a colon or an equals sign. Alone, the word means something else, too. */
  readonly postalCodeKey: string;
}

/** Lists of keywords. The recognizers of a list run only on texts that contain one of its keywords. */
export type LanguageKeywords =
  | 'secret'
  | 'card'
  | 'plate'
  | 'username'
  | 'personName'
  | 'birth'
  | 'booking'
  | 'document'
  | 'column'
  | 'postalCode'
  | 'accessCode'
  | 'vehicleKind';

/**
 * Names of persons in a language that has neither capitals nor spaces between words. All strings but `follow`
 * and the lists are regular expressions.
 */
export interface UnspacedNames {
  readonly family: readonly string[];
  readonly given: string;
  /** A given name that identifies a full name without any other evidence. */
  readonly certainGiven?: string;
  /** Family names that are also places, and a given name that makes them a full name. */
  readonly places?: { readonly family: readonly string[]; readonly given: string };
  /** What announces a name. */
  readonly label: string;
  /** What addresses the person of the name before it. */
  readonly honorific: string;
  /** What shows that the full name before it is one. */
  readonly confirmation: string;
  /** The characters that can follow a name that a label announces. */
  readonly follow: string;
  /** What addresses a person by the family name alone. Default: `honorific`. */
  readonly title?: string;
  /** Whether a name can follow a letter directly. */
  readonly isJoined: boolean;
  /** Words that begin like a name, and words that end with a family name. */
  readonly exceptions: readonly string[];
}

/** The words and phone plans of one language. */
export interface Language {
  /** ISO 639-1 codes. */
  readonly codes: readonly string[];
  /** Alternatives of a regular expression, in lower case, for each purpose. */
  readonly context?: Partial<ContextWords>;
  /**
   * Beginnings of words, in lower case and without accents, separated by `|`. Passwords, card details, licence plates, user names and fields
   * with names are searched only after these, so each word in `password`, `cardCode`, `cardExpiry`, `plate`, `username`,
   * `personName`, `birth`, `booking`, `postalCode` and `postalCodeKey` needs one.
   */
  readonly keywords?: Partial<Record<LanguageKeywords, string>>;
  /** The words for the digits from 0 to 9, in lower case; those for one digit are separated by `|`. */
  readonly digitWords?: readonly string[];
  /** Names of persons, where the language has neither capitals nor spaces between words. */
  readonly unspacedNames?: UnspacedNames;
  /** Addresses, as a regular expression, where the language has neither capitals nor spaces between words. */
  readonly unspacedAddress?: string;
  /** Numbering plans of the countries that speak the language. */
  readonly phonePlans?: {
    /** Always checked. In these plans, a national number begins with a zero or has an unmistakable pattern. */
    readonly always?: readonly PlanCountry[];
    /** Checked if `GUARDRAIL_LANGUAGES` contains the language. National numbers begin with a zero. */
    readonly expectedWithZero?: readonly PlanCountry[];
    /** Checked if `GUARDRAIL_LANGUAGES` contains the language. National numbers do not begin with a zero. */
    readonly expected?: readonly PlanCountry[];
  };
}
