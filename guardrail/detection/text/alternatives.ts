/**
 * Splits a regular expression at each `|` outside its groups and classes.
 * @param source without classes within classes.
 */
export function alternativesOf(source: string): readonly string[] {
  const alternatives: string[] = [];
  let from = 0;
  let depth = 0;
  let isInClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\\') at++;
    else if (isInClass) isInClass = character !== ']';
    else if (character === '[') isInClass = true;
    else if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === '|' && depth === 0) {
      alternatives.push(source.slice(from, at));
      from = at + 1;
    }
  }
  return [...alternatives, source.slice(from)];
}
