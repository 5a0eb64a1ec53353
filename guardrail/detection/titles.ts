/** Words before the names of people, and what they stand before that is no name. */
import { contextWords } from './languages/languages.ts';
import { smallWords } from './languages/smallWords.ts';
import { byEnding } from './text/ending.ts';

/** In any case. With Node 26.10, `(?i:…)` loses its effect in a process with very many patterns. */
const inAnyCase = (words: string): string => words.replace(/\p{L}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** A courtesy title in any case, without its full stop: "Mrs", "HERR". */
export const courtesyTitle = `(?:${inAnyCase(byEnding(contextWords('courtesyTitle')))})`;

/** Offices and professions that stand behind a courtesy title in place of a name: "Herr Präsident", "Mr. President". */
const OFFICES: ReadonlySet<string> = new Set(contextWords('office').split('|'));
const officeOfWoman = new RegExp(`^(?:${smallWords('officeOfWoman')})$`, 'iu');

/** Whether a word behind a courtesy title is an office or a profession. */
export const isOffice = (word: string): boolean => OFFICES.has(word.toLowerCase()) || officeOfWoman.test(word);
