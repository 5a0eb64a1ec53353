/** An operator under attack: a real API server, the operator as a separate process, and a bystander. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { customers, instances } from '../../../operator/api/kinds.ts';
import { resource, type KubeObject, type ResourceKind } from '../../../operator/runtime/runtime.ts';
import {
  kubeEvents,
  leases,
  type Lease,
  transportOptions,
  RestClient,
  Transport,
} from '../../../operator/runtime/testing/testing.ts';
import { startControlPlane, type ControlPlane } from '../../harness/controlplane.ts';
import { removeAtExit } from '../../harness/processes.ts';
import type { Report } from '../../harness/progress.ts';
import { type AttackResult, mebibytes } from '../measure.ts';
import { resetPeak, peakBytes, settledBytes, waitForMemory } from '../memory.ts';
import type { Canaries } from '../canaries.ts';
import type { Random } from '../random.ts';
import { Bystander } from './bystander.ts';
import { HOME, memoryLimit, startOperator, type OperatorProgram } from './program.ts';

const core = { group: '', version: 'v1' };
export const namespaces = resource<KubeObject>(
  { ...core, kind: 'Namespace', plural: 'namespaces' },
  { namespaced: false },
);
export const secrets = resource<KubeObject>({ ...core, kind: 'Secret', plural: 'secrets' });
export const configMaps = resource<KubeObject>({ ...core, kind: 'ConfigMap', plural: 'configmaps' });

/** The time in which the bystander's usual latencies are measured. An attack takes at least half of it. */
const CALIBRATION_MS = 4_000;
/** The thread for texts ends after 5 s without work, and V8 keeps its pages for about 10 s more. */
const MEMORY_TIMEOUT_MS = 30_000;
/**
 * Smaller growth is ignored. A thread that has examined hostile documents leaves about 50 MiB of free pages in the allocator when
 * it ends. Later threads reuse them: growth counts from the start, so attacks that leak add up to more.
 */
const FREE_PAGES_BYTES = 64 * 2 ** 20;
/** A kubelet restarts a container that fails three probes in a row, each with a timeout of 5 s. */
const HEALTHY_WITHIN_MS = 5_000;
/** A lease is renewed every 2 s, and lost after 15 s. */
const RENEWED_WITHIN_MS = 8_000;
/** The maximum time after an attack to wait for a change that started during it. */
const LATE_CHANGE_MS = 2_000;

/** Prepares attacks, and checks the operator after each attack. */
export class OperatorTestbed {
  readonly plane: ControlPlane;
  readonly client: RestClient;
  readonly operator: OperatorProgram;
  readonly #transport: Transport;
  #bystander: Bystander | undefined;
  #usualBytes = 0;
  #logRead = 0;

