import type { TextKind } from '../messages/messages.ts';

/** A map from text and kind to a result. Does not copy the texts. */
export class ByText<T> {
  private readonly kinds = new Map<TextKind, Map<string, T>>();

  get(text: string, kind: TextKind): T | undefined {
    return this.kinds.get(kind)?.get(text);
  }

  set(text: string, kind: TextKind, value: T): void {
    let texts = this.kinds.get(kind);
    if (!texts) {
      texts = new Map();
      this.kinds.set(kind, texts);
    }
    texts.set(text, value);
  }

  values(): T[] {
    const all: T[] = [];
    for (const texts of this.kinds.values()) for (const value of texts.values()) all.push(value);
    return all;
  }
}
