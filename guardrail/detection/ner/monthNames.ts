import { unitAt } from '../../unitAt.ts';
import { contextWords } from '../languages/languages.ts';
import { smallWords } from '../languages/smallWords.ts';
import { kindOf, kinds } from '../text/characters.ts';
import { shapes, type Tokens } from './tokens.ts';
import type { NameTokens } from './wholeNames.ts';

/** How far the day can be from its month, in UTF-16 code units. */
const WIDTH = 12;

const month = new RegExp(`^(?:${contextWords('month')})$`, 'iu');
const ordinal = `(?:${contextWords('ordinal')})`;
const day = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
/** "3 May", "5th of June", "12. August", "1er mai" */
const dayBefore = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,/])${day}(?:${ordinal}|[.ºª])? (?:(?:${contextWords('ofMonth')}) )?$`,
  'u',
);
/** "May 5th", "May 12, 2025", "April 4 to", "June 2024". "Jan 3" can be a person with three of something. */
const dayAfter = new RegExp(
  String.raw`^\.? (?:the )?(?:${day}${ordinal}|${day}(?=[.,;:!?)]|$| (?:${smallWords('afterDay')})\b|\s?[-–]\s?\d)|(?:19|20)\d\d)(?![\p{L}\p{N}])`,
  'u',
);

/** Whether a name is the month of a date: "from 3 May to 10 May". Months are given names, too. */
export function isMonthOfDate(tokens: Tokens, text: string, { first, last }: NameTokens): boolean {
  if (first !== last || (tokens.shape[first] ?? 0) === shapes.lower) return false;
  const [start, end] = [tokens.start[first] ?? 0, tokens.end[first] ?? 0];
  const from = Math.max(0, start - WIDTH);
  if (!hasDigit(text, from, start) && !hasDigit(text, end, Math.min(text.length, end + WIDTH))) return false;
  if (!month.test(text.slice(start, end))) return false;
  return dayBefore.test(text.slice(from, start)) || dayAfter.test(text.slice(end, end + WIDTH));
}

function hasDigit(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (kindOf[unitAt(text, at)] === kinds.digit) return true;
  return false;
}
