import { createRequire } from 'node:module';
import type * as numberingPlans from 'libphonenumber-js/min';
import { after, before, digitsOf, eachNumber, type Numbers, type Place, type Recognizer } from '../recognizer.ts';

/** Words that say a phone number follows. */
const announced =
  /(?:phone|\btel\b|\btel\.|\bt:|\bph\b|\bph:|\bcalls?\b|\bcalled\b|\bcalling\b|mobile|\bmob\b|\bcell\b|\bfax\b|\bdial\b|\bring\b|\breach\b|\btext(?:ed|ing)?\b|\bsms\b|whats ?app|signal|viber|telegram|\bdesk\b|\bdirect\b|hotline|helpline|contact|answering|messages to|my number|number is|number's|\bnumber:|\bvoicemail\b|\boffice\b|\bhome:|\bwork:|emergency|telefon|\bhandy|mobil|rufnummer|durchwahl|anruf|erreich|nummer|t[ée]l[ée]phone|portable|num[ée]ro|appel|joindre|tel[ée]fono|m[óo]vil|celular|ll[aá]m|cellulare|chiam|numero|telefoon|mobiel|\bbel\b|bellen|puhelin|telefax|\bgsm\b|telemóvel|ligue|ring mig|telefonnummer|ext\b|телефон|\bтел\b|звони|номер|电话|電話|手机|手機|携帯|联系|聯絡|連絡|전화|휴대)[^\n]{0,36}$|(?:phone|mobile|tel|fax|office|home|work|contact|number|telefon|info)[^\p{L}\n]{0,6}\n[^\p{L}\n]{0,4}$/u;
/** Words that say what else a number is. */
const otherwise =
  /(?:order|invoice|ticket|case|account|acct|policy|tracking|ref(?:erence)?|serial|part|model|version|isbn|issn|doi|pid|port|year|page|line|build|sku|\bid|ean|gtin|customer (?:no|number)|booking|confirmation|rechnung|bestell|kunden|auftrag|facture|commande|pedido|factura|ordine|fattura|zip|postal|plz|budget|price|cost|total|amount|size|bytes|error|code|http\/\d(?:\.\d)?)\W{0,3}(?:n(?:umber|um|o|r)?\b)?[\s.:#=("'-]{0,5}(?:is )?$/;
/** A label after the number. */
const labelled =
  /^\s{0,2}[-(/]?\s{0,2}(?:office|fax|mobile|mob\b|cell|home|work|phone|tel\b|desk|direct|handy|landline|voicemail)/;

type Validator = Pick<typeof numberingPlans, 'isValidPhoneNumber'>;
let validator: Validator | undefined;
/** Loaded when the first number needs it: its tables take as long as all the rest of the detector. */
const plans = (): Validator => (validator ??= createRequire(import.meta.url)('libphonenumber-js/min') as Validator);

type Country = numberingPlans.CountryCode;

/** The numbering plans that are always tried. */
const regions: readonly Country[] = ['US', 'GB', 'DE', 'FR', 'ES', 'IT', 'NL', 'SE'];
/** Further plans, by the ISO 639-1 code of a language of the country. */
const regionsOf: Readonly<Record<string, readonly Country[]>> = {
  en: ['AU', 'IE', 'NZ', 'ZA'],
  de: ['AT', 'CH'],
  fr: ['BE', 'CH'],
  es: ['MX', 'AR', 'CO', 'CL'],
  it: ['CH'],
  nl: ['BE'],
  sv: ['FI'],
  da: ['DK'],
  nb: ['NO'],
  no: ['NO'],
  fi: ['FI'],
  pl: ['PL'],
  pt: ['PT', 'BR'],
  cs: ['CZ'],
  sk: ['SK'],
  hu: ['HU'],
  ro: ['RO'],
  hr: ['HR'],
  sl: ['SI'],
  el: ['GR'],
  tr: ['TR'],
  ru: ['RU', 'KZ'],
  uk: ['UA'],
  he: ['IL'],
  hi: ['IN'],
  id: ['ID'],
  ja: ['JP'],
  ko: ['KR'],
  th: ['TH'],
  vi: ['VN'],
  zh: ['CN', 'TW', 'HK'],
};
/** Countries whose numbers begin with a trunk zero inside the country, so that the zero speaks for a number. */
const withTrunkZero = new Set<Country>([
  'AU',
  'IE',
  'NZ',
  'ZA',
  'AT',
  'CH',
  'BE',
  'AR',
  'FI',
  'BR',
  'SK',
  'RO',
  'HR',
  'SI',
  'TR',
  'UA',
  'IL',
  'ID',
  'JP',
  'KR',
  'TH',
  'VN',
]);
/** Groups of digits as people write numbers that have no trunk zero. */
const grouped = /^\d{2,4}([ .-])\d{2,4}(?:\1\d{2,4}){1,3}$/;

/** Forms that are a phone number's and hardly anything else's. */
const telling =
  /^(?:\+\d|00[1-9]\d)|^\(\d{2,5}\)[ -]?\d|^\(?[2-9]\d{2}\)?[-. ][2-9]\d{2}[-. ]\d{4}(?!\d)|^1[-. ]\(?[2-9]\d{2}\)?[-. ]\d{3}[-. ]\d{4}|^0[1-9](?:([ .-])\d{2})(?:\1\d{2}){3}$|\(0\)|^\d{3}-\d{3}-\d{4}(?:\s?x|$)|^\d{3}\.\d{3}\.\d{4}(?:\s?x|$)/;

/** Letters of scripts that have no spaces between words, so that a number stands right behind one. */
const unspaced = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}';
const letter = `[\\p{L}--[${unspaced}]]`;

const extension = '(?: ?(?:x|ext\\.?|extension|durchwahl|dw\\.?) ?\\d{1,6})?';

/**
 * Phone numbers. The form alone decides for international and unmistakable national forms; the rest needs a word that
 * announces or labels it, or a national form that is valid in a numbering plan: one of the larger ones, which have a
 * trunk zero where the form does not tell, or one of a country where a language is spoken that the operator expects.
 */
export function phones(languages: readonly string[] = []): readonly Recognizer[] {
  const more = languages.flatMap((language) => regionsOf[language] ?? []);
  const zero = [...regions, ...more.filter((country) => withTrunkZero.has(country))];
  const plain = more.filter((country) => !withTrunkZero.has(country));
  return [recognizerOf(zero, plain)];
}

/**
 * Offsets from UTC: RFC 5322, git and web servers write `+0100`, ISO 8601 `+01:00` and `+01`, people `GMT+2`. No country
 * code begins with a zero; what else could be one is an offset where a time stands before it.
 */
const utcOffset = [
  String.raw`(?<![\p{L}_].)(?:0000|0[1-9](?:00|15|30|45))(?!\d)`,
  String.raw`(?<=(?::\d\d(?:[.,]\d{1,9})? ?|:\d\d \d{4} |(?<!\d)\d{10} ).)(?:1[0-4]:?(?:00|30|45)|0\d:[0-5]\d|[01]\d)(?!\d)`,
  String.raw`(?<=\b(?:GMT|UTC) ?.)\d{1,2}(?::?\d{2})?(?!\d)`,
].join('|');

/** Milliseconds behind a time, as logs write them, are no beginning. */
const noMilliseconds = String.raw`(?!(?<=:\d\d,)\d{3}(?![\d\-.]))`;

const phone = `(?<!${letter}|[\\p{N}_\\/=%#&$€£]|\\d[.:\\-]|[.\\-][\\p{L}\\d_]?)${noMilliseconds}(?:\\+ ?|\\(\\+?)?\\d(?:[ \\u00a0.\\-\\/\\(\\)]{0,3}\\d){5,16}${extension}(?!${letter}|[\\p{N}_%€$]|[.:]\\d|-\\d)(?<!\\(\\d{1,5})`;

/** Offsets are matched too, so that no number is found that begins within one. */
const candidate = new RegExp(`[+\\-\u2212](?:${utcOffset})|${phone}`, 'gv');

/** Numbers that are complete and unmistakable within a row of others. */
const complete =
  /(?<=[ \u00a0])(?:(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}([-.]))\d{3}(?:-|\1)\d{4}|\(\d{2,5}\) ?\d[\d -]{3,})(?![\d.-])/g;

const mostDigits = 15;
const isLong = ({ digits }: Numbers): boolean => digits >= 6;

const recognizerOf = (zero: readonly Country[], plain: readonly Country[]): Recognizer => {
  const scoreOf = (value: string, { text, start, end }: Place): number => {
    const body = value.replace(/ ?(?:x|ext|dw|durchwahl)[^\d]*\d+$/i, '');
    const digits = digitsOf(body);
    if (digits.length < 6 || digits.length > mostDigits || isSomethingElse(body, digits)) return 0;
    const isBehindComma = /\d,$/.test(text.slice(Math.max(0, start - 2), start));
    const isBeforeComma = /^,\d/.test(text.slice(end, end + 2));
    if (isDecimal(body, isBehindComma, isBeforeComma)) return 0;
    const context = before(text, start);
    const said = announced.test(context) || labelled.test(after(text, end));
    if (otherwise.test(context) || isZip(value, text, start)) return 0;
    if (telling.test(body) && digits.length >= 7) return said ? 0.95 : body.startsWith('+') ? 0.85 : 0.7;
    if (said) return digits.length >= 7 || /[ \-./]/.test(body) ? 0.75 : 0.4;
    const isValidIn = (country: Country): boolean => plans().isValidPhoneNumber(body, country);
    if (isBehindComma || isBeforeComma) return 0;
    if (!body.startsWith('0')) return plain.length > 0 && grouped.test(body) && plain.some(isValidIn) ? 0.6 : 0;
    // Nobody writes digit by digit what nothing announces: that is a row of a table.
    const isRow = /\b\d \d \d\b/.test(body);
    return digits.length >= 9 && /[ ./-]/.test(body) && !isRow && zero.some(isValidIn) ? 0.6 : 0;
  };
  return {
    type: 'PHONE_NUMBER',
    worthwhile: isLong,
    find(text, emit, hints) {
      eachNumber(candidate, hints, isLong, ({ 0: run, index }, offset) => {
        const from = offset + index;
        const score = scoreOf(run, { text, start: from, end: from + run.length });
        if (score > 0) {
          emit(from, from + run.length, score);
          return;
        }
        // A run of numbers that is none as a whole may begin with one, or hold some.
        if (digitsOf(run).length > mostDigits) {
          const beginning = beginningsOf(run)
            .map((end) => ({ end, score: scoreOf(run.slice(0, end), { text, start: from, end: from + end }) }))
            .find(({ score }) => score > 0);
          if (beginning) emit(from, from + beginning.end, beginning.score);
        }
        for (const { 0: value, index: at } of run.matchAll(complete)) emit(from + at, from + at + value.length, 0.7);
      });
    },
  };
};

/** Where the words of a run end, the last one first. */
const beginningsOf = (run: string): number[] =>
  Array.from(run.matchAll(/\d(?=[ \u00a0])/g), ({ index }) => index + 1).reverse();

/** Whether a number is more likely what stands before or behind the comma of a decimal than one of a list. */
function isDecimal(body: string, isBehindComma: boolean, isBeforeComma: boolean): boolean {
  if (isBeforeComma && /^\d{1,3}(?:[ .]\d{3})+$/.test(body)) return true;
  if (isBehindComma && isBeforeComma && /^\d+ \d{1,3}$/.test(body)) return true;
  return (isBehindComma || isBeforeComma) && /^\d{1,8}$/.test(body);
}

/** The nine digits of a ZIP code behind its state, as in Boston, MA 02110-1301. */
const isZip = (value: string, text: string, start: number): boolean =>
  /^\d{5}-\d{4}$/.test(value) && /(?<![A-Z])[A-Z]{2},?\s{1,3}$/.test(text.slice(Math.max(0, start - 7), start));

/** Dates, times, decimals, runs of one digit, years and ranges. */
function isSomethingElse(value: string, digits: string): boolean {
  return (
    /^(?:19|20)\d{2}[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])\b/.test(value) ||
    // With two digits of a year only where nothing follows: 06 12 34 56 78 is no 6th of December.
    /^(?:0?[1-9]|[12]\d|3[01])([-./ ])(?:0?[1-9]|1[0-2])\1(?:(?:19|20)\d{2}\b|\d{2}$)/.test(value) ||
    /^(?:0?[1-9]|1[0-2])([-./])(?:0?[1-9]|[12]\d|3[01])\1(?:19|20)\d{2}\b/.test(value) ||
    // A release and its day, as in 0.6.3 / 2022-01-22.
    /[^\d-](?:19|20)\d{2}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])$/.test(value) ||
    /^(?:19|20)\d{2}\s?[-/]\s?(?:19|20)?\d{2}$/.test(value) ||
    (/^\d{1,3}(?:[ .]\d{3}){2,}$/.test(value) && !value.startsWith('0') && digits.length < 9) ||
    /^\d+\.\d+$/.test(value) ||
    /^(?:19|20)\d{6}$/.test(value) ||
    /^(?:\d{1,3}\.){3}\d{1,3}$/.test(value) ||
    /^\d{3}-\d{2}-\d{4}$/.test(value) ||
    (/^97[89]/.test(digits) && digits.length === 13) ||
    /^(\d)\1+$/.test(digits)
  );
}
