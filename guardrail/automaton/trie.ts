/** Up to this many children of a node, a look at each is quicker than a Map. */
const FEW = 6;
/** How many nodes there is room for at first. */
const ROOM = 256;

/**
 * Texts as a tree of code units in typed arrays: some 20 bytes a node, where an object and a Map would take 300. Node 0 is
 * the root. Grows as texts are added.
 */
export class Trie {
  /** How many nodes there are. */
  nodes = 1;
  /** The code unit that leads to a node. */
  units = new Uint16Array(ROOM);
  /** 0: none. */
  firstChild = new Uint32Array(ROOM);
  sibling = new Uint32Array(ROOM);
  /** What ends in a node: a number above 0. */
  value = new Uint32Array(ROOM);
  /** How many children a node has, up to {@link FEW} + 1. */
  private childCount = new Uint8Array(ROOM);
  private readonly maps = new Map<number, Map<number, number>>();

  /** @param expected how many nodes it will have at most, where that is known */
  constructor(expected = ROOM) {
    if (expected > ROOM) this.grow(expected);
  }

  /** The node behind a code unit; 0: none. */
  childOf(node: number, unit: number): number {
    if ((this.childCount[node] ?? 0) > FEW) return this.maps.get(node)?.get(unit) ?? 0;
    for (let child = this.firstChild[node] ?? 0; child !== 0; child = this.sibling[child] ?? 0) {
      if (this.units[child] === unit) return child;
    }
    return 0;
  }

  /** The node that a text ends in. @param fold what stands for a code unit */
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
    if (this.nodes === this.units.length) this.grow(2 * this.nodes);
    const child = this.nodes++;
    this.units[child] = unit;
    this.sibling[child] = this.firstChild[node] ?? 0;
    this.firstChild[node] = child;
    const count = Math.min((this.childCount[node] ?? 0) + 1, FEW + 1);
    this.childCount[node] = count;
    if (count > FEW) {
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

  /** The old memory goes at once: else it would stay until the next full garbage collection. */
  private grow(room: number): void {
    this.units = new Uint16Array(this.units.buffer.transfer(room * 2));
    this.firstChild = new Uint32Array(this.firstChild.buffer.transfer(room * 4));
    this.sibling = new Uint32Array(this.sibling.buffer.transfer(room * 4));
    this.value = new Uint32Array(this.value.buffer.transfer(room * 4));
    this.childCount = new Uint8Array(this.childCount.buffer.transfer(room));
  }
}
