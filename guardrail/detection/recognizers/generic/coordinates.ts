import { contextWords } from '../../languages/languages.ts';
import { anywhere, contextBefore, aroundDigits, type Recognizer } from '../recognizer.ts';

const decimal = String.raw`[-+\u2212]?\d{1,3}\.\d{3,15}`;
const sexagesimal = String.raw`\d{1,3}\s?°\s?\d{1,2}\s?['′’]\s?(?:\d{1,2}(?:\.\d{1,6})?\s?(?:["″”]|'')\s?)?`;
const degrees = String.raw`(?:${sexagesimal}|\d{1,3}\.\d{2,15}\s?°\s?)`;

const pairWord = new RegExp(String.raw`(?:\bgps\b|${contextWords('coordinates')})[^\n]{0,32}$`);
const positionWord = new RegExp(String.raw`(?:${contextWords('position')})[^\n\d;]{0,32}$`);
const coordinateWord = new RegExp(
  String.raw`\b(?:${contextWords('coordinate')}|(?<=\blat\b[^\n]{0,30})long)["']?\s?[:=]\s?["']?$`,
  'u',
);
/**
 * Latitude and longitude as decimals: a pair after a word for a position, or each after its name, as in JSON. Requires
 * a context word, because any two numbers would match.
 */
const decimals = aroundDigits({
  type: 'COORDINATE',
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}_.,+\u2212-])${decimal}(?:\\s?[,;/ ]\\s?${decimal})?(?![\\p{L}\\p{N}_]|[.,]\\d)`,
    'gu',
  ),
  mayMatch: ({ digits, hasDot }) => digits >= 4 && hasDot,
  score: (value, { text, start }) => {
    const [first = 180, second] = value
      .replaceAll('\u2212', '-')
      .split(/\s?[,;/ ]\s?/)
      .map(Number);
    const context = contextBefore(text, start);
    if (second === undefined) return Math.abs(first) <= 180 && coordinateWord.test(context) ? 0.85 : 0;
    const hasContext = pairWord.test(context) || (positionWord.test(context) && /\.\d{4}.*\.\d{4}/.test(value));
    return Math.abs(first) <= 90 && Math.abs(second) <= 180 && hasContext ? 0.85 : 0;
  },
});

/** Degrees with compass letters. They need no context word. */
const compass = anywhere({
  type: 'COORDINATE',
  pattern: new RegExp(`(?<![\\p{L}\\p{N}_.-])${degrees}[NS][,;]?\\s{1,2}${degrees}[EWO](?![\\p{L}\\p{N}_])`, 'gu'),
  mayMatch: ({ text, digits }) => digits > 0 && text.includes('°'),
  score: () => 0.9,
});

export const coordinates: readonly Recognizer[] = [decimals, compass];
