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

/** The values as a tree of code units, each node with the node of the longest other beginning that ends like it. */
interface Trie {
  readonly nodes: number;
  /** The code unit that leads to a node. */
  readonly units: Uint16Array;
  readonly firstChild: Uint32Array;
  readonly sibling: Uint32Array;
  readonly failure: Uint32Array;
  /** The value that ends in a node: its index plus one. */
  readonly value: Uint32Array;
  /** The next node up the failures in which a value ends; 0: none. */
  readonly shorter: Uint32Array;
  /** The nodes that are nearer to the root come first. */
  readonly order: Uint32Array;
  childOf(node: number, unit: number): number;
}

/** Up to this many children of a node, a look at each is quicker than a Map. */
const FEW = 6;
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
  const trie = createTrie(values);
  const { value, shorter } = trie;

  /** Offers the values that end in a node, longest first. */
  function offer(node: number, end: number, accept: (start: number, end: number, value: number) => boolean): void {
    for (let found = value[node] ? node : (shorter[node] ?? 0); found !== 0; found = shorter[found] ?? 0) {
      const index = (value[found] ?? 1) - 1;
      if (accept(end - (values[index]?.length ?? 0), end, index)) return;
    }
  }

  const table = createTable(trie, fold);
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
        node = step(trie, node, unit);
        if (node === 0 || (value[node] === 0 && shorter[node] === 0)) continue;
        if (canEnd(at + 1)) offer(node, at + 1, accept);
      }
    },
  };
}

function createTrie(values: readonly string[]): Trie {
  const capacity = 1 + values.reduce((sum, { length }) => sum + length, 0);
  const list = (): Uint32Array => new Uint32Array(capacity);
  const [firstChild, sibling, childCount, failure, value, shorter, order] = [
    list(),
    list(),
    list(),
    list(),
    list(),
    list(),
    list(),
  ];
  const units = new Uint16Array(capacity);
  const maps = new Map<number, Map<number, number>>();
  let nodes = 1;

  function childOf(node: number, unit: number): number {
    if ((childCount[node] ?? 0) > FEW) return maps.get(node)?.get(unit) ?? 0;
    for (let child = firstChild[node] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      if (units[child] === unit) return child;
    }
    return 0;
  }

  function addChild(node: number, unit: number): number {
    const child = nodes++;
    units[child] = unit;
    sibling[child] = firstChild[node] ?? 0;
    firstChild[node] = child;
    const count = (childCount[node] ?? 0) + 1;
    childCount[node] = count;
    if (count > FEW) {
      let map = maps.get(node);
      if (!map) {
        map = new Map();
        for (let at = child; at !== 0; at = sibling[at] ?? 0) map.set(units[at] ?? 0, at);
        maps.set(node, map);
      }
      map.set(unit, child);
    }
    return child;
  }

  values.forEach((text, index) => {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      node = childOf(node, unit) || addChild(node, unit);
    }
    if (node !== 0) value[node] = index + 1;
  });

  // Breadth first, so that a node's failure, which is nearer to the root, is ready before it is asked for.
  let queued = 1;
  for (let at = 0; at < queued; at++) {
    const node = order[at] ?? 0;
    for (let child = firstChild[node] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      const failed = node === 0 ? 0 : step({ failure, childOf }, failure[node] ?? 0, units[child] ?? 0);
      failure[child] = failed;
      shorter[child] = value[failed] ? failed : (shorter[failed] ?? 0);
      order[queued++] = child;
    }
  }
  return { nodes, units, firstChild, sibling, failure, value, shorter, order, childOf };
}

function step({ failure, childOf }: Pick<Trie, 'failure' | 'childOf'>, from: number, unit: number): number {
  let node = from;
  for (;;) {
    const child = childOf(node, unit);
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
  { nodes, units, firstChild, sibling, failure, order }: Trie,
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
