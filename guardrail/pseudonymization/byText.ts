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

/** A map from the number of a message, text and kind to a result. */
export class ByMessage<T> {
  private readonly messages = new Map<number, ByText<T>>();

  get(message: number, text: string, kind: TextKind): T | undefined {
    return this.messages.get(message)?.get(text, kind);
  }

  set(message: number, text: string, kind: TextKind, value: T): void {
    let texts = this.messages.get(message);
    if (!texts) {
      texts = new ByText();
      this.messages.set(message, texts);
    }
    texts.set(text, kind, value);
  }

  /** The results in the order of the messages. */
  values(): T[] {
    const inOrder = [...this.messages].sort(([a], [b]) => a - b);
    return inOrder.flatMap(([, texts]) => texts.values());
  }
}
