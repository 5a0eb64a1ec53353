/**
 * Converts the last `units` UTF-16 code units of a text to code points, which gateways written in Python count. A split
 * surrogate pair counts as one.
 */
export function trailingCodePoints(text: string, units: number): number {
  let points = 0;
  let at = text.length;
  const end = Math.max(0, text.length - units);
  while (at > end) {
    at -= isLow(text.charCodeAt(at - 1)) && at > 1 && isHigh(text.charCodeAt(at - 2)) ? 2 : 1;
    points += 1;
  }
  return points;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
