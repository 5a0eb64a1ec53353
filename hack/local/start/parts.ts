import { type ManagedProcess, ProcessFailure } from '../../harness/processes.ts';

/** The paths that the parts use. */
export interface Places {
  /** The root of the project. */
  readonly root: string;
  /** Data that is kept between runs. */
  readonly home: string;
  readonly logs: string;
  /** Tells the development gateway which guardrail to call. */
  readonly guardrailFile: string;
}

/** The started parts, which are ended in reverse order. */
export class Parts {
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #failure = Promise.withResolvers<string>();
  readonly #ending = new AbortController();
  #stopping: Promise<void> | undefined;

  /** Aborted when the parts are ended, so that waits for a part end, too. */
  readonly ending = this.#ending.signal;

  /** Resolves with a message and the end of its log when a part ends unexpectedly. */
  readonly failed = this.#failure.promise;

  /** Registers the function that ends a part. It is called at once if the parts have ended already. */
  add(stop: () => Promise<void>): void {
    if (this.#stopping) void stop();
    else this.#stops.push(stop);
  }

  fail(sentence: string): void {
    if (!this.#stopping) this.#failure.resolve(sentence);
  }

  addProcess(child: ManagedProcess): ManagedProcess {
    this.add(() => child.stop());
    void child.exited.then((end) => {
      this.fail(new ProcessFailure(child, `ended with ${end}`).message);
    });
    return child;
  }

  /** Ends all parts in reverse order. */
  stop(): Promise<void> {
    this.#ending.abort();
    this.#stopping ??= (async () => {
      for (const stop of this.#stops.reverse()) await stop();
    })();
    return this.#stopping;
  }
}
