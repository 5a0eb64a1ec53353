/** Splits a JSON array of objects that arrives in pieces. Pure. */

/** The text is not an array of objects, or an element is too large. */
export class ArrayFormatError extends Error {
  override readonly name = 'ArrayFormatError';
}

const byte = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA] = [byte('"'), byte('\\'), byte(',')];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [byte('['), byte(']'), byte('{'), byte('}')];
const SPACES: ReadonlySet<number> = new Set([' ', '\t', '\n', '\r'].map(byte));

/**
 * Returns each element as soon as it is complete, so that a list of any length needs the memory of one element. Only the
 * structure is checked here; whoever parses an element checks the rest. In UTF-8, no byte of another character is equal to
 * one of JSON's own.
 */
export class ArrayElements {
  readonly #maxBytes: number;
  /** The pieces of the current element. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** 0 before and after the list, 1 between its elements. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  #ended = false;

  /** @param maxBytes the size of the largest element */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns the elements that end in this piece @throws ArrayFormatError */
  push(piece: Buffer): string[] {
    const elements: string[] = [];
    let from = this.#depth > 1 ? 0 : -1;
    for (let at = 0; at < piece.length; at += 1) {
      const was = this.#depth;
      this.#read(piece[at] ?? 0);
      if (was === 1 && this.#depth === 2) from = at;
      if (was !== 2 || this.#depth !== 1) continue;
      this.#keep(piece.subarray(from, at + 1));
      elements.push(Buffer.concat(this.#pieces).toString('utf8'));
      this.#pieces = [];
      this.#bytes = 0;
      from = -1;
    }
    if (from >= 0) this.#keep(Buffer.from(piece.subarray(from)));
    return elements;
  }

  /** @throws ArrayFormatError if the list is not complete */
  end(): void {
    if (!this.#ended) throw new ArrayFormatError('The list is not complete.');
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) throw new ArrayFormatError('A record of the list is too large.');
    this.#pieces.push(piece);
  }

  #read(value: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (value === BACKSLASH) this.#escaped = true;
      else if (value === QUOTE) this.#inString = false;
      return;
    }
    if (SPACES.has(value)) return;
    if (this.#depth === 0) {
      if (value !== OPEN_LIST || this.#ended) throw new ArrayFormatError('The text is not a list.');
      this.#depth = 1;
    } else if (this.#depth === 1) {
      if (value === OPEN_OBJECT) this.#depth = 2;
      else if (value === CLOSE_LIST) [this.#depth, this.#ended] = [0, true];
      else if (value !== COMMA) throw new ArrayFormatError('The list contains something else than objects.');
    } else if (value === QUOTE) this.#inString = true;
    else if (value === OPEN_OBJECT || value === OPEN_LIST) this.#depth += 1;
    else if (value === CLOSE_OBJECT || value === CLOSE_LIST) this.#depth -= 1;
  }
}
