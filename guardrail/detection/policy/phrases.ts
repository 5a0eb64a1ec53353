import { Trie } from '../../automaton/automaton.ts';
import { unitAt } from '../../unitAt.ts';
import { foldedOf, kindOf, kinds } from '../text/characters.ts';

/** Whether a code unit is a letter or a digit. */
export const isWord = (code: number): boolean => {
  const kind = kindOf[code] ?? 0;
  return kind !== kinds.mark && kind !== kinds.space && kind !== kinds.newline;
};

/**
 * Finds given phrases as whole words of a text, either exactly or ignoring case and accents. The time per word does not
 * depend on the number of phrases.
 */
export class Phrases<T> {
  private readonly trie = new Trie();
  private readonly values: T[] = [];
  private readonly fold: (code: number) => number;

  constructor({ exact }: { readonly exact: boolean }) {
    this.fold = exact ? (code) => code : (code) => foldedOf[code] ?? code;
  }

  get size(): number {
    return this.values.length;
  }

  /** Adds a phrase. A phrase that is added twice keeps its first value. */
  add(phrase: string, value: T): void {
    const node = this.trie.insert(phrase, this.fold);
    if (node !== 0 && this.trie.value[node] === 0) this.trie.value[node] = this.values.push(value);
  }

  /** The value of the phrase that equals the whole text. */
  get(text: string): T | undefined {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = this.trie.childOf(node, this.fold(unitAt(text, at)));
      if (node === 0) return undefined;
    }
    return this.valueOf(node);
  }

  private valueOf(node: number): T | undefined {
    return this.values[(this.trie.value[node] ?? 0) - 1];
  }

  /** Whether a phrase can begin at an offset: not inside of a word. */
  canBegin(text: string, at: number): boolean {
    return at === 0 || !isWord(unitAt(text, at - 1)) || !isWord(unitAt(text, at));
  }

  /**
   * Finds all phrases that begin at an offset, the shortest first.
   * @param found receives the end of each, and whether no word goes on there
   */
  eachEnd(text: string, at: number, found: (end: number, isWord: boolean) => void): void {
    const { trie } = this;
    let node = 0;
    for (let to = at; to < text.length; to++) {
      node = trie.childOf(node, this.fold(unitAt(text, to)));
      if (node === 0) return;
      if (trie.value[node] !== 0) found(to + 1, to + 1 === text.length || this.canBegin(text, to + 1));
    }
  }

  /**
   * Finds the longest phrase at each offset. The phrases are in order and disjoint.
   * @param from phrases before this offset do not count.
   * @param until phrases that begin at this offset or after it do not count.
   * @returns the `from` of the next call.
   */
  find(text: string, found: (start: number, end: number, value: T) => void, from = 0, until = text.length): number {
    if (this.size === 0) return text.length;
    const { trie } = this;
    let at = from;
    for (; at < until; at++) {
      if (!this.canBegin(text, at)) continue;
      let node = trie.childOf(0, this.fold(unitAt(text, at)));
      let end = 0;
      let last = 0;
      for (let to = at + 1; node !== 0; to++) {
        if (trie.value[node] !== 0 && (to >= text.length || this.canBegin(text, to))) {
          end = to;
          last = node;
        }
        node = to < text.length ? trie.childOf(node, this.fold(unitAt(text, to))) : 0;
      }
      const value = last === 0 ? undefined : this.valueOf(last);
      if (value === undefined) continue;
      found(at, end, value);
      at = end - 1;
    }
    return at;
  }
}
