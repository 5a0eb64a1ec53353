import { keywordsOf, languages } from '../languages/languages.ts';
import { foldedOf } from '../text/characters.ts';
import { vehicleMakes } from '../words/brands.ts';
import { accountPlaces, authenticationLog, formatKeywords } from '../words/keywords.ts';
import { platforms } from '../words/platforms.ts';
import { createWordFinder } from './wordFinder.ts';

/** A word as the automaton reads it: in lower case, without accents. */
const folded = (word: string): string =>
  String.fromCharCode(...Array.from(word, (letter) => foldedOf[letter.charCodeAt(0)] ?? 0));

/**
 * The words for the digits from 2 to 9 and 0, before a space. The word for 1 is an article in most languages; long numbers have
 * others, too. A space before a word would take the automaton from its first state at each space of a text.
 */
const spokenDigits = [
  ...new Set(
    languages
      .flatMap(({ digitWords = [] }) => digitWords.flatMap((words, digit) => (digit === 1 ? [] : words.split('|'))))
      .map((word) => `${folded(word)} `),
  ),
];

/**
 * Words, or beginnings of words, without which some recognizers do not run. They are in lower case, without accents. They
 * can be inexact, because the recognizer checks the exact words before each value.
 */
const lists = {
  ...formatKeywords,
  secret: [...keywordsOf('secret'), ...formatKeywords.secret],
  card: [...keywordsOf('card'), ...formatKeywords.card],
  plate: keywordsOf('plate'),
  username: keywordsOf('username'),
  personName: keywordsOf('personName'),
  birthWord: keywordsOf('birth'),
  birth: [...keywordsOf('birth'), ...formatKeywords.birth],
  booking: keywordsOf('booking'),
  postalCode: keywordsOf('postalCode'),
  document: keywordsOf('document'),
  accessCode: [...keywordsOf('accessCode'), ...formatKeywords.accessCode],
  column: [...new Set([...keywordsOf('personName'), ...keywordsOf('plate'), ...keywordsOf('column')])],
  vehicleKind: [...keywordsOf('vehicleKind'), ...vehicleMakes.filter((make) => /^[a-z]+$/.test(make))],
  spokenDigit: spokenDigits,
  authenticationLog,
  ...accountPlaces,
  account: [...authenticationLog, ...Object.values(accountPlaces).flat()],
  service: [
    ...new Set(
      platforms
        .replaceAll(/\[(.)\w\]/g, '$1')
        .toLowerCase()
        .split('|'),
    ),
  ],
} as const satisfies Record<string, readonly string[]>;

export type KeywordList = keyof typeof lists;

const names = Object.keys(lists) as KeywordList[];
const listsByWord = Map.groupBy(
  names.flatMap((name, list) => lists[name].map((word) => ({ list, word }))),
  ({ word }) => word,
);
const listsOf = Array.from(listsByWord.values(), (entries) => entries.map(({ list }) => list));
const numberOf = Object.fromEntries(names.map((name, list) => [name, list])) as Record<KeywordList, number>;

const findWords = createWordFinder([...listsByWord.keys()]);

/** Most lists have no word in a text. They share this array, because one for each would take as long as to scan a short text. */
const none: number[] = [];
const nothing = names.map(() => none);

/** The keywords of one text. */
export class Keywords {
  /** Where the words of each list begin. */
  private readonly starts = nothing.slice();

  constructor(text: string) {
    const { starts } = this;
    findWords(text, (start, word) => {
      for (const list of listsOf[word] ?? none) {
        if (starts[list] === none) starts[list] = [start];
        else insert(starts[list] ?? [], start);
      }
    });
  }

  /** Where the words of a list begin, in ascending order. */
  of(list: KeywordList): readonly number[] {
    return this.starts[numberOf[list]] ?? none;
  }

  /** Whether a word of a list begins at an offset from `from` to `to`. */
  occursBetween(list: KeywordList, from: number, to: number): boolean {
    const starts = this.of(list);
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return (starts[low] ?? Infinity) <= to;
  }
}

/** Inserts an offset in order. A word can begin before one that was found earlier, if it ends after it. */
function insert(starts: number[], start: number): void {
  let at = starts.length;
  while (at > 0 && (starts[at - 1] ?? 0) > start) at--;
  if (starts[at - 1] === start) return;
  if (at === starts.length) starts.push(start);
  else starts.splice(at, 0, start);
}
