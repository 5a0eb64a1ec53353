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
