import { escapeJson, unescapeJson } from '../messages/messages.ts';
import type { Form } from './brackets.ts';
import type { Label } from './labels.ts';

/**
 * The stored form of a value. Usually this is the value itself, which is written with JSON escapes inside a JSON
 * string. A value in a spelling that no JSON writer produces (`\u0041nna`, or a quotation mark that ends no string) is
 * kept as spelled, with its depth of JSON strings, and is restored in the same spelling at that depth.
 */
export type Stored = (
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'spelled'; readonly raw: string; readonly depth: number }
) & {
  /** The label of its pseudonym, where an answer has another one with the same code. */
  readonly label?: Label;
};

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

/**
 * How a value is written for the form of its pseudonym. A model that writes the brackets as entities or in percent-encoding has
 * encoded the text there, so the value must be encoded as well.
 */
const ENCODERS: Partial<Record<Form, (value: string) => string>> = {
  entity: inHtml,
  entityTwice: (value) => inHtml(inHtml(value)),
  percent: inUrl,
  percentTwice: (value) => encodeURIComponent(inUrl(value)),
};

/** Writes a stored value at a depth of JSON strings, for the form of its pseudonym. */
export function encodeAt(stored: Stored, depth: number, form: Form): string {
  const encode = ENCODERS[form];
  const isAscii = form === 'escaped';
  if (stored.kind === 'spelled' && stored.depth === depth && !encode) return stored.raw;
  const value = stored.kind === 'value' ? stored.value : (unescapeJson(stored.raw, stored.depth) ?? stored.raw);
  return escapeJson(encode ? encode(value) : value, depth, isAscii);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For texts and attributes of HTML and XML. */
function inHtml(value: string): string {
  return value.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** For any part of a URL, also in an attribute and in a link of Markdown. A mail address keeps its @, and an address its parts. */
function inUrl(value: string): string {
  const text = value.toWellFormed();
  const encoded = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
    ? encodeURI(text)
    : encodeURIComponent(text).replaceAll('%40', '@');
  return encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Whether a text is written the same way at every depth of JSON strings. */
export function isPlain(text: string): boolean {
  return !/["\\\u0000-\u001f\ud800-\udfff]/.test(text);
}
