const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/** The length of a text in code points, as Python counts it. */
export function codePointLength(text: string): number {
  // Most texts have no pairs, which the pattern tells far faster than a loop.
  if (!PAIR.test(text)) return text.length;
  let length = text.length;
  for (let at = 0; at < text.length; at += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) length -= 1;
  return length;
}
