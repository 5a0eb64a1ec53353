/** Whether a text contains surrogate pairs. */
const hasPairs = (text: string): boolean => /[\ud800-\udbff][\udc00-\udfff]/.test(text);

/**
 * Creates a function that converts offsets in code points to offsets in UTF-16 code units of one text. Offsets beyond the
 * end become the end.
 */
export function toUtf16(text: string): (offset: number) => number {
  if (!hasPairs(text)) return (offset) => Math.min(offset, text.length);
  const starts: number[] = [];
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) starts.push(at);
  return (offset) => starts[offset] ?? text.length;
}

/** Creates a function that converts offsets in UTF-16 code units to offsets in code points of one text. */
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
