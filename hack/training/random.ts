/** A seeded random number generator (mulberry32). It returns the same numbers on every machine. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from `from` to `to`, both inclusive. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[Math.floor(this.next() * list.length)];
    if (picked === undefined) throw new Error('Cannot pick from an empty list.');
    return picked;
  }

  /** Picks from a list sorted by frequency, and prefers its beginning. */
  pickUsual<T>(list: readonly T[]): T {
    const picked = list[Math.floor(this.next() ** 2.2 * list.length)];
    if (picked === undefined) throw new Error('Cannot pick from an empty list.');
    return picked;
  }

  weighted<T extends { readonly weight: number }>(list: readonly T[]): T {
    let left = this.next() * list.reduce((sum, { weight }) => sum + weight, 0);
    for (const entry of list) {
      left -= entry.weight;
      if (left < 0) return entry;
    }
    return this.pick(list);
  }

  /** Replaces `#` by a digit and `?` by a capital letter. */
  format(pattern: string): string {
    return pattern.replace(/[#?]/g, (sign) =>
      sign === '#' ? String(this.int(0, 9)) : String.fromCharCode(65 + this.int(0, 25)),
    );
  }

  /** A number of `count` digits. */
  digits(count: number): string {
    return String(this.int(1, 9)) + this.format('#'.repeat(count - 1));
  }

  shuffle<T>(list: T[]): T[] {
    for (let at = list.length - 1; at > 0; at--) {
      const other = this.int(0, at);
      const kept = list[at] as T;
      list[at] = list[other] as T;
      list[other] = kept;
    }
    return list;
  }
}
