import { escapeJson, unescapeJson } from '../messages/messages.ts';

/**
 * The stored form of a value. Usually this is the value itself, which is written with JSON escapes inside a JSON
 * string. A value in a spelling that no JSON writer produces (`\u0041nna`, or a quotation mark that ends no string) is
 * kept as spelled, with its depth of JSON strings, and is restored in the same spelling at that depth.
 */
export type Stored =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'spelled'; readonly raw: string; readonly depth: number };

/** A control character that texts rarely begin with. A value that begins with it is kept as spelled at depth 0. */
const MARK = '\u0000';

export function encodeStored(stored: Stored): string {
  const text = encode(stored);
  // The store writes UTF-8, which cannot encode lone surrogates. JSON escapes can.
  return text.isWellFormed() ? text : `${MARK}j${JSON.stringify(text)}`;
}

function encode(stored: Stored): string {
  if (stored.kind === 'value') return stored.value.startsWith(MARK) ? `${MARK}0${stored.value}` : stored.value;
  return `${MARK}${stored.depth}${stored.raw}`;
}

export function decodeStored(text: string): Stored {
  if (!text.startsWith(MARK)) return { kind: 'value', value: text };
  const raw = text.slice(2);
  if (text.charAt(1) === 'j') return decodeStored(JSON.parse(raw) as string);
  return text.charAt(1) === '0'
    ? { kind: 'value', value: raw }
    : { kind: 'spelled', raw, depth: Number(text.charAt(1)) };
}

/** Writes a stored value at a depth of JSON strings. @param ascii also escapes every character outside ASCII */
export function encodeAt(stored: Stored, depth: number, ascii = false): string {
  if (stored.kind === 'value') return escapeJson(stored.value, depth, ascii);
  if (stored.depth === depth) return stored.raw;
  return escapeJson(unescapeJson(stored.raw, stored.depth) ?? stored.raw, depth, ascii);
}

/** Whether a text is written the same way at every depth of JSON strings. */
export function isPlain(text: string): boolean {
  return !/["\\\u0000-\u001f\ud800-\udfff]/.test(text);
}
