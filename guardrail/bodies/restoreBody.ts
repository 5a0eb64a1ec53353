import { JsonError, parsing } from '../messages/messages.ts';
import { inSlices, type Steps } from '../eventLoop.ts';
import type { CallContext, Guard } from '../pseudonymization/pseudonymization.ts';
import type { RestoredBody } from './contract.ts';
import { UnreadableAnswerError } from './errors.ts';
import { applyingEdits } from './json/edits.ts';
import { joined } from './lists.ts';
import type { Operation } from './operations.ts';
import { isStream, restoreStream } from './restoreStream.ts';
import { editingPlaces, logprobsEdits } from './rewrite.ts';
import { decodeUtf8 } from './text.ts';
import { readingAnswer, type BodyContent, type Place } from './walk.ts';

const UNCHANGED = { restored: 0, withheld: 0, unknown: 0, isEnumeration: false };

/**
 * Restores an answer that arrived as a whole. JSON is restored in place, another text as one text; other bytes, such as
 * sound or images, pass. The tokens of a text that changed (`logprobs`) are dropped, because they spell pseudonyms.
 * @throws UnreadableAnswerError, and the errors of {@link Guard.response}
 */
export async function restoreBody(
  operation: Operation,
  body: Buffer,
  contentType: string | undefined,
  guard: Guard,
  context: CallContext,
): Promise<RestoredBody> {
  if (isStream(operation, contentType)) {
    const stream = restoreStream(operation, contentType, guard, context);
    const restored = Buffer.concat([await stream.push(body), await stream.end()]);
    return { body: restored, counts: stream.counts() };
  }
  const pieces = body.length === 0 ? [] : await inSlices(read(operation, body, contentType));
  if (pieces.length === 0) return { body, counts: UNCHANGED };
  // Lines are answers of their own.
  const places = joined(
    pieces.map(({ content }, answer) =>
      pieces.length === 1 ? content.places : content.places.map((place) => ({ ...place, answer })),
    ),
  );
  const outcome = await guard.response({ texts: [], passages: places }, context);
  const { passages = places, restored, withheld, unknown, isEnumeration = false } = outcome;
  return {
    body: restored === 0 ? body : await inSlices(rewriting(pieces, passages)),
    counts: { restored, withheld, unknown, isEnumeration },
  };
}

function* rewriting(pieces: readonly Piece[], passages: readonly Pick<Place, 'text'>[]): Steps<Buffer> {
  const written: string[] = [];
  let next = 0;
  for (const { text, content } of pieces) {
    const texts = passages.slice(next, (next += content.places.length)).map((passage) => passage.text);
    const edits = yield* editingPlaces(content.places, texts);
    written.push(edits.length === 0 ? text : yield* applyingEdits(text, [...edits, ...logprobsEdits(content, edits)]));
    yield;
  }
  return Buffer.from(written.join(''));
}

/** A part of an answer that is restored on its own. */
interface Piece {
  readonly text: string;
  readonly content: BodyContent;
}

/** @returns nothing for an answer without texts */
function* read(operation: Operation, body: Buffer, contentType: string | undefined): Steps<Piece[]> {
  const type = typeOf(operation, contentType, body);
  const text = type === 'binary' ? undefined : decodeUtf8(body);
  // A file with another content than lines.
  if (type === 'binary' || (text === undefined && type === 'lines')) return [];
  if (text === undefined) throw new UnreadableAnswerError('is not valid UTF-8');
  switch (type) {
    case 'json':
      return [{ text, content: yield* jsonContent(operation, text) }];
    case 'lines':
      return yield* linesOf(operation, text);
    case 'text':
      return [{ text, content: wholeText(text) }];
  }
}

function typeOf(
  { answersLines }: Operation,
  contentType: string | undefined,
  body: Buffer,
): 'json' | 'lines' | 'text' | 'binary' {
  const [type = ''] = (contentType ?? (looksLikeJson(body) ? 'application/json' : '')).toLowerCase().split(';');
  if (/^\s*application\/(?:[a-z0-9.+-]*\+)?json\s*$/.test(type)) return 'json';
  if (answersLines === true || /^\s*application\/(?:x-)?(?:jsonl|ndjson|jsonlines)\s*$/.test(type)) return 'lines';
  return /^\s*(?:text\/|application\/(?:xml|yaml|x-www-form-urlencoded)\s*$)/.test(type) ? 'text' : 'binary';
}

function looksLikeJson(body: Buffer): boolean {
  return /^\s*[[{]/.test(body.toString('latin1', 0, 64));
}

function* jsonContent({ members, api }: Operation, text: string): Steps<BodyContent> {
  try {
    // A byte order mark stays, and counts as a space.
    const { root } = yield* parsing(text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text);
    return yield* readingAnswer({ root, text, members }, api !== 'unknown');
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // Embeddings have millions of numbers. They are restored as one text.
    if (error.problem === 'too_many_values') return wholeText(text, 'arguments');
    throw new UnreadableAnswerError('is not valid JSON within the limits');
  }
}

function* linesOf(operation: Operation, text: string): Steps<Piece[]> {
  const pieces: Piece[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    pieces.push({ text: line, content: yield* lineContent(operation, line) });
    yield;
  }
  return pieces;
}

function* lineContent(operation: Operation, line: string): Steps<BodyContent> {
  try {
    return yield* jsonContent(operation, line);
  } catch (error) {
    if (error instanceof UnreadableAnswerError) return wholeText(line);
    throw error;
  }
}

function wholeText(text: string, kind: 'text' | 'arguments' = 'text'): BodyContent {
  return {
    places: [{ text, kind, start: 0, end: text.length, form: 'json' }],
    images: [],
    hasFiles: false,
    logprobs: [],
  };
}
