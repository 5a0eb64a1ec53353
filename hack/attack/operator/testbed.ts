/** An operator under attack: a real API server, the operator as a separate process, and a bystander. */
import { setTimeout as delay } from 'node:timers/promises';
import { customers, instances } from '../../../operator/api/kinds.ts';
import {
  eventually,
  kubeEvents,
  leases,
  type Lease,
  transportOptions,
  RestClient,
  Transport,
} from '../../../operator/runtime/testing/testing.ts';
import { startControlPlane, type ControlPlane } from '../../harness/controlplane.ts';
import type { Report } from '../../harness/progress.ts';
import { largeJsonMs } from '../largeJson.ts';
import { mebibytes } from '../measure.ts';
import { collected, resetPeak, peakBytes, settledBytes, waitForMemory } from '../memory.ts';
import type { Canaries } from '../canaries.ts';
import type { Random } from '../random.ts';
import { Bystander } from './bystander.ts';
import { Namespace } from './namespace.ts';
import type { Program } from '../program.ts';
import { HOME, startOperator } from './program.ts';

/**
 * The longest time for which an attack may block the event loop, as a multiple of {@link largeJsonMs}. The operator reads lists of
 * the API server and documents of tenants that cannot be interrupted.
 */
const BLOCKED_RATIO = 15;
/** The thread for texts ends after 5 s without work, and V8 keeps its pages for about 10 s more. */
const MEMORY_TIMEOUT_MS = 30_000;
/**
 * Smaller growth is ignored. A thread that has examined hostile documents leaves about 50 MiB of free pages in the allocator when
 * it ends. Later threads reuse them: growth counts from the start, so attacks that leak add up to more.
 */
const FREE_PAGES_BYTES = 64 * 2 ** 20;
/** A kubelet restarts a container that fails three probes in a row, each with a timeout of 5 s. */
const HEALTHY_WITHIN_MS = 15_000;
/** A lease is renewed every 2 s, and lost after 15 s. */
const RENEWED_WITHIN_MS = 15_000;
/** Prepares attacks, and checks the operator after each attack. */
export class OperatorTestbed {
  readonly plane: ControlPlane;
  readonly client: RestClient;
  readonly operator: Program;
  readonly #transport: Transport;
  #bystander: Bystander | undefined;
  #usualBytes = 0;
  #blockedLimitMs = 0;

