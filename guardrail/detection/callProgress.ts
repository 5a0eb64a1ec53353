import { DetectorUnavailableError, TooManyValuesError } from './contract.ts';

/** The time since a batch began or yielded to the event loop. */
export class Slice {
  private readonly longestMs: number;
  private since = performance.now();

  constructor(longestMs: number) {
    this.longestMs = longestMs;
  }

  isOver(): boolean {
    return performance.now() - this.since > this.longestMs;
  }

  restart(): void {
    this.since = performance.now();
  }
}

/** Counts the values of one call. */
export class Counter {
  private readonly signal: AbortSignal;
  private found = 0;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  /** @throws TooManyValuesError */
  add(count: number): void {
    this.found += count;
    TooManyValuesError.check(this.found);
  }

  /** @throws DetectorUnavailableError if the caller aborted the call. */
  check(): void {
    if (this.signal.aborted) throw new DetectorUnavailableError('The built-in detector was aborted.');
  }
}
