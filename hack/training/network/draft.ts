import type { TokenClass } from '../../../guardrail/detection/ner/tokenNetwork.ts';

/** `NO_VALUE`: a name or nothing, but no value. */
export type MarkedClass = TokenClass | 'NO_VALUE';

/** A part of a text with a class. Of `undefined`, nobody knows what it is. */
export interface MarkedSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: MarkedClass | undefined;
}

/** A text in which values are marked. */
export interface MarkedText {
  readonly text: string;
  readonly spans: readonly MarkedSpan[];
  /** What is not in a span. Default: `O`. */
  readonly others?: MarkedClass;
}

/** A text that is being written. */
export class Draft implements MarkedText {
  text = '';
  readonly spans: MarkedSpan[] = [];

  put(text: string): this {
    this.text += text;
    return this;
  }

  /** @param kind `O`: a harmless value */
  value(text: string, kind: TokenClass | undefined): this {
    if (kind !== 'O') this.spans.push({ start: this.text.length, end: this.text.length + text.length, kind });
    this.text += text;
    return this;
  }

  add({ text, spans }: MarkedText): this {
    const by = this.text.length;
    for (const { start, end, kind } of spans) this.spans.push({ start: start + by, end: end + by, kind });
    this.text += text;
    return this;
  }
}
