import { createStepCounter, STEP_UNITS, type Steps } from '../eventLoop.ts';
import type { Pseudonym } from '../ids.ts';
import type { TextKind } from '../messages/messages.ts';
import { checkpointOf, restoredBeginning, type Checkpoint, type WrittenValue } from './checkpoint.ts';
import type { Stored } from './encoding.ts';
import { CONTEXT, isHighSurrogate } from './held.ts';
import type { Budget } from './limits.ts';
import { Restorer, type Reading, type SavedRestorer, type Tally } from './restorer.ts';
import type { ScannedText } from './scan.ts';

export interface Restored {
  readonly text: string;
  /** The holdback: how many code units at the end of `text` a longer response could still change. */
  readonly holdback: number;
  /** Number of pseudonyms replaced by values. */
  readonly restored: number;
  /** Number of known pseudonyms kept because they are in an address that a renderer loads. */
  readonly withheld: number;
  /** The places of those in the original text. */
  readonly kept: ReadonlySet<number>;
  /** Upper bound of the size of `text`. */
  readonly bytes: number;
  /** Only of a text that may grow: see {@link file://./scan.ts}. */
  readonly checkpoint?: Checkpoint | undefined;
}

/** Where a pass begins. */
export interface Beginning {
  readonly reading: Reading;
  /** The state of the checkpoint from which the text continues. Undefined: the pass begins with the text. */
  readonly saved?: SavedRestorer | undefined;
}

/** Replaces the known pseudonyms of a text by their values, in one pass: see {@link Restorer}. */
export function* putValues(
  scanned: ScannedText,
  values: ReadonlyMap<Pseudonym, Stored>,
  kind: TextKind,
  beginning: Beginning,
  budget?: Budget,
): Steps<Restored> {
  const pass = new Pass(scanned, values, new Restorer(kind, beginning.reading, newTally(), budget), beginning.saved);
  const checkpoint = scanned.growth && (yield* pass.checkpointAt(scanned.growth.place));
  return { ...(yield* pass.end()), checkpoint };
}

class Pass {
  private readonly scanned: ScannedText;
  private readonly values: ReadonlyMap<Pseudonym, Stored>;
  private readonly restorer: Restorer;
  /** The checkpoint that the pass continues from, and what earlier calls have restored up to its place. */
  private readonly from: Checkpoint | undefined;
  private readonly beginning: string = '';
  private readonly written: WrittenValue[] = [];
  private readonly kept: number[] = [];
  /** The place before which a longer text changes nothing. */
  private readonly settled: number;
  private stable: number | undefined;
  private cursor = 0;
  private next = 0;

  constructor(scanned: ScannedText, values: ReadonlyMap<Pseudonym, Stored>, restorer: Restorer, saved?: SavedRestorer) {
    const { text, unfinished, growth } = scanned;
    this.scanned = scanned;
    this.values = values;
    this.restorer = restorer;
    this.settled = unfinished.find((place) => !place.onlyIfKnown || values.has(place.onlyIfKnown))?.from ?? text.length;
    const from = saved && growth?.from;
    this.from = from;
    if (!from) return;
    restorer.resume(saved);
    this.beginning = restoredBeginning(text, from, values);
    this.written = [...from.written];
    this.kept = [...from.kept];
    this.cursor = from.place;
    this.next = from.matches.length;
  }

  *checkpointAt(place: number): Steps<Checkpoint> {
    yield* this.writeTo(place);
    const { scanned, restorer, values, from } = this;
    const matches = scanned.matches.slice(0, this.next);
    const done = { place, matches, written: [...this.written], kept: [...this.kept] };
    return checkpointOf({ ...done, restorer, from }, values);
  }

  *end(): Steps<Restored> {
    const { scanned, restorer, written, kept } = this;
    yield* this.writeTo(scanned.text.length);
    const text = this.beginning + restorer.take();
    const holdback = holdbackOf(text, this.beginning.length + (this.stable ?? 0));
    const counts = { restored: written.length, withheld: kept.length };
    return { text, holdback, ...counts, kept: kept.length === 0 ? NO_PLACES : new Set(kept), bytes: restorer.bytes };
  }

  /** Writes the text up to a place that no pseudonym contains. */
  private *writeTo(place: number): Steps<void> {
    const { scanned, restorer } = this;
    const { text, matches } = scanned;
    const isStep = createStepCounter();
    for (let match = matches[this.next]; match && match.start < place; match = matches[++this.next]) {
      const stored = this.values.get(match.pseudonym);
      if (!stored) {
        restorer.pass(match);
        continue;
      }
      if (isStep(match.end - this.cursor)) yield;
      // What stands directly before a pseudonym is written with it.
      if (this.isFar(match.start - CONTEXT)) yield* this.copyTo(match.start - CONTEXT);
      this.markStable(match.start);
      const { restored } = restorer.tally;
      this.cursor = restorer.put(text, this.cursor, match, stored);
      if (restorer.tally.restored > restored) this.written.push({ at: this.next, context: restorer.lastContext });
      else this.kept.push(match.start);
    }
    if (this.isFar(place)) yield* this.copyTo(place);
    this.copy(place);
  }

  /** Whether the way to a place is a step of its own. A generator for each short way would take longer than the copy. */
  private isFar(place: number): boolean {
    return place - this.cursor > STEP_UNITS;
  }

  /** Copies a long part of the text in steps, except for its end. */
  private *copyTo(place: number): Steps<void> {
    const { text } = this.scanned;
    while (this.isFar(place)) {
      const next = this.cursor + STEP_UNITS;
      this.copy(isHighSurrogate(text.charCodeAt(next - 1)) ? next - 1 : next);
      yield;
    }
  }

  private copy(place: number): void {
    this.markStable(place);
    this.restorer.copy(this.scanned.text, this.cursor, place);
    this.cursor = place;
  }

  /** Called before what begins at a place is written. */
  private markStable(place: number): void {
    if (this.settled <= place) this.stable ??= this.restorer.length + this.settled - this.cursor;
  }
}

/** The places of a text in which nothing was kept. */
export const NO_PLACES: ReadonlySet<number> = new Set();

function newTally(): Tally {
  return { restored: 0, withheld: 0 };
}

/** The holdback. Never splits a surrogate pair. */
function holdbackOf(restored: string, stable: number): number {
  const last = restored.charCodeAt(stable - 1);
  return restored.length - stable + (isHighSurrogate(last) ? 1 : 0);
}
