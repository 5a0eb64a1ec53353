/** Finds context words near the matches of a custom recognizer. */
import type { Phrases } from './phrases.ts';

/** A phrase in a text. */
interface Occurrence {
  readonly start: number;
  readonly end: number;
}

/**
 * Answers for parts of a text, in ascending order, whether they contain any phrase. A word that is cut at an edge of a part
 * counts as a whole one. Each place of the text is searched once, however many parts contain it.
 */
export class ContextWords {
  private readonly phrases: Phrases<true>;
  private readonly text: string;
  /** Where the search goes on. */
  private next = 0;
  /** The whole words: of two where one contains the other, the shorter one. So both starts and ends ascend. */
  private readonly words: Occurrence[] = [];
  /** The words before this one begin before the current part. */
  private first = 0;
  /** Phrases that end inside of a word: the last start, by the end. They count where the part is cut there. */
  private readonly beginnings = new Map<number, number>();

  constructor(phrases: Phrases<true>, text: string) {
    this.phrases = phrases;
    this.text = text;
  }

  /** Whether the part from `from` to `to` has a phrase. Neither may be less than in the call before. */
  isIn(from: number, to: number): boolean {
    this.searchUntil(from, to);
    while ((this.words[this.first]?.start ?? from) < from) this.first += 1;
    if ((this.words[this.first]?.end ?? Infinity) <= to) return true;
    if ((this.beginnings.get(to) ?? -1) >= from) return true;
    return this.isCut(from, to);
  }

  private searchUntil(from: number, to: number): void {
    for (let at = Math.max(this.next, from); at < to; at++) {
      if (!this.phrases.canBegin(this.text, at)) continue;
      this.phrases.eachEnd(this.text, at, (end, isWord) => {
        if (isWord) this.add({ start: at, end });
        else this.beginnings.set(end, at);
      });
    }
    this.next = Math.max(this.next, to);
  }

  private add(word: Occurrence): void {
    const { words, first } = this;
    const last = words.at(-1);
    // Of phrases with the same start, the shortest comes first.
    if (last?.start === word.start) return;
    while (words.length > first && (words.at(-1)?.end ?? 0) >= word.end) words.pop();
    words.push(word);
  }

  /** Whether a phrase begins at the edge of a part, where a word is cut. */
  private isCut(from: number, to: number): boolean {
    if (this.phrases.canBegin(this.text, from)) return false;
    let isFound = false;
    this.phrases.eachEnd(this.text, from, (end, isWord) => {
      isFound ||= end === to || (isWord && end < to);
    });
    return isFound;
  }
}
