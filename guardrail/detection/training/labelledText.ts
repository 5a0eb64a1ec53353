import type { TagKind } from '../ner/labels.ts';

/** An entity in a training text. */
export interface LabelledSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: TagKind;
}

/** A training text with its entities. */
export interface LabelledText {
  readonly text: string;
  readonly spans: readonly LabelledSpan[];
  /** The template of the text, for reports. */
  readonly source: string;
}

/** A part of a text, with its kind if it is an entity. */
export interface Piece {
  readonly text: string;
  readonly kind?: TagKind;
}

/** Shifts spans by an offset. */
export const shifted = (spans: readonly LabelledSpan[], by: number): LabelledSpan[] =>
  spans.map((span) => ({ ...span, start: span.start + by, end: span.end + by }));

/** Joins the pieces of a text. */
export function join(pieces: readonly Piece[], source: string): LabelledText {
  let text = '';
  const spans: LabelledSpan[] = [];
  for (const piece of pieces) {
    if (piece.kind)
      spans.push({
        start: text.length,
        end: text.length + piece.text.length,
        kind: piece.kind,
      });
    text += piece.text;
  }
  return { text, spans, source };
}