  private constructor(plane: ControlPlane, operator: Program) {
    this.plane = plane;
    this.operator = operator;
    this.#transport = new Transport(plane.kubeConfig(), transportOptions());
    this.client = new RestClient(this.#transport);
  }

  static async start(report: Report): Promise<OperatorTestbed> {
    const plane = await startControlPlane({ report });
    await plane.kubectl(['create', 'namespace', HOME]);
    const testbed = new OperatorTestbed(plane, await startOperator(plane));
    try {
      // The operator installs the CRDs after it became the leader.
      await eventually(() => Promise.all([testbed.client.list(instances), testbed.client.list(customers)]));
      testbed.#bystander = await Bystander.start(testbed.client);
      testbed.#blockedLimitMs = BLOCKED_RATIO * (await largeJsonMs());
      testbed.#usualBytes = await settledBytes(testbed.operator.pid);
      return testbed;
    } catch (error) {
      // Servers that run on would keep this process alive.
      await testbed.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.operator.end();
    await this.#transport.close();
    await this.#bystander?.stop();
    await this.plane.stop();
  }

  /** Deletes all resources of a tenant, without the operator's finalization. */
  clear({ name }: Namespace): Promise<void> {
    return new Namespace(name, this.client).clear();
  }

  /**
   * Runs an attack, and checks the operator and the bystander after it.
   *
   * @param how `outage`: the attack stops the operator on purpose, so the bystander has to wait
   * @returns the faults
   */
  async runAttack(
    attack: () => Promise<readonly string[]>,
    canaries: Canaries,
    how: { readonly outage?: true } = {},
  ): Promise<string[]> {
    if (this.operator.exit !== undefined) await this.operator.start();
    const { pid } = this.operator;
    const [holder, began] = [await this.#leaseHolder(), Date.now()];
    await collected(pid);
    resetPeak(pid);
    this.#bystander?.startPeriod();
    const faults = [...(await attack()), ...(await this.#restartIfBroken())];
    const isUndisturbed = how.outage === undefined && this.operator.pid === pid;
    if (isUndisturbed) faults.push(...(await this.#undisturbedFaults(holder)));
    if (!(await this.#isLeaseRenewed(began))) faults.push('the operator does not renew its lease');
    return [...faults, ...(await this.#leaks(canaries))];
  }

  /** Restarts the operator if it ended or is not healthy. */
  async #restartIfBroken(): Promise<string[]> {
    const faults: string[] = [];
    if (this.operator.exit !== undefined) {
      faults.push(this.operator.exitFault() ?? '');
      await this.operator.start();
    }
    if (!(await this.#becomesHealthy())) {
      faults.push('/healthz of the operator does not return 200');
      await this.operator.end();
      await this.operator.start();
    }
    return faults;
  }

  /** Checks what an attack must not change: the lease holder, the bystander's syncs, the event loop and the memory. */
  async #undisturbedFaults(holder: string): Promise<string[]> {
    const { pid } = this.operator;
    const faults: string[] = [];
    if ((await this.#leaseHolder()) !== holder) faults.push('the lease holder changed');
    const slowdown = await this.#bystander?.endPeriod();
    if (slowdown !== undefined) faults.push(slowdown);
    const peak = peakBytes(pid);
    const limit = this.operator.memoryBytes;
    if (peak > limit) faults.push(`the operator used ${mebibytes(peak)}; its container limit is ${mebibytes(limit)}`);
    const { blockedMs } = await collected(pid);
    if (blockedMs > this.#blockedLimitMs)
      faults.push(
        `the event loop was blocked for ${blockedMs.toFixed(0)} ms; the limit is ${this.#blockedLimitMs.toFixed(0)} ms`,
      );
    const growth = await waitForMemory(pid, this.#usualBytes, MEMORY_TIMEOUT_MS, FREE_PAGES_BYTES);
    return growth === undefined ? faults : [...faults, growth];
  }

  async #becomesHealthy(): Promise<boolean> {
    const deadline = performance.now() + HEALTHY_WITHIN_MS;
    while (!(await this.operator.isHealthy())) {
      if (performance.now() > deadline) return false;
      await delay(200);
    }
    return true;
  }

  /** Searches logs, metrics, events and statuses for canary values. */
  async #leaks(canaries: Canaries): Promise<string[]> {
    const metrics = await this.operator.metrics().catch(() => undefined);
    const places: [string, string][] = [
      ['the log', this.operator.newLog()],
      ['a metric', metrics ?? ''],
      ['an event', JSON.stringify((await this.client.list(kubeEvents)).map(({ note }) => note))],
      ['a status of a customer', JSON.stringify((await this.client.list(customers)).map(({ status }) => status))],
      ['a status of an instance', JSON.stringify((await this.client.list(instances)).map(({ status }) => status))],
    ];
    const leaks = places.flatMap(([where, text]) =>
      canaries.scan(text).map((token) => `${where} contains a canary value (${token})`),
    );
    return metrics === undefined ? [...leaks, '/metrics of the operator does not respond'] : leaks;
  }

  /** Lets the lease of a killed operator expire after one second in place of 15. */
  async shortenLease(): Promise<void> {
    const key = { namespace: HOME, name: (await this.#lease())?.metadata.name ?? '' };
    await this.client.patch(leases, key, { spec: { leaseDurationSeconds: 1 } });
  }

  async #lease(): Promise<Lease | undefined> {
    const [lease] = await this.client.list(leases, { namespace: HOME });
    return lease;
  }

  async #leaseHolder(): Promise<string> {
    return (await this.#lease())?.spec?.holderIdentity ?? '';
  }

  /** Waits for a renewal after a time, at most {@link RENEWED_WITHIN_MS}. */
  async #isLeaseRenewed(since: number): Promise<boolean> {
    const deadline = performance.now() + RENEWED_WITHIN_MS;
    while (Date.parse((await this.#lease())?.spec?.renewTime ?? '') <= since) {
      if (performance.now() > deadline) return false;
      await delay(200);
    }
    return true;
  }
}

/** The inputs of an attack on the operator. */
export interface Context {
  readonly testbed: OperatorTestbed;
  readonly random: Random;
  readonly canaries: Canaries;
  /** A namespace for this attack only. */
  readonly home: Namespace;
}

/** An attack on the operator. */
export interface OperatorAttack {
  readonly name: string;
  /** @returns the faults */
  readonly run: (context: Context) => Promise<readonly string[]>;
}
