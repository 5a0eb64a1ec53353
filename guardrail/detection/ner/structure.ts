import type { Span } from '../contract.ts';
import { schemaTypes } from '../words/code.ts';

type Place = Pick<Span, 'start' | 'end'>;

/** How much of a text is read before and after a name, in UTF-16 code units. */
const WIDTH = 160;

/** The parts of a quoted string before and after a name, also with escaped quotes as in JSON within JSON. */
const opening = /\\{0,3}["'](?<content>[^"'\\\n]{0,64})$/;
const closing = /^(?<content>[^"'\\\n]{0,64})\\{0,3}["'](?<colon>\s{0,4}:)?/;

/** A key that does not look like a name: `iban`, `accountHolder`, `order_id`. */
const identifier = /^(?![A-Z][a-z]+$)[A-Za-z\d_.$-]+$/;

/** The key of a title, and the type of a field beside it in a schema: `"title": "Account Holder", "type": "string"`. */
const titleKey = /\btitle\\{0,3}["']\s{0,4}:\s{0,4}$/;
const fieldType = new RegExp(String.raw`["']type\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["'](?:${schemaTypes})\\{0,3}["']`);

/**
 * Whether a name is structure: the key of an object or of a query, the title of a field in a schema, or a part of a constant such
 * as `SECRET_KEY`. Programs read these. A key that looks like a name, such as `"Anna"` or `"Anna Schmidt"`, is not structure.
 */
export function isStructure(text: string, { start, end }: Place): boolean {
  const name = text.slice(start, end);
  const isParameter = /[?&]/.test(text.charAt(start - 1)) && text.charAt(end) === '=';
  const isJoined = text.charAt(start - 1) === '_' || text.charAt(end) === '_';
  if (isParameter || (isJoined && !/\p{Ll}/u.test(name))) return true;
  const before = text.slice(Math.max(0, start - WIDTH), start);
  const after = text.slice(end, end + WIDTH);
  const opened = opening.exec(before);
  const closed = opened && closing.exec(after);
  if (!opened || !closed) return false;
  if (closed.groups?.colon !== undefined)
    return identifier.test(`${opened.groups?.content ?? ''}${name}${closed.groups.content ?? ''}`);
  return titleKey.test(before.slice(0, opened.index)) && (fieldType.test(before) || fieldType.test(after));
}
