import { createStepCounter, type Steps } from './eventLoop.ts';

/**
 * A walk over a tree by recursion that stops after a step of work, and goes on where it stopped. A small tree is walked at once,
 * without a generator for each of its nodes. Nodes are visited in their order, and each `then` runs after all that was begun before it.
 */
export class TreeWalk {
  private readonly isStep: (units: number) => boolean;
  /** The step is over: what comes next is deferred. */
  private isOver = false;
  private deferred: (() => void)[] = [];

  /** @param isStep tells when a step is long enough */
  constructor(isStep = createStepCounter()) {
    this.isStep = isStep;
  }

  /** @param begin visits the root, by {@link each} and {@link work} */
  *run(begin: () => void): Steps<void> {
    const pending = [begin];
    for (let next = pending.pop(); next; next = pending.pop()) {
      this.isOver = false;
      next();
      // What was deferred first comes first, and all of it before what was deferred in an earlier step.
      while (this.deferred.length > 0) pending.push(this.deferred.pop() as () => void);
      if (pending.length > 0) yield;
    }
  }

  /**
   * Visits elements. Nothing may follow in the caller, but `then`.
   * @param visit returns the length of the text that it reads, in UTF-16 code units
   * @returns 0, as a list reads no text of its own
   */
  each<T>(elements: readonly T[], visit: (element: T) => number, then?: () => void, from = 0): number {
    for (let at = from; at < elements.length; at += 1) {
      if (this.isOver) {
        this.deferred.push(() => {
          this.each(elements, visit, then, at);
        });
        return 0;
      }
      if (this.isStep(visit(elements[at] as T))) this.isOver = true;
    }
    if (then) this.after(then);
    return 0;
  }

  /** Does work in steps. Nothing may follow in the caller, but `then`. */
  work<T>(steps: Steps<T>, then: (result: T) => void): void {
    const step = steps.next();
    if (step.done === true) {
      this.after(() => {
        then(step.value);
      });
      return;
    }
    this.isOver = true;
    this.deferred.push(() => {
      this.work(steps, then);
    });
  }

  private after(then: () => void): void {
    if (this.isOver) this.deferred.push(then);
    else then();
  }
}
