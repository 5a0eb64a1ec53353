import { unitAt } from '../unitAt.ts';
import type { RuleId, Span } from './contract.ts';
import { isLabelledPerson } from './contextRules.ts';
import { smallWords } from './languages/smallWords.ts';
import { modelRules, networkRules } from './rules.ts';
import { isTechnical } from './technicalNames.ts';
import { courtesyTitle, isOffice } from './titles.ts';
import { acronyms } from './words/acronyms.ts';

/** The rules of names that the model or a title found. */
const ofNames: ReadonlySet<RuleId> = new Set([
  ...Object.values(modelRules),
  ...Object.values(networkRules),
  ...['titledWord', 'accountName'],
]);
const ofRunningText: ReadonlySet<RuleId> = new Set([
  ...[modelRules.PERSON, modelRules.PUBLIC_PERSON, networkRules.PERSON],
  'titledWord',
]);
/** The length of the longest word that is no name. */
const LONGEST = 'Versicherungsnummer'.length;
const LAST_CAPITAL = 0x5a;

const commonWord = new RegExp(`^(?:${smallWords('noName')})$`, 'u');
const weekday = new RegExp(`^(?:${smallWords('weekday')})$`);
/** A word before a time: "ab Montag". It looks back from there. */
const time = new RegExp(
  String.raw`(?<=(?<![\p{L}\p{N}])(?:${smallWords('beforeWeekday').replace(/(?<!\p{L})\p{L}/gu, (first) => `[${first}${first.toUpperCase()}]`)}) )`,
  'uy',
);
/** A courtesy title before a name: "Herr DEV". It looks back from there. */
const TITLE = new RegExp(String.raw`(?<=(?<![\p{L}\p{N}])(?:${courtesyTitle}|[dD]r|[pP]rof)\.? )`, 'uy');

/** A find of a name, and the rule that proposes it. */
export type ProposedName = Pick<Span, 'start' | 'end' | 'type' | 'rule'>;

/**
 * Whether a name that a model or a title proposes is none: an acronym, a day of the week or another common word, an office after a
 * title, or what only {@link isTechnical looks like} a name or an address. In a line of capitals, acronyms can be names. Other names
 * after a title, and those after the label of a person, are names: people are called Case, Sick and Nat.
 */
export function isFalseName(text: string, span: ProposedName): boolean {
  return (
    (ofNames.has(span.rule) && isTechnical(text, span)) ||
    (ofRunningText.has(span.rule) && isListed(text, span) && !isLabelledPerson(text, span))
  );
}

const isAfter = (pattern: RegExp, text: string, start: number): boolean => {
  pattern.lastIndex = start;
  return pattern.test(text);
};

function isListed(text: string, { start, end }: ProposedName): boolean {
  if (end - start > LONGEST) return false;
  const name = text.slice(start, end);
  if (isAfter(TITLE, text, start)) return isOffice(name);
  // Names have a small letter there. To look a part of a text up in a set takes longer.
  if (unitAt(name, 1) <= LAST_CAPITAL) return areAcronyms(name) && /\p{Ll}/u.test(lineAround(text, start));
  return commonWord.test(name) || (weekday.test(name) && isAfter(time, text, start));
}

/** Words in capitals that are acronyms. Without a vowel, nobody is called so. */
const areAcronyms = (words: string): boolean =>
  words.split(' ').every((word) => acronyms.has(word) || /^[BCDFGHJKLMNPQRSTVWXZ]{3,5}$/.test(word));

/** How much of a line is read before and behind a place, in UTF-16 code units. */
const LINE = 80;

function lineAround(text: string, at: number): string {
  const start = Math.max(0, at - LINE, text.lastIndexOf('\n', at - 1) + 1);
  const [line = ''] = text.slice(start, at + LINE).split('\n', 1);
  return line;
}
