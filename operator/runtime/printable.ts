/** Control and format characters, line separators and halves of pairs: what a terminal acts on, or cannot show. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * A text as people can read it in a terminal, whatever is in it: names of resources that were stored before their form
 * was checked, an answer of a gateway, a key of a document.
 * @param longest cut after so many characters
 */
export function printable(text: string, longest: number): string {
  // By whole characters and whole escapes: half of one is unprintable again.
  let shown = '';
  let kept = '';
  for (const character of text) {
    shown += character.replace(UNPRINTABLE, escapeOf);
    if (shown.length > longest) return `${kept}…`;
    if (shown.length < longest) kept = shown;
  }
  return shown;
}

function escapeOf(character: string): string {
  return character === '\n' ? ' ' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
