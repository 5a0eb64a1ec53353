/** Whether a text has characters of two UTF-16 code units. */
const hasPairs = (text: string): boolean => /[\ud800-\udbff][\udc00-\udfff]/.test(text);

/**
 * Offsets in code points to offsets in UTF-16 code units, for one text.
 * @returns a function that takes ascending or any offsets; those beyond the end become the end.
 */
export function toUtf16(text: string): (offset: number) => number {
  if (!hasPairs(text)) return (offset) => Math.min(offset, text.length);
  const starts: number[] = [];
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) starts.push(at);
  return (offset) => starts[offset] ?? text.length;
}

/** Offsets in UTF-16 code units to offsets in code points, for one text. */
export function toCodePoints(text: string): (offset: number) => number {
  if (!hasPairs(text)) return (offset) => Math.min(offset, text.length);
  const points = new Int32Array(text.length + 1);
  let point = 0;
  for (let at = 0; at < text.length; point++) {
    const units = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    points[at] = point;
    if (units === 2) points[at + 1] = point;
    at += units;
  }
  points[text.length] = point;
  return (offset) => points[Math.min(offset, text.length)] ?? 0;
}
