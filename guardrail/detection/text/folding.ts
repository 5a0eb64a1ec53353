/** Replaces what a pattern matches. Run time is linear in the length of the text, for any text. */
export interface Folding {
  /** A test whether the pattern can match. Absent where the pattern itself is as cheap. */
  readonly mayApply?: (text: string) => boolean;
  /**
   * The characters without which the folding does not apply: a digit, an underscore, one that is rare in plain text, or a special one: a
   * no-break space, a soft hyphen, or one from U+0300 on, behind the Latin letters.
   */
  readonly needs: 'digit' | 'special' | 'rareCharacter' | 'underscore';
  /** Global or sticky. Matches are short. A lookahead before a lookbehind spares most characters the lookbehind. */
  readonly pattern: RegExp;
  /**
   * Where the next match can begin, not before `from`; -1: there is none. It spares the pattern the text before. A sticky pattern
   * is tried at these places only. Default: `from`.
   */
  readonly nextBegin?: (text: string, from: number) => number;
  /**
   * Whether it only joins characters that stand apart in the text. Names that are found only in the result are then no
   * evidence: words of other lines, cells or operands are joined too.
   */
  readonly isSeparator?: true;
  /** @returns the usual form of a match; undefined to leave it as it is */
  readonly replace: (match: RegExpExecArray, text: string) => string | undefined;
}
