import type { Random } from './random.ts';
import { capitalized } from './words.ts';

/** Generates names that sound like those of a list, from letter trigrams. */
class TrigramNames {
  private readonly following = new Map<string, string[]>();

  constructor(names: readonly string[]) {
    for (const name of names) {
      if (!/^\p{L}{3,12}$/u.test(name)) continue;
      const padded = `^^${name.toLowerCase()}$`;
      for (let at = 2; at < padded.length; at++) {
        const key = padded.slice(at - 2, at);
        const list = this.following.get(key);
        if (list) list.push(padded.charAt(at));
        else this.following.set(key, [padded.charAt(at)]);
      }
    }
  }

  make(random: Random): string {
    for (let attempt = 0; attempt < 50; attempt++) {
      let name = '^^';
      while (name.length < 14) {
        const next = random.pick(this.following.get(name.slice(-2)) ?? ['$']);
        if (next === '$') break;
        name += next;
      }
      if (name.length > 5) return capitalized(name.slice(2));
    }
    throw new Error('The list has too few names to coin new ones.');
  }
}

/** Coins names after lists. It reads each list once. */
export class CoinedNames {
  private readonly random: Random;
  private readonly byKey = new Map<string, TrigramNames>();

  constructor(random: Random) {
    this.random = random;
  }

  /** @param key identifies the list. */
  coin(key: string, names: readonly string[]): string {
    let trigrams = this.byKey.get(key);
    if (!trigrams) {
      trigrams = new TrigramNames(names);
      this.byKey.set(key, trigrams);
    }
    return trigrams.make(this.random);
  }
}
