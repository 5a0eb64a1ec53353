import { createYielder, inSlices, type Steps } from '../eventLoop.ts';
import { JsonError, type Node, parseDocument, parsing, type TextKind } from '../messages/messages.ts';
import type {
  AnswerCounts,
  AnswerStream,
  CallContext,
  Guard,
  TextStream,
} from '../pseudonymization/pseudonymization.ts';
import type { ByteStream } from './contract.ts';
import { UnreadableAnswerError } from './errors.ts';
import { applyingEdits, type Edit } from './json/edits.ts';
import { hasNodeWithin } from './json/within.ts';
import type { Operation } from './operations.ts';
import { editingPlaces, logprobsEdits } from './rewrite.ts';
import { NOTHING, readEvent, type Delta, type EventReading, type Piece } from './stream/channels.ts';
import { ElementFramer } from './stream/elements.ts';
import type { Frame, Framer, NewEvent } from './stream/frames.ts';
import { LineFramer } from './stream/lines.ts';
import { SseFramer } from './stream/sse.ts';
import { eventBytesOf, eventWith, readAlike, templateOf, type EventBytes, type Template } from './stream/template.ts';
import { readingAnswer, type BodyContent } from './walk.ts';

/**
 * Restores an answer while it arrives: server-sent events, JSON lines, or the elements of a JSON array. An event without
 * changes keeps its bytes. Only what can still become a pseudonym is held back; an event of the same shape carries it
 * when its text ends.
 *
 * `push` and `end` reject with UnreadableAnswerError and the errors of the guard.
 */
export function restoreStream(
  operation: Operation,
  contentType: string | undefined,
  guard: Guard,
  context: CallContext,
): ByteStream {
  return new StreamRestorer(operation, framerOf(contentType), guard.stream(context));
}

/** Whether an answer consists of events that continue each other's texts, or of lines: {@link restoreStream}. */
export function isStream({ answersArray }: Operation, contentType = ''): boolean {
  if (answersArray === true && JSON_TYPE.test(contentType)) return true;
  return EVENT_STREAM.test(contentType) || /^\s*application\/(?:x-)?(?:jsonl|ndjson|jsonlines)\b/i.test(contentType);
}

const EVENT_STREAM = /^\s*text\/event-stream\b/i;
const JSON_TYPE = /^\s*application\/json\b/i;

/** The end of a stream of OpenAI's. */
const DONE = '[DONE]';

function framerOf(contentType = ''): Framer {
  if (EVENT_STREAM.test(contentType)) return new SseFramer();
  return JSON_TYPE.test(contentType) ? new ElementFramer() : new LineFramer();
}

/** A text that has not ended. */
interface OpenChannel {
  readonly text: TextStream;
  last: LastEvent;
  /** The name of the last event. */
  name: string | undefined;
}

/** The last event of a text, as JSON. Texts that share an event share this too. */
class LastEvent {
  private readonly data: string;
  private deltas: ReadonlyMap<string, Delta> | undefined;

  constructor(data: string) {
    this.data = data;
  }

  /** @returns an event of the same shape that adds a text to a channel and nothing else */
  with(channel: string, text: string): string {
    // Few events are needed again, so a stream keeps only the text until then.
    this.deltas ??= new Map(readEvent(parseDocument(this.data), this.data).deltas.map((one) => [one.channel, one]));
    const delta = this.deltas.get(channel);
    if (!delta) throw new Error('An event does not have the channel that it has continued.');
    return delta.eventWith(text);
  }
}

class StreamRestorer implements ByteStream {
  private readonly operation: Operation;
  private readonly framer: Framer;
  private readonly answer: AnswerStream;
  private readonly channels = new Map<string, OpenChannel>();
  /** The number of events. Lines of a file are answers of their own. */
  private lines = 0;
  /** Of the last event that was parsed. */
  private template: Template | undefined;
  /** Of the template. Made for the second event of a shape. */
  private bytes: EventBytes | undefined;

  constructor(operation: Operation, framer: Framer, answer: AnswerStream) {
    this.operation = operation;
    this.framer = framer;
    this.answer = answer;
  }

