import { Trie } from './trie.ts';

export { Trie } from './trie.ts';

/**
 * Finds many values in a text in one pass (Aho and Corasick, 1975): time is linear in the text, whatever the values are.
 */
export interface Automaton {
  /**
   * For each place where values end, calls `accept` with the values that end there, longest first, until one is accepted.
   * @param canEnd is asked once for each place where a value ends
   * @param accept gets the place and the index of the value in the list given to {@link createAutomaton}
   */
  scan(
    text: string,
    canEnd: (end: number) => boolean,
    accept: (start: number, end: number, value: number) => boolean,
  ): void;
}

/** For each UTF-16 code unit, the one that stands for it: a table of 65,536 entries. */
export type Fold = Readonly<Uint16Array>;

/** The values as a tree, each node with the node of the longest other beginning that ends like it. */
interface LinkedTrie {
  readonly trie: Trie;
  readonly failure: Uint32Array;
  /** The next node up the failures in which a value ends; 0: none. */
  readonly shorter: Uint32Array;
  /** The nodes that are nearer to the root come first. */
  readonly order: Uint32Array;
}

/** How many code units or nodes are dealt with in a step. */
const STEP = 1 << 14;
/** Code units from here on have no column of their own in a table. */
const LATIN1_END = 0x100;
/** A larger table takes longer to make than it saves. */
const MAX_TABLE = 1 << 15;

/**
 * @param values without duplicates; an empty one is never found. With `fold`, written in code units that stand for
 *   themselves
 * @param fold reads a text through this table, for a search that ignores case, for example
 */
export function createAutomaton(values: readonly string[], fold?: Fold): Automaton {
  const work = link(values);
  for (;;) {
    const next = work.next();
    if (next.done === true) return automatonOf(values, next.value, fold);
  }
}

/** The same, for many values: `breathe` is awaited between two steps of the work, some milliseconds each. */
export async function buildAutomaton(
  values: readonly string[],
  breathe: () => Promise<void> | undefined,
): Promise<Automaton> {
  const work = link(values);
  for (;;) {
    const next = work.next();
    if (next.done === true) return automatonOf(values, next.value);
    await breathe();
  }
}

function automatonOf(values: readonly string[], linked: LinkedTrie, fold?: Fold): Automaton {
  const { trie, failure, shorter } = linked;
  const { value } = trie;

  /** Offers the values that end in a node, longest first. */
  function offer(node: number, end: number, accept: (start: number, end: number, value: number) => boolean): void {
    for (let found = value[node] ? node : (shorter[node] ?? 0); found !== 0; found = shorter[found] ?? 0) {
      const index = (value[found] ?? 1) - 1;
      if (accept(end - (values[index]?.length ?? 0), end, index)) return;
    }
  }

  const table = createTable(linked, fold);
  if (table) {
    const { next, columns, width } = table;
    const isEnd = Uint8Array.from({ length: trie.nodes }, (_, node) => (value[node] || shorter[node] ? 1 : 0));
    return {
      scan(text, canEnd, accept) {
        let node = 0;
        for (let at = 0; at < text.length; at++) {
          const unit = text.charCodeAt(at);
          node = next[node * width + (columns[unit] ?? 0)] ?? 0;
          if (isEnd[node] !== 0 && canEnd(at + 1)) offer(node, at + 1, accept);
        }
      },
    };
  }
  const mayBegin = beginnings(trie);
  return {
    scan(text, canEnd, accept) {
      let node = 0;
      for (let at = 0; at < text.length; at++) {
        const written = text.charCodeAt(at);
        const unit = fold === undefined ? written : (fold[written] ?? 0);
        if (node === 0 && mayBegin[unit & 0xff] === 0) continue;
        node = step(trie, failure, node, unit);
        if (node === 0 || (value[node] === 0 && shorter[node] === 0)) continue;
        if (canEnd(at + 1)) offer(node, at + 1, accept);
      }
    },
  };
}

/** Yields after each step of the work, so that its owner can let others have their turn. */
function* link(values: readonly string[]): Generator<undefined, LinkedTrie> {
  const trie = new Trie(1 + values.reduce((sum, { length }) => sum + length, 0));
  let steps = 0;
  for (const [index, text] of values.entries()) {
    const node = trie.insert(text);
    if (node !== 0) trie.value[node] = index + 1;
    steps += text.length;
    if (steps < STEP) continue;
    steps = 0;
    yield;
  }

  const { nodes, units, firstChild, sibling, value } = trie;
  const list = (): Uint32Array => new Uint32Array(nodes);
  const [failure, shorter, order] = [list(), list(), list()];
  // Breadth first, so that a node's failure, which is nearer to the root, is ready before it is asked for.
  let queued = 1;
  for (let at = 0; at < queued; at++) {
    const node = order[at] ?? 0;
    for (let child = firstChild[node] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      const failed = node === 0 ? 0 : step(trie, failure, failure[node] ?? 0, units[child] ?? 0);
      failure[child] = failed;
      shorter[child] = value[failed] ? failed : (shorter[failed] ?? 0);
      order[queued++] = child;
    }
    if (at % STEP === STEP - 1) yield;
  }
  return { trie, failure, shorter, order };
}

function step(trie: Trie, failure: Uint32Array, from: number, unit: number): number {
  let node = from;
  for (;;) {
    const child = trie.childOf(node, unit);
    if (child !== 0 || node === 0) return child;
    node = failure[node] ?? 0;
  }
}

/** For the low byte of a code unit, whether a value may begin with that code unit. */
function beginnings({ units, firstChild, sibling }: Trie): Uint8Array {
  const mayBegin = new Uint8Array(0x100);
  for (let child = firstChild[0] ?? 0; child !== 0; child = sibling[child] ?? 0) {
    mayBegin[(units[child] ?? 0) & 0xff] = 1;
  }
  return mayBegin;
}

/** Where each node leads by each code unit, one look for a character. */
interface Table {
  readonly next: Uint16Array;
  /** Column of a code unit; those of no value share column 0, which leads to the root. */
  readonly columns: Uint8Array;
  readonly width: number;
}

/** @returns undefined where the table would be large */
function createTable(
  { trie: { nodes, units, firstChild, sibling }, failure, order }: LinkedTrie,
  fold: Fold | undefined,
): Table | undefined {
  const latin1 = new Uint8Array(LATIN1_END);
  let width = 1;
  for (let node = 1; node < nodes; node++) {
    const unit = units[node] ?? 0;
    if (unit >= LATIN1_END || width === LATIN1_END) return undefined;
    if (latin1[unit] === 0) latin1[unit] = width++;
  }
  if (nodes * width > MAX_TABLE) return undefined;

  const next = new Uint16Array(nodes * width);
  for (let at = 0; at < nodes; at++) {
    const node = order[at] ?? 0;
    const row = node * width;
    // Where no value goes on, a shorter beginning may.
    if (node !== 0) next.copyWithin(row, (failure[node] ?? 0) * width, (failure[node] ?? 0) * width + width);
    for (let child = firstChild[node] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      next[row + (latin1[units[child] ?? 0] ?? 0)] = child;
    }
  }
  // Folding is done once here, not for each character.
  const columns = fold === undefined ? latin1 : Uint8Array.from(fold, (unit) => latin1[unit] ?? 0);
  return { next, columns, width };
}
