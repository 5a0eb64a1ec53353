import { type ManagedProcess, ProcessFailure } from '../../testing/processes.ts';

/** Where the parts find and keep their things. */
export interface Places {
  /** The project. */
  readonly root: string;
  /** What is kept from run to run. */
  readonly home: string;
  readonly logs: string;
  /** Says which guardrail the development gateway calls. */
  readonly guardrailFile: string;
}

/** What has been started, to be ended in reverse order. */
export class Parts {
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #failure = Promise.withResolvers<string>();
  readonly #ending = new AbortController();
  #stopping: Promise<void> | undefined;

  /** Aborted when the parts are ended: what waits for one of them need not wait any longer. */
  readonly ending = this.#ending.signal;

  /** Resolves when a part ends unasked, with a sentence and the end of its log. */
  readonly failed = this.#failure.promise;

  /** Takes in how to end a part. Where the parts are ended already, that one is, too. */
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

  /** Ends all parts, the last started first. */
  stop(): Promise<void> {
    this.#ending.abort();
    this.#stopping ??= (async () => {
      for (const stop of this.#stops.reverse()) await stop();
    })();
    return this.#stopping;
  }
}