  push(chunk: Buffer): Buffer | Promise<Buffer> {
    return this.restoreChunk(chunk) ?? this.restoreAll(this.framer.push(chunk));
  }

  async end(): Promise<Buffer> {
    const frames = this.framer.end();
    const rest = await this.restoreAll(frames.slice(0, -1));
    const last = frames.at(-1);
    if (last?.data !== undefined && last.data !== DONE && !(await inSlices(parsingEvent(last.data)))) {
      throw new UnreadableAnswerError('ends in the middle of an event');
    }
    const frame = last ? await this.restore(last, true) : this.framer.insert(await this.flush(() => true), '');
    return Buffer.concat([rest, Buffer.from(frame)]);
  }

  counts(): AnswerCounts {
    return this.answer.counts();
  }

  /**
   * Restores a chunk that is one event, and differs from the last one in its piece of text only. Most chunks are, and need
   * neither be decoded nor wait.
   * @returns undefined if the chunk is not of this kind
   */
  private restoreChunk(chunk: Buffer): Buffer | Promise<Buffer> | undefined {
    const { template, bytes } = this;
    if (!template || !bytes) return undefined;
    const open = this.openFor(template);
    const piece = open && this.framer.readAlike?.(chunk, bytes.before, bytes.after);
    if (!open || piece === undefined) return undefined;
    const text = open.text.push(piece);
    const written = (restored: string): Buffer => (restored === piece ? chunk : eventWith(bytes, restored));
    return typeof text === 'string' ? written(text) : text.then(written);
  }

  private async restoreAll(frames: readonly Frame[]): Promise<Buffer> {
    let restored = '';
    // A file, or a stream that was collected, has all its events in one chunk.
    const yieldIfDue = createYielder();
    for (const frame of frames) {
      const pause = yieldIfDue();
      if (pause) await pause;
      const one = this.restoreAlike(frame) ?? this.restore(frame);
      restored += typeof one === 'string' ? one : await one;
    }
    return Buffer.from(restored);
  }

  /**
   * Restores an event that differs from the last one in its piece of text only. Most events do, and need not wait.
   * @returns undefined if the event is not of this kind
   */
  private restoreAlike(frame: Frame): string | Promise<string> | undefined {
    const { template } = this;
    const { data, name } = frame;
    const delta = data === undefined ? undefined : readAlike(template, data);
    if (data === undefined || !template || !delta) return undefined;
    const open = this.openFor(template);
    if (!open) return this.restoreReading(frame, data, { deltas: [delta], ends: template.ends });
    // Its last event has the same shape.
    open.name = name;
    this.bytes ??= eventBytesOf(template, frame);
    const text = open.text.push(delta.node.value);
    const written = (restored: string): string => withPiece(frame, data, delta, restored);
    return typeof text === 'string' ? written(text) : text.then(written);
  }

  /** @returns the text that an event of a template continues; undefined if it begins or ends one */
  private openFor({ channel, ends }: Template): OpenChannel | undefined {
    const open = this.channels.get(channel);
    return open && !this.channels.keys().some(ends) ? open : undefined;
  }

  /** @param isLast nothing follows: every text ends */
  private async restore(frame: Frame, isLast = false): Promise<string> {
    const { data } = frame;
    const reading = data === undefined ? undefined : inSlices(parsingEvent(data));
    const root = reading instanceof Promise ? await reading : reading;
    if (data !== undefined && root) return this.restoreEvent(frame, data, root, isLast);
    const before = isLast || data === DONE ? await this.flush(() => true) : [];
    const text = data === undefined ? data : await this.whole(data, 'text');
    return this.framer.insert(before, text === undefined || text === data ? frame.raw : frame.withData(text));
  }

  private async restoreEvent(frame: Frame, data: string, root: Node, isLast: boolean): Promise<string> {
    this.lines += 1;
    // The lines of a file do not continue each other, whatever their shape.
    const reading = this.operation.answersLines === true ? NOTHING : readEvent(root, data);
    const { deltas } = reading;
    const isKnown = this.operation.api !== 'unknown' || deltas.length > 0;
    const found = inSlices(readingAnswer({ root, text: data, members: this.operation.members }, isKnown));
    const content = found instanceof Promise ? await found : found;
    const pieces = deltas.map(({ node }) => node).sort((a, b) => a.start - b.start);
    const places = content.places.filter((place) => !hasNodeWithin(pieces, place));
    const rest = { ...content, places };
    this.template = templateOf(data, reading, rest);
    this.bytes = undefined;
    return this.restoreReading(frame, data, isLast ? { deltas, ends: () => true } : reading, rest);
  }

