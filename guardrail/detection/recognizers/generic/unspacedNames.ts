import type { UnspacedNames } from '../../languages/language.ts';
import { languages } from '../../languages/languages.ts';
import { eachMatch, type Emit, type Recognizer } from '../recognizer.ts';

/** How reliable a name is: with evidence before or behind it, by its own characters, or by another place. */
const score = { announced: 0.9, addressed: 0.85, certain: 0.7, repeated: 0.75 } as const;

/** The shortest full name that is searched in the rest of the text. */
const SHORTEST_REPEATED = 3;
/** The most names of one text that are searched again: each takes time in proportion to the text. */
const MOST_REPEATED = 32;

const escaped = (text: string): string => text.replace(/[\\\]^-]/g, String.raw`\$&`);

const firstOf = (name: string): string => String.fromCodePoint(name.codePointAt(0) ?? 0);

/** The patterns of the names in one language. */
interface NamePatterns {
  /** Names behind a label. */
  readonly announced: RegExp;
  /** Names before an honorific, and full names before other evidence. */
  readonly addressed: RegExp;
  /** Full names that their own characters identify. */
  readonly certain: RegExp | undefined;
}

function patternsOf(words: UnspacedNames): NamePatterns {
  const { given, honorific, title = honorific, certainGiven, places } = words;
  const oneOf = (names: readonly string[]): string => `(?:${names.toSorted((a, b) => b.length - a.length).join('|')})`;
  const family = oneOf(words.family);
  const full = `${family}(?!${honorific})(?:${given})`;
  const follow = `(?=[${escaped(words.follow)}]|$)`;
  const begin = words.isJoined ? '' : String.raw`(?<!\p{L})`;
  const behindFull = `(?=[ \u3000]?(?:${honorific})|${words.confirmation})`;
  // Checked first: what stands before a position, and each family name, would take far longer at each character.
  const beginsFamily = `(?=[${escaped([...new Set([...words.family, ...(places?.family ?? [])].map(firstOf))].join(''))}])`;
  const certainFamily = words.family.filter((name) => name.length > 1 && places?.family.includes(name) !== true);
  return {
    announced: new RegExp(`${beginsFamily}(?<=${words.label})${full}${follow}`, 'gmu'),
    addressed: new RegExp(`${beginsFamily}${begin}(?:${full}${behindFull}|${family}(?=[ \u3000]?(?:${title})))`, 'gu'),
    certain:
      certainGiven === undefined || places === undefined
        ? undefined
        : new RegExp(
            String.raw`${beginsFamily}(?<![\p{Script=Han}\u30a1-\u30fc])(?:${oneOf(certainFamily)}(?:${certainGiven})|${oneOf(places.family)}${places.given})${follow}`,
            'gmu',
          ),
  };
}

/** Creates the recognizer of the names of persons in one language. */
function namesOf(words: UnspacedNames): Recognizer {
  const { announced, addressed, certain } = patternsOf(words);
  const exceptions = new Set(words.exceptions);
  const isException = (name: string, before: string): boolean =>
    exceptions.has(name) ||
    exceptions.has(name.slice(0, 2)) ||
    exceptions.has(name.slice(0, 3)) ||
    exceptions.has(before + name.charAt(0));
  const patterns = [
    [announced, score.announced],
    [addressed, score.addressed],
    ...(certain ? ([[certain, score.certain]] as const) : []),
  ] as const;

  return {
    type: 'PERSON',
    rule: 'name.unspaced',
    otherRules: ['name.unspaced.repeated'],
    mayMatch: ({ hasEastAsian }) => hasEastAsian,
    find(text, emit) {
      const found = new Set<string>();
      for (const [pattern, value] of patterns) {
        eachMatch(pattern, text, ({ 0: name, index }) => {
          if (isException(name, text.charAt(index - 1))) {
            pattern.lastIndex = index + 1;
            return;
          }
          emit(index, index + name.length, value);
          if (name.length >= SHORTEST_REPEATED && found.size < MOST_REPEATED) found.add(name);
        });
      }
      for (const name of found) emitRepeated(name, text, emit);
    },
  };
}

/** Finds a full name that has evidence at one place at all others, too. */
function emitRepeated(name: string, text: string, emit: Emit): void {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    emit(at, at + name.length, score.repeated, 'PERSON', 'name.unspaced.repeated');
  }
}

/** Words of sentences before an address, which its first unit would include. */
const leading = /^.*(?:[在于於到至是为為从從寄往址住]|はで?|に|、)(?=.{6})/u;

/** Creates the recognizer of the addresses in one language. */
function addressesOf(address: string): Recognizer {
  const pattern = new RegExp(address, 'gu');
  return {
    type: 'ADDRESS',
    rule: 'address.unspaced',
    needsDigit: true,
    mayMatch: ({ digits, hasEastAsian }) => digits > 0 && hasEastAsian,
    find(text, emit) {
      eachMatch(pattern, text, ({ 0: whole, index }) => {
        const skipped = leading.exec(whole.slice(0, 14))?.[0].length ?? 0;
        emit(index + skipped, index + whole.trimEnd().length, 0.85);
      });
    },
  };
}

/** Names and addresses in languages without capitals and without spaces between words. The tagger does not know them. */
export const unspaced: readonly Recognizer[] = languages.flatMap(({ unspacedNames, unspacedAddress }) => [
  ...(unspacedNames ? [namesOf(unspacedNames)] : []),
  ...(unspacedAddress === undefined ? [] : [addressesOf(unspacedAddress)]),
]);
