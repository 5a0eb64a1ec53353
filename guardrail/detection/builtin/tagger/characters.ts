/** What kind of character a UTF-16 code unit is, as far as names care. Half of a surrogate pair is a mark. */
export const kinds = { mark: 0, lower: 1, upper: 2, digit: 3, space: 4, newline: 5, letter: 6 } as const;

/**
 * Kinds and base letters of all code units, made once: a table look-up per character instead of a pattern.
 * `folded` is the lower-case letter without its diacritics where it has any, so that `Müller`, `MÜLLER` and `Muller`
 * are one word to the gazetteers.
 */
function tables(): { kind: Uint8Array; folded: Uint16Array } {
  const kind = new Uint8Array(65_536);
  const folded = new Uint16Array(65_536);
  const letter = /\p{L}|\p{M}/u;
  for (let code = 0; code < 65_536; code++) {
    folded[code] = code;
    // Hangul, CJK and what follows has no case; surrogates are no letters.
    if (code >= 0x2e80) {
      kind[code] = isUncased(code) ? kinds.letter : kinds.mark;
      continue;
    }
    const character = String.fromCharCode(code);
    const lower = character.toLowerCase();
    const isCased = lower !== character.toUpperCase();
    if (code >= 48 && code <= 57) kind[code] = kinds.digit;
    else if (code === 10 || code === 13 || code === 0x2028 || code === 0x2029) kind[code] = kinds.newline;
    else if (code === 32 || code === 9 || code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f)
      kind[code] = kinds.space;
    else if (code < 0xaa ? !isCased : !letter.test(character)) kind[code] = kinds.mark;
    else kind[code] = !isCased ? kinds.letter : lower === character ? kinds.lower : kinds.upper;
    if (kind[code] === kinds.upper || kind[code] === kinds.lower) {
      folded[code] = (code < 128 ? lower : lower.normalize('NFD')).charCodeAt(0);
    }
  }
  for (const [from, to] of ['ıi', 'øo', 'łl', 'đd', 'ðd', 'þt', 'æa', 'œo', 'ßs'].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ])) {
    for (const code of [
      from ?? 0,
      String.fromCharCode(from ?? 0)
        .toUpperCase()
        .charCodeAt(0),
    ]) {
      if (code >= 128) folded[code] = to ?? 0;
    }
  }
  return { kind, folded };
}

function isUncased(code: number): boolean {
  if (code >= 0xd800 && code <= 0xf8ff) return false;
  if (code >= 0x3000 && code <= 0x303f) return false;
  if (code >= 0xfe00 && code <= 0xfe6f) return false;
  return !(code >= 0xff00 && code <= 0xff0f) && code < 0xfff0 && code !== 0xfeff;
}

const { kind, folded } = tables();
export { kind as kindOf, folded as foldedOf };
