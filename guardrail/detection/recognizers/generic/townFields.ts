import { contextWords } from '../../languages/languages.ts';
import { afterKeyword, contextBefore, type Recognizer } from '../recognizer.ts';

/** How far from a town the key with the name of the person may stand, in UTF-16 code units. */
const PERSON_WIDTH = 200;

const key = (words: string): string => String.raw`(?<![\p{L}\p{N}])(?:${words})\\{0,3}["']\s?:`;
const townKey = new RegExp(String.raw`${key(contextWords('town'))} ?["']$`, 'u');
const personKey = new RegExp(key(contextWords('personName')), 'iu');

/** The town in a record of JSON that has the name of a person, too. */
const townField = afterKeyword('town', 32, [
  {
    type: 'ADDRESS',
    pattern: /(?<=["'])\p{L}[\p{L}\p{M} .,'’()/-]{1,48}(?=\\{0,3}["'])/gu,
    mayMatch: ({ keywords }) => keywords.of('quotedKey').length > 0,
    score: (_town, { text, start, end }) =>
      townKey.test(contextBefore(text, start)) &&
      personKey.test(text.slice(Math.max(0, start - PERSON_WIDTH), end + PERSON_WIDTH))
        ? 0.9
        : 0,
  },
]);

export const townFields: readonly Recognizer[] = [townField];
