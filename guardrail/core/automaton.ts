/**
 * Finds many values in a text in one pass (Aho and Corasick, 1975): time is linear in the text whatever the values are.
 */
export interface Automaton {
  /**
   * For each place where values end, calls `accept` with the values ending there, longest first, until one is accepted.
   * @param accept gets the place and the number of the value as given to {@link createAutomaton}
   */
  scan(
    text: string,
    canEnd: (end: number) => boolean,
    accept: (start: number, end: number, value: number) => boolean,
  ): void;
}

/** Below this many ways on from a node, looking at each is quicker than a Map. */
const FEW = 6;

export function createAutomaton(values: readonly string[]): Automaton {
  const units: number[] = [0];
  const firstChild: number[] = [0];
  const sibling: number[] = [0];
  const childCount: number[] = [0];
  const maps = new Map<number, Map<number, number>>();
  const failure: number[] = [0];
  /** The value that ends here (its number plus one), and the next node up the failures where one ends. */
  const value: number[] = [0];
  const shorter: number[] = [0];

  function childOf(node: number, unit: number): number {
    const map = maps.get(node);
    if (map) return map.get(unit) ?? 0;
    for (let child = firstChild[node] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      if (units[child] === unit) return child;
    }
    return 0;
  }

  function addChild(node: number, unit: number): number {
    const child = units.length;
    units.push(unit);
    firstChild.push(0);
    sibling.push(firstChild[node] ?? 0);
    firstChild[node] = child;
    const count = (childCount[node] ?? 0) + 1;
    childCount[node] = count;
    childCount.push(0);
    failure.push(0);
    value.push(0);
    shorter.push(0);
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
    value[node] = index + 1;
  });

  function step(from: number, unit: number): number {
    let node = from;
    for (;;) {
      const child = childOf(node, unit);
      if (child !== 0 || node === 0) return child;
      node = failure[node] ?? 0;
    }
  }

  // Breadth first, so that a node's failure, which is nearer to the root, is ready before it is asked for.
  const queue: number[] = [0];
  for (const node of queue) {
    for (let child = firstChild[node] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      const failed = node === 0 ? 0 : step(failure[node] ?? 0, units[child] ?? 0);
      failure[child] = failed;
      shorter[child] = value[failed] ? failed : (shorter[failed] ?? 0);
      queue.push(child);
    }
  }

  return {
    scan(text, canEnd, accept) {
      let node = 0;
      for (let at = 0; at < text.length; at++) {
        node = step(node, text.charCodeAt(at));
        if (node === 0) continue;
        let found = value[node] ? node : (shorter[node] ?? 0);
        if (found === 0 || !canEnd(at + 1)) continue;
        for (; found !== 0; found = shorter[found] ?? 0) {
          const index = (value[found] ?? 1) - 1;
          if (accept(at + 1 - (values[index]?.length ?? 0), at + 1, index)) break;
        }
      }
    },
  };
}
