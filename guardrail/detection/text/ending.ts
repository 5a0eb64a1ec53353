import { alternativesOf } from './alternatives.ts';

/**
 * Creates a test whether a text ends with a match of a pattern. It looks back from the end of the text, while a search for the
 * pattern and `$` begins a match at each character.
 * @param source of a regular expression without groups to refer to.
 * @param flags of the regular expression, without `g` and `y`.
 */
export function endsWith(source: string, flags = ''): (text: string) => boolean {
  const pattern = new RegExp(`(?<=${source})`, `${flags}y`);
  return (text) => {
    pattern.lastIndex = text.length;
    return pattern.test(text);
  };
}

/**
 * Groups the alternatives of a regular expression by their last letters. A pattern that looks back tries one alternative after the
 * other, and rejects a whole group by one letter.
 * @param alternatives separated by `|`, without capturing groups.
 */
export function byEnding(alternatives: string): string {
  const groups = Map.groupBy(alternativesOf(alternatives), (alternative) => literalEnd.exec(alternative)?.[0] ?? '');
  return Array.from(groups, ([end, members]) => {
    if (end === '' || members.length === 1) return members.join('|');
    return `(?:${byEnding(members.map((member) => member.slice(0, -end.length)).join('|'))})${end}`;
  }).join('|');
}

/** A letter that stands for itself at the end of a regular expression. */
const literalEnd = /(?<!\\)[a-z\u00df-\u024f]$/;
