import type { Random } from './random.ts';

/** Creates canary values: unique personal values that must not appear in logs, metrics, errors or addresses. */
export class Canaries {
  readonly #random: Random;
  /** The value that each searched text reveals. */
  readonly #marks = new Map<string, string>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** @returns a unique word. It consists of letters only, so that most quoting leaves it unchanged. */
  token(): string {
    const token = `zq${this.#random.letters(10)}`;
    this.#marks.set(token, token);
    for (const text of [token, token.toUpperCase()]) {
      for (const mark of [...base64Marks(text), Buffer.from(text).toString('hex')]) this.#marks.set(mark, token);
    }
    return token;
  }

  email(): string {
    return `${this.token()}@example.org`;
  }

  /** @returns the canary values in a text: in any letter case, in base64 or in hexadecimal. */
  scan(text: string): string[] {
    const folded = text.toLowerCase();
    const found = new Set<string>();
    for (const [mark, token] of this.#marks) {
      if (mark === token ? folded.includes(mark) : text.includes(mark)) found.add(token);
    }
    return [...found];
  }
}

/**
 * @returns the base64 characters that depend only on the text, for each offset within three bytes. They are long enough to
 * rule out a match by chance.
 */
export function base64Marks(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
    return whole.toString('base64').slice(offset === 0 ? 0 : 4);
  });
}
