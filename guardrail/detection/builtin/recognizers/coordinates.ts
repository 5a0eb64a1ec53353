import { before, numeric, type Recognizer } from '../recognizer.ts';

const decimal = String.raw`[-+\u2212]?\d{1,3}\.\d{3,15}`;
const sexagesimal = String.raw`\d{1,3}\s?°\s?\d{1,2}\s?['′’]\s?(?:\d{1,2}(?:\.\d{1,6})?\s?(?:["″”]|'')\s?)?`;
const degrees = String.raw`(?:${sexagesimal}|\d{1,3}\.\d{2,15}\s?°?\s?)`;

const pairSaid =
  /(?:\bgps\b|coord|\blat|\blon|\blng|position|standort|location|located|ubicaci|posizione|locatie|geo|maps?\b|\bpin\b)[^\n]{0,32}$/;
const oneSaid =
  /\b(?:lat|latitude|lon|lng|long|longitude|breitengrad|längengrad|latitud|longitud|latitudine|longitudine)["']?\s?[:=]\s?["']?$/u;

/** Latitude and longitude in decimals, where a word says that they are a place: any two numbers look like it. */
const pair = numeric({
  type: 'COORDINATE',
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}_.,+\u2212-])${decimal}\\s?[,;/ ]\\s?${decimal}(?![\\p{L}\\p{N}_]|[.,]\\d)`,
    'gu',
  ),
  worthwhile: (hints) => hints.digits >= 6,
  score: (value, { text, start }) => {
    const [latitude = 90, longitude = 180] = value
      .replaceAll('\u2212', '-')
      .split(/\s?[,;/ ]\s?/)
      .map(Number);
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && pairSaid.test(before(text, start)) ? 0.85 : 0;
  },
});

/** One of the two behind its name, as in JSON. */
const one = numeric({
  type: 'COORDINATE',
  pattern: new RegExp(`(?<![\\p{L}\\p{N}_.,+\u2212-])${decimal}(?![\\p{L}\\p{N}_]|[.,]\\d)`, 'gu'),
  worthwhile: (hints) => hints.digits >= 4,
  score: (_value, { text, start }) => (oneSaid.test(before(text, start, 24)) ? 0.85 : 0),
});

/** With the letters of the directions, which say it all. */
const compass = numeric({
  type: 'COORDINATE',
  pattern: new RegExp(`(?<![\\p{L}\\p{N}_.,-])${degrees}[NS][,;]?\\s{1,2}${degrees}[EWO](?![\\p{L}\\p{N}_])`, 'gu'),
  worthwhile: (hints) => hints.digits >= 2,
  score: () => 0.9,
});

/** Where somebody is, as a place on the globe. */
export const coordinates: readonly Recognizer[] = [pair, one, compass];
