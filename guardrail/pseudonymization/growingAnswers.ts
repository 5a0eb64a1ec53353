import type { SessionId } from '../ids.ts';
import { beginningDigests, processDigest } from '../processDigest.ts';
import { Recent } from '../recent.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { CallContext, ResponseDocument } from './contract.ts';
import type { Grammar } from './grammar.ts';
import { isHighSurrogate } from './held.ts';

/** Total size of what is remembered: the streams of several hundred calls. */
const MAX_BYTES = 4 * 1024 * 1024;
/** How long the state of an answer is kept after the last call. Gateways do not tell which call is the last one. */
const MAX_AGE_MS = 60_000;
/** Shorter texts are restored from the beginning, which takes less than 0.05 ms. */
const MIN_LENGTH = 2000;
/** A text for each choice of an answer. */
const MAX_TEXTS = 16;
/** Calls with several texts that are remembered, for the time of a stream. */
const MAX_CALLS = 5000;
/** Estimated memory of an entry and of each pseudonym in its text. */
const ENTRY_BYTES = 512;
const MATCH_BYTES = 256;

/** The texts of one call that may continue those of an earlier call. */
export interface GrowingTexts {
  has(text: string): boolean;
  /** The checkpoint from which a text continues; undefined: it is restored from the beginning. */
  checkpointOf(text: string): Checkpoint | undefined;
  keep(text: string, checkpoint: Checkpoint): void;
}

/** For tests. */
export interface GrowingAnswersOptions {
  readonly maxBytes?: number;
  readonly minLength?: number;
  readonly now?: () => number;
}

interface Entry {
  readonly checkpoint: Checkpoint;
  /** The length and the digest of the whole text: what follows the checkpoint has decided about its place. */
  readonly length: number;
  readonly digest: string;
  readonly grammar: Grammar;
  readonly bytes: number;
  readonly keptAt: number;
}

interface GrowingText {
  readonly key: string;
  readonly digestTo: (place: number) => string;
  readonly checkpoint: Checkpoint | undefined;
}

/**
 * Remembers how far the streamed answers of calls are restored. LiteLLM sends all text so far at each step of a stream: without
 * this, the time for an answer would be quadratic in its length.
 *
 * A text continues only an earlier text that is its beginning, by their digests, and only with the grammar and the values with
 * which that was restored. The values are read from the store at each call, so that an erased one is not restored. What is
 * remembered therefore decides how fast an answer is restored, and never what is in it.
 */
export class GrowingAnswers {
  /** Least recently used first. */
  private readonly entries = new Map<string, Entry>();
  private readonly options: Required<GrowingAnswersOptions>;
  /** Calls with several texts. */
  private readonly calls = new Recent<true>(MAX_CALLS);
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor({ maxBytes = MAX_BYTES, minLength = MIN_LENGTH, now = Date.now }: GrowingAnswersOptions = {}) {
    this.options = { maxBytes, minLength, now };
  }

  /** @returns undefined if the answer cannot continue an earlier one */
  textsOf(
    { texts, passages, structuredMessages, toolCalls }: ResponseDocument,
    session: SessionId,
    { identity: { callId }, mayShow }: CallContext,
    grammar: Grammar,
  ): GrowingTexts | undefined {
    const isOther = (passages ?? structuredMessages ?? toolCalls ?? mayShow) !== undefined;
    if (isOther || !callId || texts.length > MAX_TEXTS) return undefined;
    const growing = new Map<string, GrowingText>();
    for (const [at, text] of texts.entries()) {
      // Without its lone surrogates, a text could have the digest of another one.
      if (text.length < this.options.minLength || !text.isWellFormed() || growing.has(text)) continue;
      const key = processDigest(JSON.stringify([session, callId, at]));
      growing.set(text, { key, ...this.find(key, text, grammar) });
    }
    if (growing.size === 0) return undefined;
    return {
      has: (text) => growing.has(text),
      checkpointOf: (text) => growing.get(text)?.checkpoint,
      keep: (text, checkpoint) => {
        const known = growing.get(text);
        if (!known) return;
        const bytes = sizeOf(checkpoint);
        this.set(known.key, {
          checkpoint,
          length: text.length,
          digest: known.digestTo(text.length),
          grammar,
          bytes,
          keptAt: this.options.now(),
        });
      },
    };
  }

  /**
   * Whether an earlier call has shown texts of the same answer. Only a stream is shown several times, and its texts are choices,
   * which no client joins. Remembers the call.
   */
  isStreamOfChoices({ texts }: ResponseDocument, session: SessionId, { identity: { callId } }: CallContext): boolean {
    if (!callId || texts.length < 2) return false;
    const call = processDigest(JSON.stringify([session, callId]));
    const isKnown = this.calls.get(call) !== undefined;
    this.calls.set(call, true);
    return isKnown;
  }

  /** The size of what is remembered, in bytes. */
  get size(): number {
    return this.bytes;
  }

  private find(key: string, text: string, grammar: Grammar): Omit<GrowingText, 'key'> {
    const entry = this.entries.get(key);
    if (entry?.grammar === grammar && canEndAt(text, entry.length)) {
      const digestTo = beginningDigests(text);
      if (digestTo(entry.length) === entry.digest) return { digestTo, checkpoint: entry.checkpoint };
    }
    return { digestTo: beginningDigests(text), checkpoint: undefined };
  }

  private set(key: string, entry: Entry): void {
    this.drop(key);
    // One answer must not displace all others.
    if (entry.bytes > this.options.maxBytes / 2) return;
    this.entries.set(key, entry);
    this.bytes += entry.bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.options.maxBytes) break;
      this.drop(oldest);
    }
    this.expireLater();
  }

  private drop(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }

  /** Drops what is too old. */
  expire(): void {
    const oldest = this.options.now() - MAX_AGE_MS;
    for (const [key, { keptAt }] of this.entries) {
      if (keptAt > oldest) break;
      this.drop(key);
    }
  }

  private expireLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.expire();
      if (this.entries.size > 0) this.expireLater();
    }, MAX_AGE_MS).unref();
  }
}

/** Whether a text has a beginning of a length. Half of a surrogate pair at its end would have the digest of U+FFFD. */
function canEndAt(text: string, length: number): boolean {
  return length <= text.length && !isHighSurrogate(text.charCodeAt(length - 1));
}

function sizeOf({ matches, state }: Checkpoint): number {
  return ENTRY_BYTES + MATCH_BYTES * matches.length + 2 * state.length;
}
