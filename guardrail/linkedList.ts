/** The place of a value in a list. Only its list changes it. */
export interface Link<T> {
  readonly value: T;
}

interface Node<T> extends Link<T> {
  readonly value: T;
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
  isIn: boolean;
}

/**
 * Values in the order in which they were added, each of which leaves at any time: the calls that run.
 *
 * A Set or a Map would keep them longer. V8 copies it to a new table after every few calls. Each old table refers to the next one
 * and to what was in it, so that only a full collection frees them, and the requests and answers of those calls with them.
 */
export class LinkedList<T> {
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;

  get first(): Link<T> | undefined {
    return this.#first;
  }

  add(value: T): Link<T> {
    const node: Node<T> = { value, previous: undefined, next: undefined, isIn: false };
    this.#append(node);
    return node;
  }

  /** Idempotent. @param link of this list */
  remove(link: Link<T>): void {
    const node = link as Node<T>;
    if (!node.isIn) return;
    const { previous, next } = node;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    // A node that has left must keep no other one in memory.
    node.previous = node.next = undefined;
    node.isIn = false;
  }

  /** @param link of this list; nothing happens if its value has left */
  moveToEnd(link: Link<T>): void {
    const node = link as Node<T>;
    if (!node.isIn) return;
    this.remove(node);
    this.#append(node);
  }

  /** The values in order. The one that was given last may leave meanwhile. */
  *values(): Generator<T, undefined> {
    for (let node = this.#first; node;) {
      const { next, value } = node;
      yield value;
      node = next;
    }
  }

  #append(node: Node<T>): void {
    node.previous = this.#last;
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    node.isIn = true;
  }
}
