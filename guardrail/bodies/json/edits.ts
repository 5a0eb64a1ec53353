import { createStepCounter, type Steps } from '../../eventLoop.ts';

/** A replacement of a part of a text. */
export interface Edit {
  /** In UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap, in any order, in steps. Two edits of the same place must be equal; one is applied. */
export function* applyingEdits(text: string, edits: readonly Edit[]): Steps<string> {
  const isStep = createStepCounter();
  const sorted = [...edits].sort((a, b) => a.start - b.start);
  let result = '';
  let from = 0;
  let last: Edit | undefined;
  for (const edit of sorted) {
    if (last?.start === edit.start && last.end === edit.end && last.text === edit.text) continue;
    if (edit.start < from) throw new Error('Two edits of a body overlap.');
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
    last = edit;
    if (isStep(0)) yield;
  }
  return result + text.slice(from);
}
