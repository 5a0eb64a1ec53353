import { contextWords } from '../../languages/languages.ts';
import { smallWords } from '../../languages/smallWords.ts';
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
    rule: 'address.townField',
    pattern: /(?<=["'])\p{L}[\p{L}\p{M} .,'’()/-]{1,48}(?=\\{0,3}["'])/gu,
    mayMatch: ({ keywords }) => keywords.of('quotedKey').length > 0,
    score: (_town, { text, start, end }) =>
      townKey.test(contextBefore(text, start)) &&
      personKey.test(text.slice(Math.max(0, start - PERSON_WIDTH), end + PERSON_WIDTH))
        ? 0.9
        : 0,
  },
]);

const WORD = String.raw`\p{Lu}[\p{L}\p{M}'’-]{1,24}`;
/** A town behind the label of a place of birth. A second word can be the next label. */
const birthplaceLabel = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${contextWords('birthplace')})["']?\s?[:=]?\s{0,2}["']?$`,
  'u',
);
const birthplace = afterKeyword('birthplace', 40, [
  {
    type: 'ADDRESS',
    rule: 'address.birthplace',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}])(?:(?:${smallWords('beforeTown')}) )?${WORD}(?: (?:${smallWords('inTown')}) ${WORD})?`,
      'gu',
    ),
    mayMatch: () => true,
    score: (_town, { text, start }) => (birthplaceLabel.test(contextBefore(text, start)) ? 0.85 : 0),
  },
]);

export const townFields: readonly Recognizer[] = [townField, birthplace];
