import { anywhere, before, numeric, type Recognizer } from '../recognizer.ts';

const decimal = String.raw`[-+\u2212]?\d{1,3}\.\d{3,15}`;
const sexagesimal = String.raw`\d{1,3}\s?°\s?\d{1,2}\s?['′’]\s?(?:\d{1,2}(?:\.\d{1,6})?\s?(?:["″”]|'')\s?)?`;
const degrees = String.raw`(?:${sexagesimal}|\d{1,3}\.\d{2,15}\s?°\s?)`;

const pairSaid = /(?:\bgps\b|\blat(?:itude)?\b)[^\n]{0,32}$/;
/** Words that drawings use, too: the numbers of a place on the globe have more decimals than theirs. */
const pairMeant = /(?:coord|position|standort|location|located|ubicaci|posizione|locatie|geoloc)[^\n\d;]{0,32}$/;
const oneSaid =
  /\b(?:lat|latitude|lon|lng|longitude|breitengrad|längengrad|latitud|longitud|latitudine|longitudine|(?<=\blat\b[^\n]{0,30})long)["']?\s?[:=]\s?["']?$/u;

/**
 * Latitude and longitude in decimals, together where a word says that they are a place, or each behind its name, as in JSON:
 * any numbers look like them.
 */
const decimals = numeric({
  type: 'COORDINATE',
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}_.,+\u2212-])${decimal}(?:\\s?[,;/ ]\\s?${decimal})?(?![\\p{L}\\p{N}_]|[.,]\\d)`,
    'gu',
  ),
  worthwhile: (hints) => hints.digits >= 4,
  score: (value, { text, start }) => {
    const [first = 180, second] = value
      .replaceAll('\u2212', '-')
      .split(/\s?[,;/ ]\s?/)
      .map(Number);
    const context = before(text, start);
    if (second === undefined) return Math.abs(first) <= 180 && oneSaid.test(context) ? 0.85 : 0;
    const isMeant = pairSaid.test(context) || (pairMeant.test(context) && /\.\d{4}.*\.\d{4}/.test(value));
    return Math.abs(first) <= 90 && Math.abs(second) <= 180 && isMeant ? 0.85 : 0;
  },
});

/** With the letters of the directions, which say it all. */
const compass = anywhere({
  type: 'COORDINATE',
  pattern: new RegExp(`(?<![\\p{L}\\p{N}_.-])${degrees}[NS][,;]?\\s{1,2}${degrees}[EWO](?![\\p{L}\\p{N}_])`, 'gu'),
  worthwhile: ({ text, digits }) => digits > 0 && text.includes('°'),
  score: () => 0.9,
});

/** Where somebody is, as a place on the globe. */
export const coordinates: readonly Recognizer[] = [decimals, compass];