  /** @param content what the event has besides the deltas; absent: no text */
  private async restoreReading(
    frame: Frame,
    data: string,
    reading: EventReading<Piece>,
    content: Pick<BodyContent, 'places' | 'logprobs'> = NO_CONTENT,
  ): Promise<string> {
    const { deltas, ends } = reading;
    const lastOf = new Map(deltas.map((delta) => [delta.channel, delta]));
    const flushed = this.flush((channel) => ends(channel) && !lastOf.has(channel));
    // Most events end nothing, and need not wait.
    const before = flushed === NO_EVENTS ? NO_EVENTS : await flushed;
    const edits = await this.restoreDeltas(reading, lastOf, data, frame.name);
    const texts: string[] = [];
    for (const { text, kind } of content.places) texts.push(await this.whole(text, kind));
    for (const edit of await inSlices(editingPlaces(content.places, texts))) edits.push(edit);
    if (edits.length === 0) return this.framer.insert(before, frame.raw);
    edits.sort((a, b) => a.start - b.start);
    const changed = await inSlices(applyingEdits(data, [...edits, ...logprobsEdits(content, edits)]));
    return this.framer.insert(before, frame.withData(changed));
  }

  private async restoreDeltas(
    { deltas, ends }: EventReading<Piece>,
    lastOf: ReadonlyMap<string, Piece>,
    data: string,
    name: string | undefined,
  ): Promise<Edit[]> {
    const edits: Edit[] = [];
    const last = new LastEvent(data);
    for (const delta of deltas) {
      const { channel, kind, node } = delta;
      const open = this.channels.get(channel) ?? { text: this.answer.text(kind, partOf(channel)), last, name };
      open.last = last;
      open.name = name;
      this.channels.set(channel, open);
      let text = await open.text.push(node.value);
      if (ends(channel) && lastOf.get(channel) === delta) {
        text += await open.text.end();
        this.channels.delete(channel);
      }
      if (text !== node.value) edits.push({ start: node.start, end: node.end, text: JSON.stringify(text) });
    }
    return edits;
  }

  /** Ends channels. @returns events with what was held back */
  private flush(isEnded: (channel: string) => boolean): Promise<NewEvent[]> | readonly NewEvent[] {
    const ended = [...this.channels.keys()].filter(isEnded);
    return ended.length === 0 ? NO_EVENTS : this.endAll(ended);
  }

  private async endAll(ended: readonly string[]): Promise<NewEvent[]> {
    const events: NewEvent[] = [];
    for (const channel of ended) {
      const open = this.channels.get(channel);
      if (!open) continue;
      this.channels.delete(channel);
      const rest = await open.text.end();
      if (rest !== '') events.push({ data: open.last.with(channel, rest), name: open.name });
    }
    return events;
  }

  private async whole(text: string, kind: TextKind): Promise<string> {
    if (kind === 'address') return text;
    const stream = this.answer.text(kind, this.operation.answersLines === true ? `line ${this.lines}` : '');
    return (await stream.push(text)) + (await stream.end());
  }
}

/** The part of an answer whose texts a client can join: a choice, or all blocks of a message. */
function partOf(channel: string): string {
  return /^(?:choice|candidate) \d+/.exec(channel)?.[0] ?? '';
}

/** Writes an event that has nothing to restore but its piece of text. */
function withPiece({ raw, withData }: Frame, data: string, { node }: Piece, text: string): string {
  if (text === node.value) return raw;
  return withData(data.slice(0, node.start) + JSON.stringify(text) + data.slice(node.end));
}

const NO_EVENTS: readonly NewEvent[] = [];
const NO_CONTENT = { places: [], logprobs: [] };

function* parsingEvent(data: string): Steps<Node | undefined> {
  try {
    return (yield* parsing(data)).root;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
