/** Reports the progress of a long run to a user or a log. */
import type { Writable } from 'node:stream';

/** A stream that can be a terminal. */
type Output = Writable & { isTTY?: boolean; columns?: number };

const REDRAW_MS = 250;
const PLAIN_EVERY_MS = 10_000;

/**
 * Reports in one line what a step is doing.
 * @param lasting whether the line is kept when the next one comes
 */
export type Report = (detail: string, lasting?: boolean) => void;

/**
 * For output without a terminal: prints at most one detail in `everyMs`, the latest one, and each lasting detail immediately.
 * @returns functions that report a detail, and that drop the one not yet printed
 */
export function sparsely(
  print: (line: string) => void,
  everyMs = PLAIN_EVERY_MS,
): { readonly report: Report; readonly end: () => void } {
  let pending: string | undefined;
  let printed = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    if (pending === undefined || pending === printed) return;
    printed = pending;
    pending = undefined;
    print(printed);
    timer = setTimeout(flush, everyMs);
    timer.unref();
  };
  return {
    report: (detail, lasting = false) => {
      if (lasting) {
        print(detail);
        return;
      }
      pending = detail;
      if (timer === undefined) flush();
    },
    end: () => {
      clearTimeout(timer);
      pending = undefined;
    },
  };
}

/**
 * On a terminal, the running steps are one line that is redrawn. Otherwise, each detail is a line, at most one in ten seconds.
 */
export class Progress {
  readonly #output: Output;
  readonly #plainEveryMs: number;
  readonly #running = new Map<symbol, { title: string; detail: string; started: number }>();
  #drawn = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output = process.stdout, plainEveryMs = PLAIN_EVERY_MS) {
    this.#output = output;
    this.#plainEveryMs = plainEveryMs;
  }

  /** Prints one permanent line. */
  line(text: string): void {
    this.#erase();
    this.#output.write(`${text}\n`);
    this.#draw();
  }

  /**
   * Runs one step. Prints its start, its details and its duration.
   * @param work called with a function that reports the current detail in one line
   */
  async step<T>(title: string, work: (report: Report) => Promise<T>): Promise<T> {
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
    const plain = sparsely((line) => {
      this.line(`  ${line}`);
    }, this.#plainEveryMs);
    try {
      const result = await work((detail, lasting = false) => {
        if (!this.#onTerminal) plain.report(detail, lasting);
        else if (lasting) this.line(detail);
        else state.detail = detail;
      });
      this.#end(id, `✓ ${title} (${seconds(state.started)})`);
      return result;
    } catch (error) {
      this.#end(id, `✗ ${title} (${seconds(state.started)})`);
      throw error;
    } finally {
      plain.end();
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
      return `${title} … ${seconds(started)}${detail === '' ? '' : ` · ${detail}`}`;
    });
    this.#output.write(texts.join(' | ').slice(0, (this.#output.columns ?? 80) - 1));
    this.#drawn = true;
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
