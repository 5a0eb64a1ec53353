import { NetworkTokens, tokenGaps, type NameLists } from './networkTokens.ts';
import { tokenClasses, TokenNetwork, type NetworkWeights, type TokenClass } from './tokenNetwork.ts';

const CLASSES = tokenClasses.length;

/** A part of a text, and the mean probability of its words that they are of a class. */
export interface Run {
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

/** What the network says of the tokens of a text. An instance processes one text at a time. */
export class TokenLabels {
  readonly tokens: NetworkTokens;
  private readonly network: TokenNetwork;

  constructor(weights: NetworkWeights, lists: NameLists) {
    this.tokens = new NetworkTokens(lists);
    this.network = new TokenNetwork(weights);
  }

  /** Labels the tokens of a text, for the other methods. */
  read(text: string): void {
    this.tokens.read(text);
    this.network.run(this.tokens);
  }

  /** The probability that a token is of a class. */
  of(token: number, kind: TokenClass): number {
    return this.network.probabilities[token * CLASSES + tokenClasses.indexOf(kind)] ?? 0;
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

  /** The words on one line that are each of a class with at least a probability. Marks may stand between them. */
  runsOf(kind: TokenClass, least: number): Run[] {
    const { tokens } = this;
    const runs: Run[] = [];
    for (let at = 0; at < tokens.count; at++) {
      if (this.of(at, kind) < least || tokens.isMark(at)) continue;
      let last = at;
      let [sum, words] = [0, 0];
      for (let to = at; to < tokens.count && this.of(to, kind) >= least; to++) {
        if (to > at && (tokens.gap[to] ?? 0) > tokenGaps.space) break;
        if (tokens.isMark(to)) continue;
        last = to;
        sum += this.of(to, kind);
        words++;
      }
      runs.push({ start: tokens.start[at] ?? 0, end: tokens.end[last] ?? 0, score: sum / words });
      at = last;
    }
    return runs;
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
