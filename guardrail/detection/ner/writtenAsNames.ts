import { flags } from './gazetteer.ts';
import { gaps, markAt, shapes, type Tokens } from './tokens.ts';

/** The longest run of capitalized words that is a candidate. A longer one is a heading. */
const MOST_WORDS = 5;
/** The shortest name in small letters, in UTF-16 code units. */
const LEAST_LENGTH = 3;

const colon = ':'.charCodeAt(0);
const names = flags.given | flags.family;

/** Marks within a name: "Jae-won", "O'Brien". */
const joiners = new Set(Array.from("-'’", (character) => character.charCodeAt(0)));

/** Whether a word begins with a capital: {@link shapes} has these side by side. A range is cheaper than a set for each token. */
const isCapital = (shape: number): boolean => shape >= shapes.capitalized && shape <= shapes.camel;

/**
 * Words that are written like names: runs of capitalized words of which one is not ordinary, known given names in small letters,
 * and the words before a colon that begin a line, as in a chat. The tagger overlooks names in texts unlike those that it learned
 * from; the classifier decides about all of these.
 */
export class WrittenAsNames {
  private readonly tokens: Tokens;
  private readonly text: string;
  private readonly isFree: (token: number) => boolean;

  /**
   * @param tokens with the flags of their words in the gazetteer.
   * @param isFree whether a token is not part of a candidate.
   */
  constructor(tokens: Tokens, text: string, isFree: (token: number) => boolean) {
    this.tokens = tokens;
    this.text = text;
    this.isFree = isFree;
  }

  /** Calls `use` with the first and the last token of each. */
  forEach(use: (first: number, last: number) => void): void {
    const { count, shape } = this.tokens;
    for (let at = 0; at < count; at++) {
      const own = shape[at] ?? 0;
      if (isCapital(own)) {
        if (!this.isFree(at)) continue;
        const last = this.runFrom(at);
        const first = this.startsSentence(at) && !this.isSpeaker(at, last) ? this.withoutOrdinary(at, last) : at;
        if (this.isNameLike(first, last)) use(first, last);
        at = last;
      } else if (own === shapes.lower && this.isSmallName(at) && this.isFree(at)) use(at, at);
    }
  }

  private flagsOf(at: number): number {
    return this.tokens.known[at] ?? 0;
  }

  private isCapitalized(at: number): boolean {
    return isCapital(this.tokens.shape[at] ?? 0);
  }

  /** Whether the words from `first` to `last` begin a line and a colon follows. */
  private isSpeaker(first: number, last: number): boolean {
    const { gap, count } = this.tokens;
    const startsLine = first === 0 || (gap[first] ?? 0) >= gaps.newline;
    return (
      startsLine &&
      last + 1 < count &&
      (gap[last + 1] ?? 0) < gaps.newline &&
      markAt(this.tokens, last + 1, this.text) === colon
    );
  }

  /** The last token of the run of capitalized words that begins at a token. */
  private runFrom(first: number): number {
    const { gap, count } = this.tokens;
    let last = first;
    for (;;) {
      let next = last + 1;
      const isJoined =
        gap[next] === gaps.none && gap[next + 1] === gaps.none && joiners.has(markAt(this.tokens, next, this.text));
      if (isJoined) next++;
      const isApart = gap[next] === gaps.space;
      if (next >= count || !(isJoined || isApart) || !this.isFree(next) || !this.isCapitalized(next)) return last;
      last = next;
    }
  }

  private startsSentence(at: number): boolean {
    const { gap, shape } = this.tokens;
    return at === 0 || (gap[at] ?? 0) >= gaps.newline || shape[at - 1] === shapes.mark;
  }

  /** The first word of a run that is not only ordinary. At the beginning of a sentence, ordinary words are capitalized too. */
  private withoutOrdinary(first: number, last: number): number {
    let at = first;
    while (at < last && this.flagsOf(at) === flags.ordinary && this.tokens.gap[at + 1] === gaps.space) at++;
    return at;
  }

  private isNameLike(first: number, last: number): boolean {
    let words = 0;
    let isNamed = false;
    for (let at = first; at <= last; at++) {
      const shape = this.tokens.shape[at];
      if (shape === shapes.mark || shape === shapes.initial) continue;
      words++;
      const own = this.flagsOf(at);
      isNamed ||= own === 0 || (own & names) !== 0;
    }
    return words > 0 && words <= MOST_WORDS && (isNamed || this.isSpeaker(first, last));
  }

  private isSmallName(at: number): boolean {
    const isGiven = (this.flagsOf(at) & (flags.given | flags.ordinary)) === flags.given;
    if (!isGiven && !this.isSpeaker(at, at)) return false;
    return (this.tokens.end[at] ?? 0) - (this.tokens.start[at] ?? 0) >= LEAST_LENGTH;
  }
}
