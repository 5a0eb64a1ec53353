import type { NameType } from '../../guardrail/detection/ner/entityClasses.ts';
import type { TagKind } from '../../guardrail/detection/ner/labels.ts';

/** What an entity is: its kind for the tagger, and its type for the classifier, if the text tells. */
export interface Labels {
  readonly kind: TagKind;
  readonly type?: NameType;
}

/** An entity in a training text. */
export interface LabelledSpan extends Labels {
  readonly start: number;
  readonly end: number;
}

/** A training text with its entities. */
export interface LabelledText {
  readonly text: string;
  readonly spans: readonly LabelledSpan[];
  /** Ranges of numbers, addresses of e-mails and other values that recognizers find. What the tagger finds there does not count. */
  readonly values?: readonly { readonly start: number; readonly end: number }[];
  /** The template of the text, for reports. */
  readonly source: string;
}

/** A part of a text, with its labels if it is an entity. */
export interface Piece extends Partial<Labels> {
  readonly text: string;
  /** Whether a recognizer finds it. */
  readonly isValue?: boolean;
}

/** Shifts spans by an offset. */
export const shifted = (spans: readonly LabelledSpan[], by: number): LabelledSpan[] =>
  spans.map((span) => ({ ...span, start: span.start + by, end: span.end + by }));

/** Joins the pieces of a text. */
export function join(pieces: readonly Piece[], source: string): LabelledText {
  let text = '';
  const spans: LabelledSpan[] = [];
  const values: { start: number; end: number }[] = [];
  for (const piece of pieces) {
    if (piece.isValue) values.push({ start: text.length, end: text.length + piece.text.length });
    if (piece.kind)
      spans.push({
        start: text.length,
        end: text.length + piece.text.length,
        kind: piece.kind,
        ...(piece.type === undefined ? {} : { type: piece.type }),
      });
    text += piece.text;
  }
  return { text, spans, values, source };
}
