import { Trie } from '../../automaton/automaton.ts';
import { unitAt } from '../../unitAt.ts';
import { foldedOf, kindOf, kinds } from '../text/characters.ts';
import { isWord } from './phrases.ts';

/** What may stand between two words of a phrase: white space, or any characters but letters and digits, or nothing at all. */
export type Between = 'whiteSpace' | 'anything';

export interface WordPhraseOptions {
  /** Whether case and accents count. */
  readonly exact: boolean;
  readonly between: Between;
}

/** Stands between two words in the trie. No text has this code unit. */
const GAP = 0xffff;
/** The longest text between two words, in UTF-16 code units: a line break with the indentation of a nested list. */
const LONGEST_GAP = 64;
/** Ends of a plural after the last word. A possessive ends at its apostrophe, where a word ends anyway. */
const PLURALS = ['s', 'es'];
/** The shortest last word that has a plural: the plural of `Mr` would be `Mrs`. */
const SHORTEST_SINGULAR = 3;

const gaps: Readonly<Record<Between, RegExp>> = { whiteSpace: /\s+/u, anything: /[\s\p{Pd}\u2212_]+/u };
const endsInWord = /[\p{L}\p{M}\p{N}]$/u;
const beginsWithWord = /^[\p{L}\p{M}\p{N}]/u;
const singular = new RegExp(`\\p{L}{${SHORTEST_SINGULAR}}$`, 'u');

const isSpace = (code: number): boolean => kindOf[code] === kinds.space || kindOf[code] === kinds.newline;

interface Phrase<T> {
  readonly value: T;
  readonly hasPlural: boolean;
}

/**
 * Finds phrases as whole words of a text, whatever stands between their words. `Project Nightjar` is also found in
 * `project-nightjars` and `PROJECT_NIGHTJAR`, and in `ProjectNightjar`, if anything may stand between words.
 */
export class WordPhrases<T> {
  private readonly trie = new Trie();
  private readonly phrases: Phrase<T>[] = [];
  private readonly fold: (code: number) => number;
  private readonly between: Between;

  constructor({ exact, between }: WordPhraseOptions) {
    this.fold = exact ? (code) => code : (code) => foldedOf[code] ?? code;
    this.between = between;
  }

  get size(): number {
    return this.phrases.length;
  }

  /** Adds a phrase. A phrase that is added twice keeps its first value. */
  add(phrase: string, value: T): void {
    const isLoose = this.between === 'anything';
    this.insert(this.normalized(phrase), { value, hasPlural: isLoose && singular.test(phrase) });
    if (isLoose && /[^aeiou]y$/i.test(phrase)) {
      const plural = `${phrase.slice(0, -1)}${phrase.endsWith('Y') ? 'IES' : 'ies'}`;
      this.insert(this.normalized(plural), { value, hasPlural: false });
    }
  }

  /** Adds a phrase that is found only as it is written, but for its case. */
  addLiteral(phrase: string, value: T): void {
    this.insert(phrase, { value, hasPlural: false });
  }

  private insert(phrase: string, entry: Phrase<T>): void {
    const node = this.trie.insert(phrase, this.fold);
    if (node !== 0 && this.trie.value[node] === 0) this.trie.value[node] = this.phrases.push(entry);
  }

  /** A phrase with {@link GAP} between two words. Around other characters, white space is optional: see {@link eachEnd}. */
  private normalized(phrase: string): string {
    const words = phrase.split(gaps[this.between]).filter((word) => word !== '');
    if (words.length === 0) return phrase;
    return words.reduce((all, word) =>
      this.between === 'whiteSpace' || (endsInWord.test(all) && beginsWithWord.test(word))
        ? `${all}${String.fromCharCode(GAP)}${word}`
        : all + word,
    );
  }

  /** The value of the phrase that is the whole text. */
  get(text: string): T | undefined {
    let value: T | undefined;
    this.eachEnd(text, 0, (end, found) => {
      if (end === text.length) value ??= found;
    });
    return value;
  }

  /**
   * Finds the longest phrase at each offset. The phrases are in order and disjoint.
   * @param from phrases before this offset do not count
   * @param until phrases that begin at this offset or after it do not count
   * @returns the `from` of the next call
   */
  find(text: string, found: (start: number, end: number, value: T) => void, from = 0, until = text.length): number {
    if (this.size === 0) return text.length;
    let at = from;
    for (; at < until; at++) {
      if (this.trie.childOf(0, this.fold(unitAt(text, at))) === 0) continue;
      let end = 0;
      let value: T | undefined;
      this.eachEnd(text, at, (to, one) => {
        if (to > end) [end, value] = [to, one];
      });
      if (value === undefined) continue;
      found(at, end, value);
      at = end - 1;
    }
    return at;
  }

  /** Reports where the phrases end that begin at an offset. */
  private eachEnd(text: string, at: number, found: (end: number, value: T) => void): void {
    const { trie, fold } = this;
    if (!isEdge(text, at)) return;
    const first = trie.childOf(0, fold(unitAt(text, at)));
    if (first === 0) return;
    // Two phrases can differ in a gap alone, so that a text goes on in several nodes.
    const open: [node: number, to: number][] = [[first, at + 1]];
    for (let next = open.pop(); next; next = open.pop()) {
      const [node, to] = next;
      const phrase = this.phrases[(trie.value[node] ?? 0) - 1];
      if (phrase) {
        if (isEdge(text, to)) found(to, phrase.value);
        const plural = phrase.hasPlural ? pluralEnd(text, to) : undefined;
        if (plural !== undefined) found(plural, phrase.value);
      }
      if (to >= text.length) continue;
      const same = trie.childOf(node, fold(unitAt(text, to)));
      if (same !== 0) open.push([same, to + 1]);
      this.eachBehindGap(text, node, to, open);
    }
  }

  /** Adds where a node goes on after a gap of the text. */
  private eachBehindGap(text: string, node: number, to: number, open: [number, number][]): void {
    const { trie, fold } = this;
    const gap = trie.childOf(node, GAP);
    const isLoose = this.between === 'anything';
    if (gap !== 0) {
      const end = gapEnd(text, to, isLoose ? (code) => !isWord(code) : isSpace);
      const isGap = isLoose ? isWord(unitAt(text, end)) : end > to;
      if (isGap && end < text.length) {
        const next = trie.childOf(gap, fold(unitAt(text, end)));
        if (next !== 0) open.push([next, end + 1]);
      }
    }
    if (!isLoose || !isSpace(unitAt(text, to))) return;
    // White space around another character, as in `Smith & Wesson`.
    const end = gapEnd(text, to, isSpace);
    if (end >= text.length || (isWord(unitAt(text, end)) && isWord(unitAt(text, to - 1)))) return;
    const next = trie.childOf(node, fold(unitAt(text, end)));
    if (next !== 0) open.push([next, end + 1]);
  }
}

/** Whether a phrase can begin or end at an offset: not inside of a word. */
export const isEdge = (text: string, at: number): boolean =>
  at === 0 || at >= text.length || !isWord(unitAt(text, at - 1)) || !isWord(unitAt(text, at));

function gapEnd(text: string, from: number, isIn: (code: number) => boolean): number {
  const last = Math.min(text.length, from + LONGEST_GAP);
  let end = from;
  while (end < last && isIn(unitAt(text, end))) end++;
  return end;
}

function pluralEnd(text: string, from: number): number | undefined {
  return PLURALS.map((plural) =>
    text.slice(from, from + plural.length).toLowerCase() === plural ? from + plural.length : text.length + 1,
  ).find((end) => end <= text.length && isEdge(text, end));
}
