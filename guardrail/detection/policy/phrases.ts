import { Trie } from '../../automaton/automaton.ts';
import { foldedOf, kindOf, kinds } from '../text/characters.ts';

const isWord = (code: number): boolean => {
  const kind = kindOf[code] ?? 0;
  return kind !== kinds.mark && kind !== kinds.space && kind !== kinds.newline;
};

/**
 * Finds given phrases in text, as whole words: without regard to case and accents, or exactly. Any number of phrases
 * costs one walk from the beginning of each word.
 */
export class Phrases<T> {
  private readonly trie = new Trie();
  private readonly values: T[] = [];
  private readonly fold: (code: number) => number;

  constructor({ exact }: { readonly exact: boolean }) {
    this.fold = exact ? (code) => code : (code) => foldedOf[code] ?? code;
  }

  /** How many there are. */
  get size(): number {
    return this.values.length;
  }

  /** A phrase given twice keeps its first value. */
  add(phrase: string, value: T): void {
    const node = this.trie.insert(phrase, this.fold);
    if (node !== 0 && this.trie.value[node] === 0) this.trie.value[node] = this.values.push(value);
  }

  /** The value of a phrase that is the whole text. */
  get(text: string): T | undefined {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = this.trie.childOf(node, this.fold(text.charCodeAt(at)));
      if (node === 0) return undefined;
    }
    return this.valueOf(node);
  }

  private valueOf(node: number): T | undefined {
    return this.values[(this.trie.value[node] ?? 0) - 1];
  }

  /** Whether any phrase stands in the text. */
  isIn(text: string): boolean {
    const found: number[] = [];
    this.find(text, (start) => found.push(start));
    return found.length > 0;
  }

  /**
   * The longest phrase at each place, in order, disjoint.
   * @param from where to begin, and `until` where to stop looking for beginnings
   * @returns where to go on
   */
  find(text: string, found: (start: number, end: number, value: T) => void, from = 0, until = text.length): number {
    if (this.size === 0) return text.length;
    const { trie } = this;
    let at = from;
    for (; at < until; at++) {
      if (at > 0 && isWord(text.charCodeAt(at - 1)) && isWord(text.charCodeAt(at))) continue;
      let node = trie.childOf(0, this.fold(text.charCodeAt(at)));
      let end = 0;
      let last = 0;
      for (let to = at + 1; node !== 0; to++) {
        const isEnd = to >= text.length || !isWord(text.charCodeAt(to)) || !isWord(text.charCodeAt(to - 1));
        if (isEnd && trie.value[node] !== 0) {
          end = to;
          last = node;
        }
        node = to < text.length ? trie.childOf(node, this.fold(text.charCodeAt(to))) : 0;
      }
      const value = last === 0 ? undefined : this.valueOf(last);
      if (value === undefined) continue;
      found(at, end, value);
      at = end - 1;
    }
    return at;
  }
}
