import { createStepCounter, STEP_UNITS, type Steps } from '../../eventLoop.ts';
import { unitAt } from '../../unitAt.ts';
import { MAX_NESTING } from '../contract.ts';
import { namesOf } from './names.ts';

/** A value is nested deeper than {@link MAX_NESTING}. */
export class TooDeepError extends Error {
  override readonly name = 'TooDeepError';
}

/**
 * Writes a value as `JSON.stringify` does, in steps.
 * @param value JSON. Members that are undefined are left out
 * @param isStep shared by all values of a walk; see {@link createStepCounter}
 * @returns parts of the text, each of whole characters and about {@link STEP_UNITS} long
 * @throws TooDeepError
 */
export function* writingJson(value: unknown, isStep = createStepCounter()): Steps<readonly string[]> {
  const writer = new Writer(isStep);
  yield* writer.write(value, 0) ?? [];
  return writer.end();
}

/** As {@link writingJson}, as one text. */
export function* writingText(value: unknown, isStep = createStepCounter()): Steps<string> {
  return (yield* writingJson(value, isStep)).join('');
}

class Writer {
  private readonly parts: string[] = [];
  private part = '';
  private readonly isStep: (units: number) => boolean;

  constructor(isStep: (units: number) => boolean) {
    this.isStep = isStep;
  }

  /** Writes a value, or begins to. @returns the rest of the work; undefined if there is none */
  write(value: unknown, nesting: number): Steps<void> | undefined {
    if (typeof value === 'object' && value !== null) {
      if (nesting >= MAX_NESTING) throw new TooDeepError();
      return Array.isArray(value)
        ? this.array(value, nesting + 1)
        : this.object(value as Readonly<Record<string, unknown>>, nesting + 1);
    }
    if (typeof value === 'string' && value.length > STEP_UNITS) return this.longString(value);
    this.add(value === undefined ? 'null' : JSON.stringify(value));
    return undefined;
  }

  end(): readonly string[] {
    return [...this.parts, this.part];
  }

  private *array(values: readonly unknown[], nesting: number): Steps<void> {
    this.add('[');
    for (const [at, value] of values.entries()) {
      if (at > 0) this.add(',');
      const rest = this.write(value, nesting);
      if (rest) yield* rest;
      if (this.isStep(0)) yield;
    }
    this.add(']');
  }

  private *object(object: Readonly<Record<string, unknown>>, nesting: number): Steps<void> {
    let isEmpty = true;
    for (const name of namesOf(object)) {
      if (object[name] === undefined) continue;
      this.add(`${isEmpty ? '{' : ','}${JSON.stringify(name)}:`);
      isEmpty = false;
      const rest = this.write(object[name], nesting);
      if (rest) yield* rest;
      if (this.isStep(0)) yield;
    }
    this.add(isEmpty ? '{}' : '}');
  }

  private *longString(text: string): Steps<void> {
    this.add('"');
    for (let at = 0; at < text.length;) {
      const end = wholeCharacters(text, at + STEP_UNITS);
      this.add(JSON.stringify(text.slice(at, end)).slice(1, -1));
      at = end;
      yield;
    }
    this.add('"');
  }

  private add(text: string): void {
    this.part += text;
    if (this.part.length < STEP_UNITS) return;
    this.parts.push(this.part);
    this.part = '';
  }
}

/** The end of a part of a text that does not end between the halves of a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const [last, next] = [unitAt(text, end - 1), unitAt(text, end)];
  return last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff ? end + 1 : end;
}
