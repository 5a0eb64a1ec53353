import { RE2JS } from 're2js';

export type Compiled =
  | { readonly matcher: RE2JS; readonly problem?: undefined }
  | { readonly matcher?: undefined; readonly problem: string };

/**
 * Compiles a pattern in RE2 syntax, which matches in linear time for any text. Rejects look-around and back references,
 * which cannot be matched in linear time.
 */
export function compileLinear(source: string): Compiled {
  if (/\(\?<?[=!]/.test(source)) {
    return {
      problem: 'uses look-around, which cannot be matched in linear time: match the surroundings, or use context words',
    };
  }
  if (/(?<!\\)(?:\\\\)*\\(?:[1-9]|k<)/.test(source)) {
    return { problem: 'uses a back reference, which cannot be matched in linear time: write the repeated part out' };
  }
  try {
    const matcher = RE2JS.compile(source);
    return matcher.matches('') || matcher.matcher('').find()
      ? { problem: 'matches the empty text: make a part of it required' }
      : { matcher };
  } catch {
    return { problem: 'is not a valid pattern in the syntax of RE2' };
  }
}

export function eachMatch(matcher: RE2JS, text: string, found: (start: number, end: number) => void): void {
  const matches = matcher.matcher(text);
  while (matches.find()) found(matches.start(), matches.end());
}
