/** The bounded queue between calls and a sink. */
import { errorType } from '../errorType.ts';
import { onceAMinute } from '../onceAMinute.ts';
import type { AuditSink } from './contract.ts';
import type { AuditEvent } from './event.ts';

/** Events that wait for a sink. Each takes about a kilobyte. */
export const MAX_WAITING = 10_000;
const BATCH = 256;

/** Receives what becomes of events. */
export interface QueueObserver {
  written(sink: AuditSink['name'], events: number): void;
  dropped(sink: AuditSink['name'], events: number): void;
  /** Receives the code or the class of an error, at most once a minute. */
  failed(sink: AuditSink['name'], problem: string): void;
}

/** Passes events to a sink, in order. What does not fit, and what the sink does not take, is dropped and counted. */
export class EventQueue {
  readonly #sink: AuditSink;
  readonly #observer: QueueObserver;
  #waiting: AuditEvent[] = [];
  #running: Promise<void> | undefined;
  readonly #due = onceAMinute();

  constructor(sink: AuditSink, observer: QueueObserver) {
    this.#sink = sink;
    this.#observer = observer;
  }

  add(event: AuditEvent): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#observer.dropped(this.#sink.name, 1);
      return;
    }
    this.#waiting.push(event);
    this.#running ??= this.#run();
  }

  /** Resolves when nothing waits. */
  async drained(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Drops what waits, and closes the sink. */
  async close(): Promise<void> {
    const { length } = this.#waiting;
    this.#waiting = [];
    if (length > 0) this.#observer.dropped(this.#sink.name, length);
    await this.#sink.close();
  }

  async #run(): Promise<void> {
    // The events of one round of the event loop are one batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0, BATCH));
    this.#running = undefined;
  }

  async #writeBatch(batch: readonly AuditEvent[]): Promise<void> {
    const { name } = this.#sink;
    try {
      await this.#sink.write(batch);
      this.#observer.written(name, batch.length);
    } catch (error) {
      this.#observer.dropped(name, batch.length);
      if (this.#due() !== undefined) this.#observer.failed(name, errorType(error));
    }
  }
}
