import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SETTINGS, type VictimOrder, type VictimReport } from './victim.ts';

/** The address, the API key and the personal value of the victim. */
export interface VictimSettings {
  readonly url: string;
  readonly key: string;
  readonly email: string;
}

/** Runs the victim, see victim.ts. */
export class VictimProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start({ url, key, email }: VictimSettings): Promise<VictimProcess> {
    const env = { ...process.env, [SETTINGS.url]: url, [SETTINGS.key]: key, [SETTINGS.email]: email };
    // Infinity is no JSON.
    const child = fork(join(import.meta.dirname, 'victim.ts'), { env, serialization: 'advanced' });
    await once(child, 'message');
    return new VictimProcess(child);
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  /** Starts a new period. @param pid the process id of the guardrail */
  startPeriod(pid: number): void {
    this.#order({ pid });
  }

  /** @returns what the victim has seen in the period, once all calls that have begun are answered */
  async endPeriod(): Promise<VictimReport> {
    this.#order('report');
    const [report] = (await once(this.#child, 'message')) as [VictimReport];
    return report;
  }

  #order(order: VictimOrder): void {
    this.#child.send(order);
  }
}
