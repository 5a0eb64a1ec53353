import { STEP_UNITS } from '../eventLoop.ts';
import { Trie } from './trie.ts';

export { Trie } from './trie.ts';

/**
 * Finds many values in a text in one pass (Aho and Corasick, 1975). Time is linear in the text for any values.
 */
export interface Automaton {
  /**
   * For each place where values end, calls `accept` with the values that end there, longest first, until one is accepted.
   * @param canEnd called once for each place where a value ends
   * @param accept receives the place and the index of the value in the list passed to {@link createAutomaton}
   * @param range the part of the text that is read; default: all of it
   * @returns the state after the part, for the next part
   */
  scan(
    text: string,
    canEnd: (end: number) => boolean,
    accept: (start: number, end: number, value: number) => boolean,
    range?: ScanRange,
  ): number;
}

/** A part of a text. Parts that follow each other give what the whole text gives. */
export interface ScanRange {
  readonly from: number;
  readonly to: number;
  /** What {@link Automaton.scan} returned for the part before; 0 at the beginning of the text. */
  readonly state: number;
}

/** The values as a trie with failure links: from each node to the node of its longest proper suffix. */
interface LinkedTrie {
  readonly trie: Trie;
  readonly failure: Uint32Array;
  /** The next node on the failure path in which a value ends; 0: none. */
  readonly shorter: Uint32Array;
  /** The nodes in breadth-first order. */
  readonly order: Uint32Array;
}

/** Number of code units or nodes in one step of the work. */
const STEP = 1 << 14;
/** Code units from here on have no column in a table. */
const LATIN1_END = 0x100;
/** Building a larger table takes longer than it saves in one call. */
const MAX_TABLE = 1 << 15;
/**
 * A separate search for each of so few and short values takes less time than an automaton: of 11 values in 100,000 characters,
 * 0.06 ms in place of 1.4, without the time to build one.
 */
const FEW_VALUES = 16;
const SHORT_VALUE = 64;
/** Texts that are read at once. A search does not stop at the end of a part. */
const SHORT_TEXT = STEP_UNITS;
/** Values that are found so often in a text, as 'a' in 'aaaa', are left to the automaton. */
const MAX_PLACES = 1024;

/**
 * Creates the automaton of a list of values.
 * @param values without duplicates. Empty values are never found.
 */
export function createAutomaton(values: readonly string[]): Automaton {
  const work = link(values);
  for (;;) {
    const next = work.next();
    if (next.done === true) return automatonOf(values, next.value);
  }
}

/**
 * Creates the automaton of the values of a call. Awaits `yieldIfDue` between steps of a few milliseconds.
 *
 * Most calls have no value, or very few values in short texts. For these, a search for each value takes less time than the
 * automaton takes to build.
 */
export function buildAutomaton(
  values: readonly string[],
  yieldIfDue: () => Promise<void> | undefined,
): Automaton | Promise<Automaton> {
  const isShort = values.length <= FEW_VALUES && values.every(({ length }) => length <= SHORT_VALUE);
  return isShort ? searchEach(values) : buildInSteps(values, yieldIfDue);
}

async function buildInSteps(
  values: readonly string[],
  yieldIfDue: () => Promise<void> | undefined,
): Promise<Automaton> {
  const work = link(values);
  for (;;) {
    const next = work.next();
    if (next.done === true) return automatonOf(values, next.value);
    await yieldIfDue();
  }
}

/** Searches short texts for each value, and builds the automaton for the first text that needs it. */
function searchEach(values: readonly string[]): Automaton {
  const hasNone = values.every((value) => value === '');
  let automaton: Automaton | undefined;
  return {
    scan(text, canEnd, accept, range) {
      if (hasNone) return 0;
      const found = text.length > SHORT_TEXT || range ? undefined : placesOf(values, text);
      if (!found) {
        automaton ??= createAutomaton(values);
        return automaton.scan(text, canEnd, accept, range);
      }
      found.sort((a, b) => a.end - b.end || a.start - b.start);
      let settled = -1;
      for (const [at, { start, end, index }] of found.entries()) {
        if (end === settled) continue;
        if (found[at - 1]?.end !== end && !canEnd(end)) settled = end;
        else if (accept(start, end, index)) settled = end;
      }
      return 0;
    },
  };
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly index: number;
}

