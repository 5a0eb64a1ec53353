import { createStepCounter, createYielder, inSlices, STEP_UNITS, type Steps } from '../eventLoop.ts';
import type { Pseudonym } from '../ids.ts';
import type { Label } from './labels.ts';
import type { TextEdits } from './edits.ts';
import { CODE_UNIT, MAX_CODE, MIN_CODE, separate, type Entry, type Pseudonyms } from './pseudonyms.ts';

interface AssignedEntry {
  readonly entry: Entry;
  /** The first message that has the value. */
  readonly message: number;
}

/** The pseudonym of each value of a request. A later message changes no pseudonym of those before it. */
export class PseudonymAssignment {
  private readonly byLabel = new Map<Label, Map<string, AssignedEntry>>();
  /** The first message with each code that occurs in the client's text. No value of it, or of a later one, gets this code. */
  private codes: ReadonlyMap<string, number> = new Map();

  /** @param texts in the order of the messages */
  static async of(texts: readonly TextEdits[], pseudonyms: Pseudonyms): Promise<PseudonymAssignment> {
    const assignment = new PseudonymAssignment();
    const yieldIfDue = createYielder();
    for (const { message, edits } of texts) {
      for (const { label, stored } of edits) {
        if (assignment.find(label, stored)) continue;
        assignment.set(pseudonyms.entry(label, stored), message);
        const pause = yieldIfDue();
        if (pause) await pause;
      }
    }
    const entries = assignment.entries();
    const beginnings = new Set(entries.map(({ digits }) => digits.slice(0, MIN_CODE)));
    const codes = inSlices(codesIn(texts, beginnings), yieldIfDue);
    assignment.codes = codes instanceof Promise ? await codes : codes;
    assignment.setDistinct(entries);
    return assignment;
  }

  /** The values by their pseudonyms. */
  mapping(): Map<Pseudonym, string> {
    return new Map(this.entries().map(({ pseudonym, stored }) => [pseudonym, stored]));
  }

  /** @throws Error if the request has no such value */
  pseudonymOf({ label, stored }: { readonly label: Label; readonly stored: string }): Pseudonym {
    const found = this.find(label, stored);
    if (!found) throw new Error('A value of the request has no pseudonym.');
    return found.entry.pseudonym;
  }

  /** Changes the pseudonyms of some values, and of the values that then collide with them. */
  reassign(change: (entry: Entry) => Entry): void {
    this.setDistinct(this.entries().map(change));
  }

  private setDistinct(entries: readonly Entry[]): void {
    const messageOf = ({ label, stored }: Entry): number => this.find(label, stored)?.message ?? 0;
    const isTaken = (code: string, entry: Entry): boolean => (this.codes.get(code) ?? Infinity) <= messageOf(entry);
    for (const entry of separate(entries, isTaken)) this.set(entry, messageOf(entry));
  }

  private find(label: Label, stored: string): AssignedEntry | undefined {
    return this.byLabel.get(label)?.get(stored);
  }

  private set(entry: Entry, message: number): void {
    let entries = this.byLabel.get(entry.label);
    if (!entries) {
      entries = new Map();
      this.byLabel.set(entry.label, entries);
    }
    entries.set(entry.stored, { entry, message });
  }

  private entries(): Entry[] {
    const all: Entry[] = [];
    for (const entries of this.byLabel.values()) for (const { entry } of entries.values()) all.push(entry);
    return all;
  }
}

const CODES = new RegExp(`(?<![0-9a-z])${CODE_UNIT}{${MIN_CODE},${MAX_CODE}}(?![0-9a-z])`, 'gi');

/**
 * The codes in the client's text, with the first message of each: words, and codes of look-alikes of pseudonyms. Codes in the
 * model's thoughts belong to the session and are skipped.
 * @param beginnings first characters of the codes that matter
 */
function* codesIn(texts: readonly TextEdits[], beginnings: ReadonlySet<string>): Steps<Map<string, number>> {
  const codes = new Map<string, number>();
  const add = (code: string, message: number): void => {
    if (beginnings.has(code.slice(0, MIN_CODE)) && !codes.has(code)) codes.set(code, message);
  };
  const mayHaveCode = hasAny(beginnings);
  const isStep = createStepCounter();
  for (const { text, message, kind, edits } of texts) {
    if (kind === 'thought') continue;
    for (const { looksLike } of edits) {
      if (looksLike !== undefined) add(looksLike.slice(looksLike.lastIndexOf('_') + 1, -1), message);
    }
    for (let at = 0; at < text.length; at += STEP_UNITS) {
      // The pattern reads one character before a code and one after it.
      const part = text.slice(Math.max(0, at - 1), at + STEP_UNITS + MAX_CODE + 1);
      if (mayHaveCode(part))
        for (const [code] of part.matchAll(CODES)) if (/[0-9]/.test(code)) add(code.toUpperCase(), message);
      if (isStep(part.length)) yield;
    }
  }
  return codes;
}

/** Up to this number of codes, a search for each takes less time than reading all words of a text. */
const FEW_CODES = 8;

/** @returns whether a text may contain one of the codes, in upper or lower case */
function hasAny(codes: ReadonlySet<string>): (text: string) => boolean {
  if (codes.size > FEW_CODES) return () => true;
  const list = [...codes];
  return (text) => {
    const upper = text.toUpperCase();
    return list.some((code) => upper.includes(code));
  };
}
