import type { Random } from './random.ts';

/** Personal values that must not be seen again where they do not belong: in logs, metrics, errors and addresses. */
export class Planted {
  readonly #random: Random;
  /** What to look for, and the value that it betrays. */
  readonly #marks = new Map<string, string>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** A word that occurs nowhere else. It has letters alone, so that most ways of quoting it leave it as it is. */
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

  /** The planted values that stand in a text: as they are, in any case, in base64 or in hexadecimal. */
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
 * What base64 makes of a text, wherever it stands in what is encoded: by each offset within three bytes, the characters
 * that depend on the text alone. Long enough that chance does not make them.
 */
export function base64Marks(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
    return whole.toString('base64').slice(offset === 0 ? 0 : 4);
  });
}