  private constructor(plane: ControlPlane, operator: OperatorProgram) {
    this.plane = plane;
    this.operator = operator;
    this.#transport = new Transport(plane.kubeConfig(), transportOptions());
    this.client = new RestClient(this.#transport);
  }

  static async start(report: Report): Promise<OperatorTestbed> {
    const plane = await startControlPlane({ report });
    const folder = mkdtempSync(join(tmpdir(), 'attack-operator-'));
    removeAtExit(folder);
    await plane.kubectl(['create', 'namespace', HOME]);
    const testbed = new OperatorTestbed(plane, await startOperator(plane, folder));
    testbed.#bystander = await Bystander.start({
      client: testbed.client,
      createNamespace: (name) => testbed.namespace(name),
      createSecret: (namespace, name, key) => testbed.secret(namespace, name, key),
    });
    await testbed.#calibrate();
    return testbed;
  }

  async stop(): Promise<void> {
    await this.operator.kill();
    await this.#transport.close();
    await this.#bystander?.stop();
    await this.plane.stop();
  }

  async namespace(name: string): Promise<void> {
    await this.client.create(namespaces, { metadata: { name } });
  }

  /** Deletes all resources of a namespace, without the operator's finalization. */
  async clear(namespace: string): Promise<void> {
    await this.#clear(customers, namespace);
    await this.#clear(instances, namespace);
  }

  async #clear<T extends KubeObject>(kind: ResourceKind<T>, namespace: string): Promise<void> {
    for (const { metadata } of await this.client.list(kind, { namespace })) {
      const key = { namespace, name: metadata.name };
      await this.client.patch(kind, key, { metadata: { finalizers: null } }).catch(() => undefined);
      await this.client.delete(kind, key);
    }
  }

  async secret(namespace: string, name: string, key: string): Promise<void> {
    await this.client.create(secrets, { metadata: { namespace, name }, stringData: { key } } as object);
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
  ): Promise<AttackResult> {
    if (this.operator.end !== undefined) await this.operator.restart();
    const { pid } = this.operator;
    const holder = await this.#leaseHolder();
    resetPeak(pid);
    const from = performance.now();
    const faults = new Set(await attack());
    await delay(Math.max(0, CALIBRATION_MS / 2 - (performance.now() - from)));
    const until = performance.now();
    const add = (found: readonly string[]): void => {
      for (const fault of found) faults.add(fault);
    };
    add(await this.#restartIfBroken());
    const isRestarted = this.operator.pid !== pid;
    let slowdown: string | undefined;
    if (how.outage === undefined) {
      slowdown = await this.#slowdown(from, until);
      add(await this.#undisturbedFaults(isRestarted ? undefined : holder));
    }
    if (!(await this.#isLeaseRenewed())) faults.add('the operator does not renew its lease');
    if (isRestarted) await this.#calibrate();
    add(await this.#memoryFaults());
    add(await this.#leaks(canaries));
    return { faults: [...faults], slowdown };
  }

  /** Restarts the operator if it ended or is not healthy. */
  async #restartIfBroken(): Promise<string[]> {
    const faults: string[] = [];
    if (this.operator.end !== undefined) {
      faults.push(`the operator ended with ${this.operator.end}`);
      await this.operator.restart();
    }
    if (!(await this.#becomesHealthy())) {
      faults.push('/healthz of the operator does not return 200');
      await this.operator.kill();
      await this.operator.restart();
    }
    return faults;
  }

  /** @returns the excessive slowdown of the bystander's changes in a period, if any */
  async #slowdown(from: number, until: number): Promise<string | undefined> {
    // A change that is not synced yet has been delayed for at least this time.
    await delay(Math.min(LATE_CHANGE_MS, until - from));
    return this.#bystander?.slowdown(from, until);
  }

  /**
   * Checks what an attack must not change: the lease holder and the maximum memory.
   *
   * @param holder the lease holder before the attack; undefined if the operator was restarted
   */
  async #undisturbedFaults(holder: string | undefined): Promise<string[]> {
    const faults: string[] = [];
    if (holder !== undefined && (await this.#leaseHolder()) !== holder) faults.push('the lease holder changed');
    const peak = peakBytes(this.operator.pid);
    if (peak > memoryLimit())
      faults.push(`the operator used ${mebibytes(peak)}; its container limit is ${mebibytes(memoryLimit())}`);
    return faults;
  }

  async #memoryFaults(): Promise<string[]> {
    const growth = await waitForMemory(this.operator.pid, this.#usualBytes, MEMORY_TIMEOUT_MS, FREE_PAGES_BYTES);
    if (growth === undefined) return [];
    // Reported once: the next attack is compared with the new value.
    this.#usualBytes = await settledBytes(this.operator.pid);
    return [growth];
  }

  async #becomesHealthy(): Promise<boolean> {
    const deadline = performance.now() + HEALTHY_WITHIN_MS;
    while (!(await this.operator.healthy())) {
      if (performance.now() > deadline) return false;
      await delay(200);
    }
    return true;
  }

  /** Searches logs, metrics, events and statuses for canary values. */
  async #leaks(canaries: Canaries): Promise<string[]> {
    const log = this.operator.log();
    const metrics = await this.operator.metrics().catch(() => undefined);
    const places: [string, string][] = [
      ['the log', log.slice(this.#logRead)],
      ['a metric', metrics ?? ''],
      ['an event', JSON.stringify((await this.client.list(kubeEvents)).map(({ note }) => note))],
      ['a status of a customer', JSON.stringify((await this.client.list(customers)).map(({ status }) => status))],
      ['a status of an instance', JSON.stringify((await this.client.list(instances)).map(({ status }) => status))],
    ];
    this.#logRead = log.length;
    const leaks = places.flatMap(([where, text]) =>
      canaries.scan(text).map((token) => `${where} contains a canary value (${token})`),
    );
    return metrics === undefined ? [...leaks, '/metrics of the operator does not respond'] : leaks;
  }

  async #lease(): Promise<Lease | undefined> {
    const [lease] = await this.client.list(leases, { namespace: HOME });
    return lease;
  }

  async #leaseHolder(): Promise<string> {
    return (await this.#lease())?.spec?.holderIdentity ?? '';
  }

  async #isLeaseRenewed(): Promise<boolean> {
    const renewTime = async (): Promise<string> => (await this.#lease())?.spec?.renewTime ?? '';
    const [before, deadline] = [await renewTime(), performance.now() + RENEWED_WITHIN_MS];
    while (performance.now() < deadline) {
      await delay(200);
      if ((await renewTime()) !== before) return true;
    }
    return false;
  }

  /** Measures the usual latencies and memory. */
  async #calibrate(): Promise<void> {
    await this.#bystander?.calibrate(CALIBRATION_MS);
    this.#usualBytes = await settledBytes(this.operator.pid);
  }
}

/** The inputs of an attack on the operator. */
export interface Context {
  readonly testbed: OperatorTestbed;
  readonly random: Random;
  readonly canaries: Canaries;
  /** A namespace for this attack only. */
  readonly namespace: string;
}

/** An attack on the operator. */
export interface OperatorAttack {
  readonly name: string;
  /** Whether the attack stops the operator on purpose. */
  readonly outage?: true;
  /** @returns the faults */
  readonly run: (context: Context) => Promise<readonly string[]>;
}
