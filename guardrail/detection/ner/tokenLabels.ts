import { NetworkTokens, tokenGaps, type NameLists } from './networkTokens.ts';
import { tokenClasses, TokenNetwork, type NetworkWeights, type TokenClass } from './tokenNetwork.ts';

const CLASSES = tokenClasses.length;
const indexOf = Object.fromEntries(tokenClasses.map((kind, index) => [kind, index])) as Record<TokenClass, number>;
/** The least probability of a character beside those of a name without spaces. */
const LEAST_BESIDE = 0.05;

/** A part of a text. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A part of a text, and the mean probability of its words that they are of a class. */
export interface Run extends Place {
  readonly score: number;
}

/** What the network says of the tokens of a text. An instance processes one text at a time. */
export class TokenLabels {
  readonly tokens: NetworkTokens;
  private readonly networks: readonly TokenNetwork[];
  /** The mean probabilities of the networks, one of each class for each token. */
  private probabilities = new Float64Array();
  private text: string | undefined;

  constructor(networks: readonly NetworkWeights[], lists: NameLists) {
    this.tokens = new NetworkTokens(lists);
    this.networks = networks.map((weights) => new TokenNetwork(weights));
  }

  /** Labels the tokens of a text, for the other methods. The text that was read last is not read again. */
  read(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.tokens.read(text);
    const length = this.tokens.count * CLASSES;
    if (this.probabilities.length < length) this.probabilities = new Float64Array(2 * length);
    this.probabilities.fill(0, 0, length);
    for (const network of this.networks) {
      network.run(this.tokens);
      for (let at = 0; at < length; at++)
        this.probabilities[at] =
          (this.probabilities[at] ?? 0) + (network.probabilities[at] ?? 0) / this.networks.length;
    }
  }

  /** The probability that a token is of a class. */
  of(token: number, kind: TokenClass): number {
    return this.probabilities[token * CLASSES + indexOf[kind]] ?? 0;
  }

  /** The mean probability of the words from one offset to another that they are of a class. */
  mean(start: number, end: number, kind: TokenClass): number {
    const { tokens } = this;
    let [sum, words] = [0, 0];
    for (let at = this.tokenAt(start); at < tokens.count && (tokens.start[at] ?? 0) < end; at++) {
      if (tokens.isMark(at)) continue;
      sum += this.of(at, kind);
      words++;
    }
    return words === 0 ? 0 : sum / words;
  }

  /**
   * The words on one line that are each of a class with at least a probability. Marks may stand between them. In a script without
   * spaces, the characters beside them belong to the same word if they are hardly anything else.
   */
  runsOf(kind: TokenClass, least: number): Place[] {
    const { tokens } = this;
    const runs: Place[] = [];
    for (let at = 0; at < tokens.count; at++) {
      if (this.of(at, kind) < least || tokens.isMark(at)) continue;
      let last = at;
      for (let to = at + 1; to < tokens.count && this.of(to, kind) >= least; to++) {
        if ((tokens.gap[to] ?? 0) > tokenGaps.space) break;
        if (!tokens.isMark(to)) last = to;
      }
      const [from, to] = [this.wordEnd(at, -1, kind), this.wordEnd(last, 1, kind)];
      runs.push({ start: tokens.start[from] ?? 0, end: tokens.end[to] ?? 0 });
      at = to;
    }
    return runs;
  }

  /** The parts of a text between two offsets that no span covers, without the marks at their ends, and the mean of each. */
  freeParts({ start, end }: Place, kind: TokenClass, spans: readonly Place[]): Run[] {
    const { tokens } = this;
    const isFree = (at: number): boolean => {
      const [from, to] = [tokens.start[at] ?? 0, tokens.end[at] ?? 0];
      return from < end && !spans.some((span) => span.start < to && span.end > from);
    };
    const parts: Run[] = [];
    for (let at = this.tokenAt(start); at < tokens.count && (tokens.start[at] ?? 0) < end; at++) {
      if (tokens.isMark(at) || !isFree(at)) continue;
      let last = at;
      for (let to = at + 1; to < tokens.count && isFree(to); to++) if (!tokens.isMark(to)) last = to;
      const part = { start: tokens.start[at] ?? 0, end: tokens.end[last] ?? 0 };
      parts.push({ ...part, score: this.mean(part.start, part.end, kind) });
      at = last;
    }
    return parts;
  }

  /** Whether a part of a text is only words in small letters that are no names. */
  arePlain({ start, end }: Place): boolean {
    const { tokens } = this;
    for (let at = this.tokenAt(start); at < tokens.count && (tokens.start[at] ?? 0) < end; at++)
      if (tokens.isPlain[at] === 0) return false;
    return true;
  }

  /** The last character of a word without spaces, from one of its characters in a direction. */
  private wordEnd(from: number, step: 1 | -1, kind: TokenClass): number {
    const { tokens } = this;
    const continues = (at: number): boolean =>
      tokens.isUnspaced(at) &&
      tokens.isUnspaced(at + step) &&
      (tokens.gap[Math.max(at, at + step)] ?? 0) <= tokenGaps.space &&
      (this.of(at + step, kind) >= LEAST_BESIDE || (tokens.isKatakana(at) && tokens.isKatakana(at + step)));
    let at = from;
    while (continues(at)) at += step;
    return at;
  }

  /** The first token that ends after an offset. */
  private tokenAt(offset: number): number {
    const { count, end } = this.tokens;
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((end[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
