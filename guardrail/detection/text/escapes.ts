/** Escapes in strings. JSON and source code escape quotes and white space with more backslashes at each level of nesting. */
import { unitAt } from '../../unitAt.ts';
import { texCommands } from '../words/code.ts';

/** Backslashes and the letter of white space. Sticky: it is tried at the first of several backslashes. */
const escapedSpace = new RegExp(String.raw`\\+(?!(?:${texCommands})(?![A-Za-z]))([nrt])`, 'y');
/** A path of Windows, which can contain the same characters. Sticky: it is tried before a backslash. */
const windowsPath = /(?<![A-Za-z])[C-Ec-e]:\\[^\s"'<>|]+/y;
const DRIVE = 'C:'.length;
const BACKSLASH = 0x5c;

/**
 * Replaces escaped white space by white space, so that its letter is not part of the next word or number. Offsets do not
 * change.
 */
export function withoutEscapedSpace(text: string): string {
  let result = '';
  let done = 0;
  for (let at = text.indexOf('\\'), read = 0; at >= 0; at = text.indexOf('\\', read)) {
    windowsPath.lastIndex = at - DRIVE;
    if (at - DRIVE >= read && windowsPath.test(text)) {
      read = windowsPath.lastIndex;
      continue;
    }
    escapedSpace.lastIndex = at;
    const [escape = '', letter] = escapedSpace.exec(text) ?? [];
    if (letter === undefined) {
      for (read = at + 1; unitAt(text, read) === BACKSLASH;) read++;
      continue;
    }
    result += text.slice(done, at) + (letter === 'n' ? '\n' : ' ').padStart(escape.length);
    done = read = at + escape.length;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** Removes the escapes of quotes, for context words. Offsets change. */
export function withoutEscapedQuotes(context: string): string {
  return context.includes('\\') ? context.replace(/\\+(?=["'`])/g, '') : context;
}
