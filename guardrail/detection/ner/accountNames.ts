import type { Span } from '../contract.ts';
import { isPersonal } from '../recognizers/generic/accountName.ts';
import { isAccountLabel } from '../recognizers/generic/usernames.ts';
import type { Keywords } from '../recognizers/keywords.ts';
import { contextBefore, contextWidth } from '../recognizers/recognizer.ts';
import { flags } from './gazetteer.ts';
import { shapes, wordHashIn, type Tokens } from './tokens.ts';

const SCORE = 0.8;
const SHORTEST = 4;
const LONGEST = 20;
/** The most letters of the other name: "jsmith", "annak". */
const MOST_INITIALS = 2;
/** The fewest letters of a name of which the others are initials. */
const SHORTEST_NAME = 3;

/**
 * Finds names of accounts that are one word in small letters behind a label: "login: akowal", "identifiant : mlefort". Such a word
 * can be any word, so it has to be composed of the names of a person. Digits may follow them: "user lovisab03".
 * @param tokens as the tagger left them
 * @param keywords those of the text. To look for a label before each word would take longer.
 */
export function accountNames(tokens: Tokens, text: string, keywords: Keywords): readonly Span[] {
  if (keywords.of('username').length === 0) return [];
  const found: Span[] = [];
  for (let at = 1; at < tokens.count; at++) {
    const shape = tokens.shape[at];
    const isOrdinary = ((tokens.known[at] ?? 0) & flags.ordinary) !== 0;
    if (isOrdinary || (shape !== shapes.lower && shape !== shapes.lowerDigits)) continue;
    const [start, end] = [tokens.start[at] ?? 0, tokens.end[at] ?? 0];
    if (!keywords.occursBetween('username', start - contextWidth, start)) continue;
    if (end - start < SHORTEST || end - start > LONGEST || !behind.test(text.slice(end, end + BEHIND))) continue;
    if (!isAccountLabel(contextBefore(text, start))) continue;
    const letters = text.slice(start, end).replace(/\d+$/, '');
    if (isPersonal(letters) && isOfNames(tokens, text, start, start + letters.length))
      found.push({ start, end, type: 'USERNAME', score: SCORE, detector: 'builtin', rule: 'accountName' });
  }
  return found;
}

/** What may stand behind a name: no path, no call, no rest of a name with separators. */
const behind = /^["'”“»]?(?:[.,;)]?(?:\s|$))/;
const BEHIND = 3;

/** Whether a word is a name, or a name and the initials of another one. */
function isOfNames({ kernel }: Tokens, text: string, start: number, end: number): boolean {
  const isName = (from: number, to: number): boolean =>
    (kernel.flagsOfWord(wordHashIn(text, from, to)) & (flags.given | flags.family)) !== 0;
  for (let initials = 0; initials <= Math.min(MOST_INITIALS, end - start - SHORTEST_NAME); initials++)
    if (isName(start + initials, end) || isName(start, end - initials)) return true;
  return false;
}
