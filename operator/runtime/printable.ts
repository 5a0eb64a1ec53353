/** Control and format characters, line separators and lone surrogates: a terminal interprets them or cannot show them. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Escapes unprintable characters and truncates the text, for untrusted text in a terminal: names of resources that were stored
 * before validation, responses of a gateway, keys of a document.
 * @param longest the maximum length
 */
export function printable(text: string, longest: number): string {
  // Truncates only between characters and between escapes, because a part of one is unprintable.
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
