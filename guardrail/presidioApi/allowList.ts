import { compileLinear, type Compiled } from '../detection/detection.ts';
import { PresidioError } from './errors.ts';
import { withFlags } from './flags.ts';

/** The values that are not reported. */
export interface AllowList {
  readonly has: (value: string) => boolean;
  /** The steps that its patterns may take for a character. */
  readonly size: number;
}

/** @throws PresidioError for a pattern that RE2 does not support */
export function allowListOf(values: readonly string[], match: 'exact' | 'regex', flags: number): AllowList {
  if (match === 'exact') {
    const exact = new Set(values);
    return { has: (value) => exact.has(value), size: 0 };
  }
  const matchers = values
    .filter((pattern) => pattern !== '')
    .map((pattern, index) => compiledWith(pattern, flags, `allow_list[${index}]`, 'regex_flags'));
  return {
    has: (value) => matchers.some((matcher) => matcher.matcher(value).find()),
    size: matchers.reduce((sum, matcher) => sum + matcher.programSize(), 0),
  };
}

/** @throws PresidioError that names the field of the pattern or of the flags */
export function compiledWith(
  pattern: string,
  flags: number,
  field: string,
  flagsField: string,
): NonNullable<Compiled['matcher']> {
  const { matcher, problem } = compileLinear(flagged(pattern, flags, flagsField));
  if (!matcher) throw new PresidioError(400, `${field} ${problem}.`);
  return matcher;
}

/** @throws PresidioError */
export function flagged(pattern: string, flags: number, field: string): string {
  const source = withFlags(pattern, flags);
  if (source === undefined) throw new PresidioError(400, `${field} must be a sum of 2, 8, 16 and 32.`);
  return source;
}
