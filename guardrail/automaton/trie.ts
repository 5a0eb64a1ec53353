/** Up to this number of children, a linear search is faster than a Map. */
const MAX_LINEAR = 6;
/** Capacity after the first text, in nodes. */
const INITIAL_CAPACITY = 256;

/**
 * A prefix tree of code units in typed arrays. A node takes about 20 bytes; an object and a Map would take 300. Node 0 is
 * the root. Grows as texts are added. An empty trie has no memory: many calls make one and add nothing.
 */
export class Trie {
  nodes = 1;
  /** The code unit on the edge to each node. */
  units = new Uint16Array(0);
  /** The first child of each node; 0: none. */
  firstChild = new Uint32Array(0);
  sibling = new Uint32Array(0);
  /** The number of the text that ends in each node, from 1; 0: none. */
  value = new Uint32Array(0);
  /** Number of children of each node, at most {@link MAX_LINEAR} + 1. */
  private childCount = new Uint8Array(0);
  private readonly maps = new Map<number, Map<number, number>>();

  /** @param expected maximum number of nodes, if known */
  constructor(expected = 0) {
    if (expected > 0) this.grow(Math.max(expected, INITIAL_CAPACITY));
  }

  /** The child of a node for a code unit; 0: none. */
  childOf(node: number, unit: number): number {
    if ((this.childCount[node] ?? 0) > MAX_LINEAR) return this.maps.get(node)?.get(unit) ?? 0;
    for (let child = this.firstChild[node] ?? 0; child !== 0; child = this.sibling[child] ?? 0) {
      if (this.units[child] === unit) return child;
    }
    return 0;
  }

  /** Adds a text and returns its last node. @param fold maps each code unit */
  insert(text: string, fold?: (code: number) => number): number {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const unit = fold === undefined ? code : fold(code);
      node = this.childOf(node, unit) || this.addChild(node, unit);
    }
    return node;
  }

  private addChild(node: number, unit: number): number {
    if (this.nodes >= this.units.length) this.grow(Math.max(2 * this.nodes, INITIAL_CAPACITY));
    const child = this.nodes++;
    this.units[child] = unit;
    this.sibling[child] = this.firstChild[node] ?? 0;
    this.firstChild[node] = child;
    const count = Math.min((this.childCount[node] ?? 0) + 1, MAX_LINEAR + 1);
    this.childCount[node] = count;
    if (count > MAX_LINEAR) {
      let map = this.maps.get(node);
      if (!map) {
        map = new Map();
        for (let at = child; at !== 0; at = this.sibling[at] ?? 0) map.set(this.units[at] ?? 0, at);
        this.maps.set(node, map);
      }
      map.set(unit, child);
    }
    return child;
  }

  /** Transfers the buffers, so that the old memory is freed at once and not at the next full garbage collection. */
  private grow(room: number): void {
    this.units = new Uint16Array(this.units.buffer.transfer(room * 2));
    this.firstChild = new Uint32Array(this.firstChild.buffer.transfer(room * 4));
    this.sibling = new Uint32Array(this.sibling.buffer.transfer(room * 4));
    this.value = new Uint32Array(this.value.buffer.transfer(room * 4));
    this.childCount = new Uint8Array(this.childCount.buffer.transfer(room));
  }
}
