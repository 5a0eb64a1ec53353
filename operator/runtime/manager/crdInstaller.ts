import type { Logger } from 'pino';
import { Backoff } from '../backoff.ts';
import type { RestClient } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { sleep } from '../clock.ts';
import { CrdError, ensureCrd, type CrdManifest } from './crds.ts';

/** Installs and checks the operator's CustomResourceDefinitions, and retries until all of them meet the requirements. */
export class CrdInstaller {
  readonly #client: RestClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #options: { readonly installCrds: boolean; readonly crdRevisionAnnotation: string };
  readonly #crds: CrdManifest[] = [];
  #problem: string | undefined = 'The CustomResourceDefinitions have not been checked yet.';

  constructor(dependencies: {
    readonly client: RestClient;
    readonly clock: Clock;
    readonly log: Logger;
    readonly options: { readonly installCrds: boolean; readonly crdRevisionAnnotation: string };
  }) {
    this.#client = dependencies.client;
    this.#clock = dependencies.clock;
    this.#log = dependencies.log;
    this.#options = dependencies.options;
  }

  add(crd: CrdManifest): void {
    this.#crds.push(crd);
  }

  get names(): readonly string[] {
    return this.#crds.map((crd) => crd.metadata.name);
  }

  /** Why the definitions do not meet the requirements; undefined: they do. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Resolves when all definitions meet the requirements, or when the signal is aborted. */
  async ensure(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#clock, 800, 30_000);
    const stopped = (): boolean => signal.aborted;
    while (!stopped()) {
      try {
        for (const crd of this.#crds) {
          await ensureCrd(crd, {
            client: this.#client,
            clock: this.#clock,
            log: this.#log,
            revisionAnnotation: this.#options.crdRevisionAnnotation,
            install: this.#options.installCrds,
            signal,
          });
        }
        this.#problem = undefined;
        return;
      } catch (error) {
        this.#problem = error instanceof Error ? error.message : String(error);
        if (stopped()) return;
        if (error instanceof CrdError) this.#log.error(error.message);
        else this.#log.warn({ err: error }, 'Cannot check the CustomResourceDefinitions; retrying.');
        await sleep(this.#clock, backoff.next(), signal);
      }
    }
  }
}
