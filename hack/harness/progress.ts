/** Reports the progress of a long run to a user or a log. */
import type { Writable } from 'node:stream';

const EVERY_MS = 10_000;

/**
 * Reports in one line what a step is doing.
 * @param lasting whether the line is printed in any case, also if another one follows at once
 */
export type Report = (detail: string, lasting?: boolean) => void;

/**
 * Prints at most one detail in ten seconds, the latest one, and each lasting detail immediately.
 * @returns functions that report a detail, and that drop the one not yet printed
 */
export function sparsely(print: (line: string) => void): { readonly report: Report; readonly end: () => void } {
  let pending: string | undefined;
  let printed = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    if (pending === undefined || pending === printed) return;
    printed = pending;
    pending = undefined;
    print(printed);
    timer = setTimeout(flush, EVERY_MS);
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

/** Prints the steps of a run, a line for each start, detail and end: the same on a terminal and in a log. */
export class Progress {
  readonly #output: Writable;

  constructor(output: Writable = process.stdout) {
    this.#output = output;
  }

  /** Prints one line. */
  line(text: string): void {
    this.#output.write(`${text}\n`);
  }

  /**
   * Runs one step. Prints its start, its details and its duration.
   * @param work called with a function that reports the current detail in one line
   */
  async step<T>(title: string, work: (report: Report) => Promise<T>): Promise<T> {
    const started = performance.now();
    this.line(`${title} …`);
    const { report, end } = sparsely((line) => {
      this.line(`  ${line}`);
    });
    try {
      const result = await work(report);
      this.line(`✓ ${title} (${seconds(started)})`);
      return result;
    } catch (error) {
      this.line(`✗ ${title} (${seconds(started)})`);
      throw error;
    } finally {
      end();
    }
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
