/** Tells a person, or a log, what a long run is doing. */
import type { Writable } from 'node:stream';

/** A stream that may be a terminal. */
type Output = Writable & { isTTY?: boolean; columns?: number };

const REDRAW_MS = 250;

/** On a terminal the running step is one line that is drawn anew; elsewhere each thing said is a line of its own. */
export class Progress {
  readonly #output: Output;
  readonly #running = new Map<symbol, { title: string; detail: string; started: number }>();
  #drawn = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output = process.stdout) {
    this.#output = output;
  }

  /** Prints one line that stays. */
  line(text: string): void {
    this.#erase();
    this.#output.write(`${text}\n`);
    this.#draw();
  }

  /**
   * Runs one step and says that it runs, what it reports, and how long it took.
   * @param work given a function that tells, in one line, what the step is at
   */
  async step<T>(title: string, work: (report: (detail: string) => void) => Promise<T>): Promise<T> {
    const id = Symbol(title);
    const state = { title, detail: '', started: performance.now() };
    this.#running.set(id, state);
    if (this.#onTerminal) {
      this.#timer ??= setInterval(() => {
        this.#erase();
        this.#draw();
      }, REDRAW_MS);
      this.#timer.unref();
    } else {
      this.line(`${title} …`);
    }
    try {
      const result = await work((detail) => {
        if (detail === state.detail) return;
        state.detail = detail;
        if (!this.#onTerminal) this.line(`  ${detail.trim()}`);
      });
      this.#end(id, `✓ ${title} (${seconds(state.started)})`);
      return result;
    } catch (error) {
      this.#end(id, `✗ ${title} (${seconds(state.started)})`);
      throw error;
    }
  }

  get #onTerminal(): boolean {
    return this.#output.isTTY === true;
  }

  #end(id: symbol, text: string): void {
    this.#running.delete(id);
    if (this.#running.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.line(text);
  }

  #erase(): void {
    if (this.#drawn) this.#output.write('\r\x1b[K');
    this.#drawn = false;
  }

  #draw(): void {
    if (!this.#onTerminal || this.#running.size === 0) return;
    const texts = [...this.#running.values()].map(({ title, detail, started }) => {
      return `${title} … ${seconds(started)}${detail === '' ? '' : ` · ${detail.trim()}`}`;
    });
    this.#output.write(texts.join(' | ').slice(0, (this.#output.columns ?? 80) - 1));
    this.#drawn = true;
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
