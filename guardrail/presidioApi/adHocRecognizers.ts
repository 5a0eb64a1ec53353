/** Recognizers that a request brings along. They match as the custom recognizers of a policy do: in linear time. */
import * as z from 'zod';
import type { PolicyDocument } from '../detection/detection.ts';
import { compiledWith, flagged } from './allowList.ts';
import { PresidioError } from './errors.ts';
import { DEFAULT_FLAGS } from './flags.ts';

const score = z.number().min(0).max(1);
const entityType = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9 _-]{0,63}$/, 'must have at most 64 letters, digits, spaces, underscores and hyphens');

export const adHocRecognizerSchema = z.strictObject({
  name: z.string().max(200).nullish(),
  supported_language: z.string().max(20).nullish().describe('Default: en. Used for texts in this language only.'),
  supported_entity: entityType.nullish(),
  supported_entities: z.array(entityType).max(1).nullish().describe('In place of supported_entity.'),
  patterns: z
    .array(z.object({ name: z.string().max(200).nullish(), regex: z.string().min(1).max(1000), score }))
    .max(100)
    .nullish(),
  deny_list: z.array(z.string().min(1).max(200)).max(10_000).nullish(),
  deny_list_score: score.nullish().describe('Has no effect: the score is 1.'),
  context: z.array(z.string().min(1).max(200)).max(100).nullish(),
  global_regex_flags: z.int().nullish().describe('The flags of Python. Default: 26, which ignores case.'),
  version: z.string().max(50).nullish(),
  country_code: z.string().max(10).nullish(),
});

type CustomRecognizer = NonNullable<PolicyDocument['recognizers']>[number];
type DeniedValue = NonNullable<PolicyDocument['deny']>[number];

/** A recognizer as a part of a policy. */
export interface AdHocRecognizer {
  readonly type: string;
  /** It is used for texts in this language only. */
  readonly language: string;
  readonly recognizers: readonly CustomRecognizer[];
  readonly deny: readonly DeniedValue[];
  /** The steps that its patterns and its context words may take for a character. */
  readonly size: number;
}

/** The context words of a request, in lower case. */
export function lowerCased(context: readonly string[]): string[] {
  return context.map((word) => word.toLowerCase());
}

/** Presidio's, for a context word in the request. Context words in the text are a matter of the policy. */
const CONTEXT_BONUS = 0.35;
const MIN_SCORE_WITH_CONTEXT = 0.4;

/**
 * @param context the context words of the request, in lower case
 * @param field the name of the recognizer in messages
 * @throws PresidioError
 */
export function recognizerOf(
  recognizer: z.output<typeof adHocRecognizerSchema>,
  context: readonly string[],
  field: string,
): AdHocRecognizer {
  const type = recognizer.supported_entity ?? recognizer.supported_entities?.[0];
  if (type === undefined) throw new PresidioError(400, `${field}.supported_entity must be a string.`);
  const { patterns, deny_list: denied, context: own } = recognizer;
  if (!patterns?.length && !denied?.length) throw new PresidioError(400, `${field} must have patterns or a deny_list.`);
  const words = own ?? [];
  const flags = recognizer.global_regex_flags ?? DEFAULT_FLAGS;
  const fieldOf = (index: number): string => `${field}.patterns[${index}].regex`;
  const matchers = (patterns ?? []).map(({ regex }, index) =>
    compiledWith(regex, flags, fieldOf(index), `${field}.global_regex_flags`),
  );
  const lowerWords = lowerCased(words);
  const isSupported = context.some((given) => lowerWords.some((word) => given.includes(word)));
  // Each pattern searches for the words, too.
  const searched = isSupported ? 0 : longestOf(words);
  return {
    type,
    language: recognizer.supported_language ?? 'en',
    recognizers: (patterns ?? []).map(({ regex, score: lowest }, index) => ({
      name: fieldOf(index),
      type,
      pattern: flagged(regex, flags, field),
      score: isSupported ? Math.min(1, Math.max(MIN_SCORE_WITH_CONTEXT, lowest + CONTEXT_BONUS)) : lowest,
      context: isSupported ? [] : [...words],
    })),
    deny: (denied ?? []).map((value) => ({ value, type })),
    size: matchers.reduce((sum, matcher) => sum + matcher.programSize() + searched, 0),
  };
}

/** The length of the longest word: the most steps of a search for words that begin at one place. */
export function longestOf(words: readonly string[]): number {
  return words.reduce((longest, { length }) => Math.max(longest, length), 0);
}
