import { contextWords } from '../../languages/languages.ts';
import { anywhere, contextBefore, aroundDigits, type Recognizer } from '../recognizer.ts';

const decimal = String.raw`[-+\u2212]?\d{1,3}\.\d{3,15}`;
const sexagesimal = String.raw`\d{1,3}\s?°\s?\d{1,2}\s?['′’]\s?(?:\d{1,2}(?:\.\d{1,6})?\s?(?:["″”]|'')\s?)?`;
const degrees = String.raw`(?:${sexagesimal}|\d{1,3}\.\d{2,15}\s?°\s?)`;

const pairWord = new RegExp(String.raw`\b(?:gps|${contextWords('coordinate')})\b[^\n]{0,32}$`);
const positionWord = new RegExp(String.raw`(?:${contextWords('position')})[^\n\d;]{0,32}$`);
const coordinateWord = new RegExp(
  String.raw`\b(?:${contextWords('coordinate')}|(?<=\blat\b[^\n]{0,30})long)["']?\s?[:=]\s?["']?$`,
  'u',
);
const precise = /^[-+\u2212]?\d{2}\.\d{5,8}, ?[-+\u2212]?\d{1,3}\.\d{5,8}$/;
/** A number beside a pair in its line, or in the next line after a comma: the pair belongs to a longer row of numbers. */
const numberBefore = /\d(?:[,;|]|[^\S\n]){1,3}$/;
const numberAfter = /^(?:[,;|]|[^\S\n]){1,3}[-+\u2212]?[.\n]?\d/;

/**
 * Whether a pair is as precise as GPS receivers and maps write a position, to a metre, and is not part of a longer row.
 * Coordinates close to the equator need a context word.
 */
function isPrecise(value: string, text: string, start: number): boolean {
  const end = start + value.length;
  return (
    precise.test(value) &&
    !numberBefore.test(text.slice(Math.max(0, start - 4), start)) &&
    !numberAfter.test(text.slice(end, end + 5))
  );
}

/**
 * Latitude and longitude as decimals: a pair after a word for a position, or each after its name, as in JSON. Requires
 * a context word, because any two numbers would match, unless the pair {@link isPrecise}.
 */
const decimals = aroundDigits({
  type: 'COORDINATE',
  rule: 'coordinate',
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
    const hasContext =
      isPrecise(value, text, start) ||
      pairWord.test(context) ||
      (positionWord.test(context) && /\.\d{4}.*\.\d{4}/.test(value));
    return Math.abs(first) <= 90 && Math.abs(second) <= 180 && hasContext ? 0.85 : 0;
  },
});

/** Degrees with compass letters. They need no context word. */
const compass = anywhere({
  type: 'COORDINATE',
  rule: 'coordinate.compass',
  pattern: new RegExp(`(?<![\\p{L}\\p{N}_.-])${degrees}[NS][,;]?\\s{1,2}${degrees}[EWO](?![\\p{L}\\p{N}_])`, 'gu'),
  mayMatch: ({ text, digits }) => digits > 0 && text.includes('°'),
  score: () => 0.9,
});

export const coordinates: readonly Recognizer[] = [decimals, compass];
