import { createYielder, inSlices, type Steps } from '../eventLoop.ts';
import { processDigest } from '../processDigest.ts';
import { TooManyValuesError, type Detector, type DetectOptions, type Span } from './contract.ts';

/** Total size of what is remembered: about 15,000 messages of a chat. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Longer texts are read again. Their digest would block the event loop for milliseconds. */
const MAX_TEXT = 1024 * 1024;
/** Estimated memory of a text and of each of its spans. */
const ENTRY_BYTES = 256;
const SPAN_BYTES = 96;

/**
 * Remembers the spans that a detector finds in the texts of a scope, so that a chat history and a system prompt are read
 * once, and not again with each message. Only for a detector that finds the same in the same text at any time.
 *
 * It stands before the policy: a changed policy, team or allow list decides about the same spans. Only calls with a scope
 * use it: a fast answer tells the callers of the scope that one of them has sent the same text before.
 *
 * It keeps offsets, and digests that only this process can compute, but no text. Least recently used texts are forgotten.
 */
export function withSpanCache(detector: Detector, maxBytes = MAX_BYTES): Detector {
  const cache = new SpanCache(maxBytes);
  return {
    name: detector.name,
    async detect(texts, options) {
      // What is remembered has no evidence.
      if (options.trace !== undefined) return detector.detect(texts, options);
      const yieldIfDue = createYielder();
      const keys = await inSlices(keysOf(texts, options), yieldIfDue);
      const known = await inSlices(knownSpans(cache, keys), yieldIfDue);
      const unknown = texts.filter((_, at) => !known[at]);
      const found = unknown.length > 0 ? await detector.detect(unknown, options) : [];
      const spans = await inSlices(remembering(cache, keys, known, found), yieldIfDue);
      TooManyValuesError.check(spans.reduce((sum, { length }) => sum + length, 0));
      return spans;
    },
    state: () => detector.state(),
    close: () => detector.close(),
  };
}

type Key = string | undefined;

function* knownSpans(cache: SpanCache, keys: readonly Key[]): Steps<(Span[] | undefined)[]> {
  const known: (Span[] | undefined)[] = [];
  for (const key of keys) {
    known.push(cache.get(key));
    yield;
  }
  return known;
}

/** Remembers what was found in the texts that were not known. @returns the spans of all texts */
function* remembering(
  cache: SpanCache,
  keys: readonly Key[],
  known: readonly (Span[] | undefined)[],
  found: readonly Span[][],
): Steps<Span[][]> {
  const spans: Span[][] = [];
  let next = 0;
  for (const [at, one] of known.entries()) {
    const own = one ?? found[next++] ?? [];
    if (!one) cache.set(keys[at], own);
    spans.push(own);
    yield;
  }
  return spans;
}

/** The name of each text; undefined if it is not remembered. */
function* keysOf(texts: readonly string[], { scope, recall, minRecall }: DetectOptions): Steps<Key[]> {
  if (scope === undefined) return texts.map(() => undefined);
  // Each part says where it ends, so no two lists and texts have the same name.
  const prefix = `${scope.length} ${scope} ${recall} ${minRecall ?? ''} `;
  const keys: Key[] = [];
  for (const text of texts) {
    yield;
    // Without its lone surrogates, a text could have the digest of another one.
    keys.push(text.length <= MAX_TEXT && text.isWellFormed() ? processDigest(prefix + text) : undefined);
  }
  return keys;
}

class SpanCache {
  /** Least recently used first. */
  private readonly entries = new Map<string, Span[]>();
  /** A new iterator would pass over all deleted texts at each call: Map keeps their places for a while. */
  private oldest = this.entries.keys();
  private readonly maxBytes: number;
  private bytes = 0;
  /** Moves nowhere when it is used again. */
  private newest: string | undefined;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get(key: string | undefined): Span[] | undefined {
    if (key === undefined) return undefined;
    const spans = this.entries.get(key);
    if (!spans) return undefined;
    if (key !== this.newest) {
      this.entries.delete(key);
      this.entries.set(key, spans);
      this.newest = key;
    }
    return [...spans];
  }

  set(key: string | undefined, spans: readonly Span[]): void {
    if (key === undefined || this.entries.has(key)) return;
    // A copy of each field: nothing else that a span may have is kept.
    const copies = spans.map(({ start, end, type, score, detector, rule }) => ({
      start,
      end,
      type,
      score,
      detector,
      rule,
    }));
    this.entries.set(key, copies);
    this.newest = key;
    this.bytes += sizeOf(copies);
    while (this.bytes > this.maxBytes && this.entries.size > 0) this.forgetOldest();
  }

  private forgetOldest(): void {
    const { value: oldest } = this.oldest.next();
    if (oldest === undefined) {
      // It had passed the last text when that was forgotten.
      this.oldest = this.entries.keys();
      return;
    }
    this.bytes -= sizeOf(this.entries.get(oldest) ?? []);
    this.entries.delete(oldest);
  }
}

function sizeOf(spans: readonly Span[]): number {
  return ENTRY_BYTES + spans.length * SPAN_BYTES;
}
