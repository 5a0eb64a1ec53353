import { foldedOf, kindOf, kinds } from '../builtin/tagger/characters.ts';

interface Node<T> {
  readonly next: Map<number, Node<T>>;
  value?: T;
}

const isWord = (code: number): boolean => {
  const kind = kindOf[code] ?? 0;
  return kind !== kinds.mark && kind !== kinds.space && kind !== kinds.newline;
};

/**
 * Finds given phrases in text, as whole words: without regard to case and accents, or exactly. Any number of phrases
 * costs one walk from the beginning of each word.
 */
export class Phrases<T> {
  private readonly root: Node<T> = { next: new Map() };
  private readonly fold: (code: number) => number;
  private longest = 0;
  size = 0;

  constructor({ exact }: { readonly exact: boolean }) {
    this.fold = exact ? (code) => code : (code) => foldedOf[code] ?? code;
  }

  /** A phrase given twice keeps its first value. */
  add(phrase: string, value: T): void {
    let node = this.root;
    for (let at = 0; at < phrase.length; at++) {
      const code = this.fold(phrase.charCodeAt(at));
      let next = node.next.get(code);
      if (!next) {
        next = { next: new Map() };
        node.next.set(code, next);
      }
      node = next;
    }
    if (node.value === undefined) {
      node.value = value;
      this.size++;
    }
    this.longest = Math.max(this.longest, phrase.length);
  }

  /** The value of a phrase that is the whole text. */
  get(text: string): T | undefined {
    let node: Node<T> | undefined = this.root;
    for (let at = 0; at < text.length && node; at++) node = node.next.get(this.fold(text.charCodeAt(at)));
    return node?.value;
  }

  /** Whether any phrase stands in the text. */
  isIn(text: string): boolean {
    const found: number[] = [];
    this.find(text, (start) => found.push(start));
    return found.length > 0;
  }

  /** The longest phrase at each place, in order, disjoint. */
  find(text: string, found: (start: number, end: number, value: T) => void): void {
    if (this.size === 0) return;
    for (let at = 0; at < text.length; at++) {
      if (at > 0 && isWord(text.charCodeAt(at - 1)) && isWord(text.charCodeAt(at))) continue;
      let node: Node<T> | undefined = this.root.next.get(this.fold(text.charCodeAt(at)));
      let end = 0;
      let value: T | undefined;
      for (let to = at + 1; node; to++) {
        const isEnd = to >= text.length || !isWord(text.charCodeAt(to)) || !isWord(text.charCodeAt(to - 1));
        if (node.value !== undefined && isEnd) {
          end = to;
          value = node.value;
        }
        node = to < text.length ? node.next.get(this.fold(text.charCodeAt(to))) : undefined;
      }
      if (value === undefined) continue;
      found(at, end, value);
      at = end - 1;
    }
  }
}
