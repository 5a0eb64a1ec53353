import { escapeJson, unescapeJson } from '../messages/messages.ts';
import type { Form } from './brackets.ts';
import { depthOf, inHtml, writeIn, type Context } from './contexts.ts';
import type { Label } from './labels.ts';

/**
 * The stored form of a value. Usually this is the value itself, which is written with JSON escapes inside a JSON
 * string. A value in a spelling that no JSON writer produces (`\u0041nna`, or a quotation mark that ends no string) is
 * kept as spelled, with its context, and is restored in the same spelling in that context.
 */
export type Stored = (
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'spelled'; readonly raw: string; readonly context: Context }
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
  return `${MARK}${stored.context}${stored.raw}`;
}

export function decodeStored(text: string): Stored {
  if (!text.startsWith(MARK)) return { kind: 'value', value: text };
  const raw = text.slice(2);
  if (text.charAt(1) === 'j') return decodeStored(JSON.parse(raw) as string);
  return text.charAt(1) === '0' ? { kind: 'value', value: raw } : { kind: 'spelled', raw, context: text.charAt(1) };
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

/** Writes a stored value in a context, for the form of its pseudonym. */
export function encodeAt(stored: Stored, context: Context, form: Form): string {
  const encode = ENCODERS[form];
  if (stored.kind === 'spelled' && stored.context === context && !encode) return stored.raw;
  const value = valueOf(stored);
  // What is encoded for the form has no character that a block of code must escape.
  return encode ? escapeJson(encode(value), depthOf(context)) : writeIn(context, value, form === 'escaped');
}

function valueOf(stored: Stored): string {
  if (stored.kind === 'value') return stored.value;
  return unescapeJson(stored.raw, depthOf(stored.context)) ?? stored.raw;
}

/** For any part of a URL, also in an attribute and in a link of Markdown. A mail address keeps its @, and an address its parts. */
function inUrl(value: string): string {
  const text = value.toWellFormed();
  const encoded = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
    ? encodeURI(text)
    : encodeURIComponent(text).replaceAll('%40', '@');
  return encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