/** The places of values in a text, also overlapping ones. @returns undefined if there are too many of them */
function placesOf(values: readonly string[], text: string): Place[] | undefined {
  const places: Place[] = [];
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? '';
    if (value === '') continue;
    for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + 1)) {
      if (places.length === MAX_PLACES) return undefined;
      places.push({ start, end: start + value.length, index });
    }
  }
  return places;
}

/**
 * `text.charCodeAt(at)` looks the method up for each character as soon as V8 has seen texts of many kinds here: slices,
 * concatenations, texts outside Latin-1. A constant of this file takes a tenth of the time. So does a length that is read once.
 */
// oxlint-disable-next-line typescript/unbound-method -- it is called with a text
const { charCodeAt } = String.prototype;

function automatonOf(values: readonly string[], linked: LinkedTrie): Automaton {
  const { trie, failure, shorter } = linked;
  const { value } = trie;

  /** Offers the values that end in a node, longest first. */
  function offer(node: number, end: number, accept: (start: number, end: number, value: number) => boolean): void {
    for (let found = value[node] ? node : (shorter[node] ?? 0); found !== 0; found = shorter[found] ?? 0) {
      const index = (value[found] ?? 1) - 1;
      if (accept(end - (values[index]?.length ?? 0), end, index)) return;
    }
  }

  const table = createTable(linked);
  if (table) {
    const { next, columns, width } = table;
    const isEnd = Uint8Array.from({ length: trie.nodes }, (_, node) => (value[node] || shorter[node] ? 1 : 0));
    return {
      scan(text, canEnd, accept, range) {
        const to = range?.to ?? text.length;
        let node = range?.state ?? 0;
        for (let at = range?.from ?? 0; at < to; at++) {
          const unit = charCodeAt.call(text, at);
          node = next[node * width + (columns[unit] ?? 0)] ?? 0;
          if (isEnd[node] !== 0 && canEnd(at + 1)) offer(node, at + 1, accept);
        }
        return node;
      },
    };
  }
  const mayBegin = beginnings(trie);
  return {
    scan(text, canEnd, accept, range) {
      const to = range?.to ?? text.length;
      let node = range?.state ?? 0;
      for (let at = range?.from ?? 0; at < to; at++) {
        const unit = charCodeAt.call(text, at);
        if (node === 0 && mayBegin[unit & 0xff] === 0) continue;
        node = step(trie, failure, node, unit);
        if (node === 0 || (value[node] === 0 && shorter[node] === 0)) continue;
        if (canEnd(at + 1)) offer(node, at + 1, accept);
      }
      return node;
    },
  };
}

/** Builds the trie. Yields after each step of the work, so that the caller can yield to the event loop. */
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
  // Breadth first: the failure node of a node is nearer to the root and must be ready first.
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

/** For each low byte of a code unit, whether a value may begin with such a code unit. */
function beginnings({ units, firstChild, sibling }: Trie): Uint8Array {
  const mayBegin = new Uint8Array(0x100);
  for (let child = firstChild[0] ?? 0; child !== 0; child = sibling[child] ?? 0) {
    mayBegin[(units[child] ?? 0) & 0xff] = 1;
  }
  return mayBegin;
}

/** The transitions of all nodes, so that each character takes one lookup. */
interface Table {
  readonly next: Uint16Array;
  /** The column of each code unit. Code units that occur in no value share column 0, which leads to the root. */
  readonly columns: Uint8Array;
  readonly width: number;
}

/** @returns undefined if the table would be too large */
function createTable({ trie: { nodes, units, firstChild, sibling }, failure, order }: LinkedTrie): Table | undefined {
  const columns = new Uint8Array(LATIN1_END);
  let width = 1;
  for (let node = 1; node < nodes; node++) {
    const unit = units[node] ?? 0;
    if (unit >= LATIN1_END || width === LATIN1_END) return undefined;
    if (columns[unit] === 0) columns[unit] = width++;
  }
  if (nodes * width > MAX_TABLE) return undefined;

  const next = new Uint16Array(nodes * width);
  for (let at = 0; at < nodes; at++) {
    const node = order[at] ?? 0;
    const row = node * width;
    // Without a child for a code unit, the transition is that of the failure node.
    if (node !== 0) next.copyWithin(row, (failure[node] ?? 0) * width, (failure[node] ?? 0) * width + width);
    for (let child = firstChild[node] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      next[row + (columns[units[child] ?? 0] ?? 0)] = child;
    }
  }
  return { next, columns, width };
}
