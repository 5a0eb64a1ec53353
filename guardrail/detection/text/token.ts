/** Characters of a token, as bits. */
export const TOKEN = {
  /** Letters A to Z, digits, `_` and `-`. */
  word: 1,
  /** The same, and `+`, `.` and `/`: also what joins the parts of a value in base64. */
  joined: 2,
  /** Letters A to Z, digits, `_`, `-`, `+` and `/`: those of base64 and of its variant for URLs. */
  base64: 4,
} as const;

export type TokenKind = (typeof TOKEN)[keyof typeof TOKEN];

const kindsOf = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[\w-]/.test(character)) return TOKEN.word | TOKEN.joined | TOKEN.base64;
  if (/[+/]/.test(character)) return TOKEN.joined | TOKEN.base64;
  return character === '.' ? TOKEN.joined : 0;
});

/** Whether the character at an offset belongs to tokens of a kind. */
export const isOf = (text: string, at: number, kind: TokenKind): boolean =>
  ((kindsOf[text.charCodeAt(at)] ?? 0) & kind) !== 0;

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
