/**
 * Numbers that the kernel and the code around it share. This file is TypeScript and AssemblyScript.
 */

/** Number of labels: O (outside), then B (begin) and I (inside) of each of four kinds. */
export const labelCount = 9;
/** Number of token positions that have features of a word: two before it, the word itself, and two after it. */
export const offsets = 5;
/** Number of rows in the hashed table of the tagger's weights: a power of two. */
export const buckets = 1 << 19;
/** The same of the classifier's weights. */
export const spanBuckets = 1 << 18;
/** The maximum number of features of a word, a token or a span. The sums of 256 rows, at most, fit into 16 bits. */
export const mostFeatures = 160;
/** The number of buckets of a token that depend on several tokens. */
export const pairCount = 11;

/** The byte of the weight 0 in a row of weights, and the largest weight in absolute value, in steps. */
export const zero = 128;
export const mostWeight = 127;
/** The logarithm of the value of one step of a weight, in units of the training weights. */
export const logStep = 3;
/** The largest score of a word in absolute value. The sum of five words and of the pairs of a token stays within 16 bits. */
export const mostWordScore = 4300;

/** The hash of a name without words, and the number of flags of a name. */
export const nameStart = 0x1b873593;
export const nameFlagBits = 5;

/** The logarithm of the number of classes of units in the automaton, and the bit of the states with which a word may end. */
export const classBits = 5;
export const isEndState = 0x8000;

/** Kinds of UTF-16 code units. */
export const kindMark = 0;
export const kindLower = 1;
export const kindUpper = 2;
export const kindDigit = 3;
export const kindSpace = 4;
export const kindNewline = 5;
export const kindLetter = 6;

/** Kinds of white space between a token and the one before it. */
export const gapNone = 0;
export const gapSpace = 1;
export const gapNewline = 2;
export const gapParagraph = 3;

/** Shapes of a token: its case and its digits. */
export const shapeMark = 0;
export const shapeLower = 1;
export const shapeCapitalized = 2;
export const shapeUpper = 3;
export const shapeInitial = 4;
export const shapeCamel = 5;
export const shapeMixed = 6;
export const shapeUncased = 7;
export const shapeDigit1 = 8;
export const shapeDigits = 13;
export const shapeUpperDigits = 14;
export const shapeLowerDigits = 15;

/** The case of a token's line. */
export const caseUsual = 0;
export const caseUpper = 1;
export const caseLower = 2;
