/** Characters of a token, as bits. */
export const TOKEN = {
  /** Letters A to Z, digits, `_` and `-`. */
  word: 1,
  /** The same, and `+`, `.` and `/`: also what joins the parts of a value in base64. */
  joined: 2,
} as const;

export type TokenKind = (typeof TOKEN)[keyof typeof TOKEN];

const kindsOf = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[\w-]/.test(character) ? TOKEN.word | TOKEN.joined : /[+./]/.test(character) ? TOKEN.joined : 0;
});

const isOf = (text: string, at: number, kind: TokenKind): boolean => ((kindsOf[text.charCodeAt(at)] ?? 0) & kind) !== 0;

/** The offset at which the token around a character begins, not before `from`. */
export function tokenStart(text: string, at: number, kind: TokenKind, from: number): number {
  let start = at;
  while (start > from && isOf(text, start - 1, kind)) start--;
  return start;
}

/** The offset at which the token around a character ends. */
export function tokenEnd(text: string, at: number, kind: TokenKind): number {
  let end = at + 1;
  while (end < text.length && isOf(text, end, kind)) end++;
  return end;
}
