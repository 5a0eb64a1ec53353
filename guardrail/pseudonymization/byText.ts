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
    return [...this.kinds.values()].flatMap((texts) => [...texts.values()]);
  }
}
