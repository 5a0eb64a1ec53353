import { createRequire } from 'node:module';
import type * as numberingPlans from 'libphonenumber-js/min';
import { after, before, digitsOf, pattern, type Recognizer } from '../recognizer.ts';

/** Words that say a phone number follows. */
const announced =
  /(?:phone|\btel\b|\btel\.|\bt:|\bph\b|\bph:|\bcalls?\b|\bcalled\b|\bcalling\b|mobile|\bmob\b|\bcell\b|\bfax\b|\bdial\b|\bring\b|\breach\b|\btext(?:ed|ing)?\b|\bsms\b|whats ?app|signal|viber|telegram|\bdesk\b|\bdirect\b|hotline|helpline|contact|answering|messages to|my number|number is|number's|\bnumber:|\bvoicemail\b|\boffice\b|\bhome:|\bwork:|emergency|telefon|\bhandy|mobil|rufnummer|durchwahl|anruf|erreich|nummer|t[ée]l[ée]phone|portable|num[ée]ro|appel|joindre|tel[ée]fono|m[óo]vil|celular|ll[aá]m|cellulare|chiam|numero|telefoon|mobiel|\bbel\b|bellen|puhelin|telefax|\bgsm\b|telemóvel|ligue|ring mig|telefonnummer|ext\b)[^\n]{0,36}$|(?:phone|mobile|tel|fax|office|home|work|contact|number|telefon|info)[^\p{L}\n]{0,6}\n[^\p{L}\n]{0,4}$/u;
/** Words that say what else a number is. */
const otherwise =
  /(?:order|invoice|ticket|case|account|acct|policy|tracking|ref(?:erence)?|serial|part|model|version|isbn|issn|doi|pid|port|year|page|line|build|sku|\bid|ean|gtin|customer (?:no|number)|booking|confirmation|rechnung|bestell|kunden|auftrag|facture|commande|pedido|factura|ordine|fattura|zip|postal|plz|budget|price|cost|total|amount|size|bytes|error|code)\W{0,3}(?:n(?:umber|um|o|r)?\b)?[\s.:#=("'-]{0,5}(?:is )?$/;
/** A label after the number. */
const labelled =
  /^\s{0,2}[-(/]?\s{0,2}(?:office|fax|mobile|mob\b|cell|home|work|phone|tel\b|desk|direct|handy|landline|voicemail)/;

type Validator = Pick<typeof numberingPlans, 'isValidPhoneNumber'>;
let validator: Validator | undefined;
/** Loaded when the first number needs it: its tables take as long as all the rest of the detector. */
const plans = (): Validator => (validator ??= createRequire(import.meta.url)('libphonenumber-js/min') as Validator);

const regions: readonly numberingPlans.CountryCode[] = ['US', 'GB', 'DE', 'FR', 'ES', 'IT', 'NL', 'SE'];

/** Forms that are a phone number's and hardly anything else's. */
const telling =
  /^(?:\+\d|00[1-9]\d)|^\(\d{2,5}\)[ -]?\d|^\(?[2-9]\d{2}\)?[-. ][2-9]\d{2}[-. ]\d{4}(?!\d)|^1[-. ]\(?[2-9]\d{2}\)?[-. ]\d{3}[-. ]\d{4}|^0[1-9](?:([ .-])\d{2})(?:\1\d{2}){3}$|\(0\)|^\d{3}-\d{3}-\d{4}(?:\s?x|$)|^\d{3}\.\d{3}\.\d{4}(?:\s?x|$)/;

const extension = '(?: ?(?:x|ext\\.?|extension|durchwahl|dw\\.?) ?\\d{1,6})?';

/**
 * Phone numbers. The form alone decides for international and unmistakable national forms; the rest needs a word that
 * announces or labels it, or a national form with a trunk zero that is valid in one of the larger numbering plans.
 */
const phone = pattern({
  type: 'PHONE_NUMBER',
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}_/=%#&$€£]|\\d[.,:-]|[.\\-][\\p{L}\\d_]?)(?:\\+ ?|\\(\\+?)?\\d(?:[ \\u00a0.\\-/()]{0,3}\\d){5,16}${extension}(?![\\p{L}\\p{N}_%€$]|[.,:]\\d|-\\d)`,
    'gu',
  ),
  worthwhile: (hints) => hints.digits >= 6,
  score: (value, { text, start, end }) => {
    const body = value.replace(/ ?(?:x|ext|dw|durchwahl)[^\d]*\d+$/i, '');
    const digits = digitsOf(body);
    if (digits.length < 6 || digits.length > 15 || isSomethingElse(body, digits)) return 0;
    const context = before(text, start);
    const said = announced.test(context) || labelled.test(after(text, end));
    if (otherwise.test(context)) return 0;
    if (telling.test(body) && digits.length >= 7) return said ? 0.95 : body.startsWith('+') ? 0.85 : 0.7;
    if (said) return digits.length >= 7 || /[ \-./]/.test(body) ? 0.75 : 0.4;
    if (!body.startsWith('0') || digits.length < 9 || !/[ ./-]/.test(body)) return 0;
    return regions.some((region) => plans().isValidPhoneNumber(body, region)) ? 0.6 : 0;
  },
});

/** Dates, times, decimals, runs of one digit, years and ranges. */
function isSomethingElse(value: string, digits: string): boolean {
  return (
    /^(?:19|20)\d{2}[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])\b/.test(value) ||
    /^(?:0?[1-9]|[12]\d|3[01])([-./ ])(?:0?[1-9]|1[0-2])\1(?:19|20)?\d{2}\b/.test(value) ||
    /^(?:0?[1-9]|1[0-2])([-./])(?:0?[1-9]|[12]\d|3[01])\1(?:19|20)\d{2}\b/.test(value) ||
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

export const phones: readonly Recognizer[] = [phone];
