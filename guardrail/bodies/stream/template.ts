/** Most events of a stream differ from the one before in their piece of text only. They need no parser. */
import type { Frame } from './frames.ts';
import type { BodyContent } from '../walk.ts';
import type { EventReading, Piece } from './channels.ts';

/** An event with one piece of text and no other text. */
export interface Template {
  /** The event around the piece. */
  readonly head: string;
  readonly tail: string;
  readonly channel: Piece['channel'];
  readonly kind: Piece['kind'];
  readonly ends: EventReading['ends'];
}

/** A whole event of a template, as bytes before and after its piece. Most events are one chunk, and need no decoder either. */
export interface EventBytes {
  readonly before: Buffer;
  readonly after: Buffer;
}

/** @returns undefined if the frame has more than its data and constant text around it */
export function eventBytesOf({ head, tail }: Template, { around }: Frame): EventBytes | undefined {
  if (!around) return undefined;
  return { before: ownBytes(`${around[0]}${head}"`), after: ownBytes(`"${tail}${around[1]}`) };
}

/** Writes an event with a text in place of its piece. */
export function eventWith({ before, after }: EventBytes, text: string): Buffer {
  return Buffer.concat([before, Buffer.from(JSON.stringify(text).slice(1, -1)), after]);
}

/** Without the pool that small buffers share: a stream that stays open would keep all of it. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** A string of JSON without escapes. */
const PLAIN_STRING = /^"[^"\\\u0000-\u001f]*"$/;

/** @returns undefined if the event has other texts, so that another piece could change more than itself */
export function templateOf(
  data: string,
  { deltas, ends }: EventReading,
  { places, logprobs }: Pick<BodyContent, 'places' | 'logprobs'>,
): Template | undefined {
  const [delta] = deltas;
  const hasTokens = logprobs.some(({ node }) => node.kind !== 'scalar');
  if (!delta || deltas.length > 1 || places.length > 0 || hasTokens) return undefined;
  const { channel, kind, node } = delta;
  return { head: data.slice(0, node.start), tail: data.slice(node.end), channel, kind, ends };
}

/** @returns the piece of an event; undefined if it is not the template with another piece */
export function readAlike(template: Template | undefined, data: string): Piece | undefined {
  if (!template) return undefined;
  const { head, tail, channel, kind } = template;
  const [start, end] = [head.length, data.length - tail.length];
  if (end < start || !data.startsWith(head) || !data.endsWith(tail)) return undefined;
  const token = data.slice(start, end);
  if (!PLAIN_STRING.test(token)) return undefined;
  return { channel, kind, node: { kind: 'string', start, end, value: token.slice(1, -1) } };
}
