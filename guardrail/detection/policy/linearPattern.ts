import { RE2JS } from 're2js';

export type Compiled =
  | { readonly matcher: RE2JS; readonly problem?: undefined }
  | { readonly matcher?: undefined; readonly problem: string };

/** Compiles a pattern in RE2 syntax, which matches in linear time for any text. */
export function compileLinear(source: string): Compiled {
  if (/\(\?<?[=!]/.test(source)) {
    return {
      problem: 'uses look-around, which RE2 does not support: match the surrounding text, or use context words',
    };
  }
  if (/(?<!\\)(?:\\\\)*\\(?:[1-9]|k<)/.test(source)) {
    return { problem: 'uses a back reference, which RE2 does not support: write out the repeated part' };
  }
  try {
    const matcher = RE2JS.compile(source);
    return matcher.matches('') || matcher.matcher('').find()
      ? { problem: 'matches the empty text: add a required part' }
      : { matcher };
  } catch {
    return { problem: 'is not a valid RE2 pattern: correct its syntax' };
  }
}
