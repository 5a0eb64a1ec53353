import { escapeJson, unescapeJson } from '../messages/messages.ts';

/**
 * What the store keeps for a pseudonym. Nearly always the value itself, which is written with JSON's escapes wherever it
 * stands inside a JSON string. A value that no JSON writer spells so (`\u0041nna`, or a quotation mark that ends no
 * string) is kept as it was spelled, with the depth of JSON strings it stood in, and comes back as spelled there.
 */
export type Stored =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'spelled'; readonly raw: string; readonly depth: number };

/** A control character that no text begins with; a value that does is kept as spelled at depth 0. */
const MARK = '\u0000';

export function encodeStored(stored: Stored): string {
  const text = encode(stored);
  // A store writes UTF-8, which has no lone surrogates; JSON's escapes keep them.
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

/** How it is written at a depth of JSON strings. @param ascii with every character outside ASCII escaped too */
export function encodeAt(stored: Stored, depth: number, ascii = false): string {
  if (stored.kind === 'value') return escapeJson(stored.value, depth, ascii);
  if (stored.depth === depth) return stored.raw;
  return escapeJson(unescapeJson(stored.raw, stored.depth) ?? stored.raw, depth, ascii);
}

/** Whether how a text is written depends on the depth of JSON strings it stands in. */
export function isPlain(text: string): boolean {
  return !/["\\\u0000-\u001f\ud800-\udfff]/.test(text);
}
