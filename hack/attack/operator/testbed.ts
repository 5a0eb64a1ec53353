/**
 * An operator under attack: a real API server, the real program as a process of its own, and a bystander: customers of
 * another gateway, which are changed all the time and must be synced as fast as ever.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { customers, instances } from '../../../operator/api/kinds.ts';
import type { GatewayCustomer, GatewayInstance } from '../../../operator/api/v1alpha1/v1alpha1.ts';
import { resource, type KubeObject, type ResourceKind } from '../../../operator/runtime/runtime.ts';
import {
  eventually,
  kubeEvents,
  leases,
  transportOptions,
  RestClient,
  Transport,
} from '../../../operator/runtime/testing/testing.ts';
import { startControlPlane, type ControlPlane } from '../../testing/controlplane.ts';
import { type DevGateway, startDevGateway } from '../../testing/gateway/gateway.ts';
import { removeAtExit } from '../../testing/processes.ts';
import type { Report } from '../../testing/progress.ts';
import { largeJsonMs } from '../largeJson.ts';
import { LEAST_SAMPLES, mebibytes, MOST_TIMES, percentile } from '../measure.ts';
import { resetPeak, peakBytes, settledBytes, waitForMemory } from '../memory.ts';
import type { Planted } from '../planted.ts';
import type { Random } from '../random.ts';
import { HOME, memoryLimit, startOperator, type OperatorProgram } from './program.ts';

const core = { group: '', version: 'v1' };
export const namespaces = resource<KubeObject>(
  { ...core, kind: 'Namespace', plural: 'namespaces' },
  { namespaced: false },
);
export const secrets = resource<KubeObject>({ ...core, kind: 'Secret', plural: 'secrets' });
export const configMaps = resource<KubeObject>({ ...core, kind: 'ConfigMap', plural: 'configmaps' });

const BYSTANDERS = 8;
const EVERY_MS = 150;
const CALM_MS = 4_000;
/** The thread for texts ends after 5 s without work, and V8 keeps its pages for about 10 s more. */
const BACK_MS = 30_000;
/** A gateway that does not answer is given up after 10 s. */
const EXPLAINED_WITHIN_MS = 15_000;
/** A kubelet restarts what fails three probes in a row, each with a time-out of 5 s. */
const HEALTHY_WITHIN_MS = 5_000;
/** A lease is renewed every 2 s, and lost after 15. */
const RENEWED_WITHIN_MS = 8_000;
/**
 * The longest time that a bystander's sync may always take, as a multiple of {@link largeJsonMs}. The API server, etcd, the
 * gateways, and the guardrail that is under attack at the same time share two processors with the operator. A blocked event
 * loop takes far longer.
 */
const FLOOR_TIMES = 28;
/** A change that begins during an attack is waited for at most this long afterwards. */
const LATE_MS = 2_000;

/** Who attacks looks with, and at what. */
export class OperatorTestbed {
  readonly plane: ControlPlane;
  readonly client: RestClient;
  readonly operator: OperatorProgram;
  readonly #transport: Transport;
  readonly #gateway: DevGateway;
  readonly #latencies: { readonly at: number; readonly ms: number }[] = [];
  #isOver = false;
  #usualMs: readonly number[] = [];
  #usualBytes = 0;
  #floorMs = 0;
  #logRead = 0;

  private constructor(plane: ControlPlane, operator: OperatorProgram, gateway: DevGateway) {
    this.plane = plane;
    this.operator = operator;
    this.#gateway = gateway;
    this.#transport = new Transport(plane.kubeConfig(), transportOptions());
    this.client = new RestClient(this.#transport);
  }

  static async start(report: Report): Promise<OperatorTestbed> {
    const plane = await startControlPlane({ report });
    const folder = mkdtempSync(join(tmpdir(), 'attack-operator-'));
    removeAtExit(folder);
    await plane.kubectl(['create', 'namespace', HOME]);
    const operator = await startOperator(plane, folder);
    const gateway = await startDevGateway({ port: 0, masterKey: 'sk-bystander', proxyName: 'litellm' });
    const testbed = new OperatorTestbed(plane, operator, gateway);
    await testbed.#startBystander();
    return testbed;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.operator.kill();
    await this.#transport.close();
    await this.#gateway.stop();
    await this.plane.stop();
  }

  async namespace(name: string): Promise<void> {
    await this.client.create(namespaces, { metadata: { name } });
  }

  /** Takes away what a namespace has of the operator's kinds, whatever the operator thinks of it. */
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
   * Does something hostile, and looks whether the operator has borne it. @returns what is wrong
   * @param how `outage`: the operator was away on purpose, so that the bystander had to wait
   */
  async runAttack(
    attack: () => Promise<readonly string[]>,
    planted: Planted,
    how: { readonly outage?: true } = {},
  ): Promise<string[]> {
    if (this.operator.end !== undefined) await this.operator.restart();
    const { pid } = this.operator;
    const holder = await this.#holder();
    resetPeak(pid);
    const began = performance.now();
    const faults = new Set(await attack());
    await delay(Math.max(0, CALM_MS / 2 - (performance.now() - began)));
    const ended = performance.now();
    if (this.operator.end !== undefined) {
      faults.add(`the operator ended with ${this.operator.end}`);
      await this.operator.restart();
    }
    if (!(await this.#untilHealthy())) {
      faults.add('/healthz of the operator does not answer 200');
      await this.operator.kill();
      await this.operator.restart();
    }
    const isAnother = this.operator.pid !== pid;
    if (how.outage === undefined) {
      // A change that is still on its way was delayed for at least as long.
      await delay(Math.min(LATE_MS, ended - began));
      const slow = this.#slowdown(began, ended);
      if (slow !== undefined) faults.add(slow);
      if (!isAnother && (await this.#holder()) !== holder) faults.add('the lease has changed hands');
      const peak = peakBytes(this.operator.pid);
      if (peak > memoryLimit())
        faults.add(`it held ${mebibytes(peak)}, and its container has ${mebibytes(memoryLimit())}`);
    }
    const unheld = await this.#untilRenewed();
    if (unheld !== undefined) faults.add(unheld);
    if (isAnother) await this.#calibrate();
    const more = await waitForMemory(this.operator.pid, this.#usualBytes, BACK_MS);
    if (more !== undefined) {
      faults.add(more);
      // Said once: the next attack is judged by what it does itself.
      this.#usualBytes = await settledBytes(this.operator.pid);
    }
    for (const leak of await this.#leaks(planted)) faults.add(leak);
    return [...faults];
  }

  async #untilHealthy(): Promise<boolean> {
    const deadline = performance.now() + HEALTHY_WITHIN_MS;
    while (!(await this.operator.healthy())) {
      if (performance.now() > deadline) return false;
      await delay(200);
    }
    return true;
  }

  /** Where no planted value may stand. @returns what is wrong */
  async #leaks(planted: Planted): Promise<string[]> {
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
      planted.scan(text).map((token) => `${where} shows a planted value (${token})`),
    );
    return metrics === undefined ? [...leaks, '/metrics of the operator does not answer'] : leaks;
  }

  async #holder(): Promise<string> {
    const [lease] = await this.client.list(leases, { namespace: HOME });
    return lease?.spec?.holderIdentity ?? '';
  }

  async #untilRenewed(): Promise<string | undefined> {
    const renewal = async (): Promise<string> => {
      const [lease] = await this.client.list(leases, { namespace: HOME });
      return lease?.spec?.renewTime ?? '';
    };
    const [before, deadline] = [await renewal(), performance.now() + RENEWED_WITHIN_MS];
    while (performance.now() < deadline) {
      await delay(200);
      if ((await renewal()) !== before) return undefined;
    }
    return 'the lease is not renewed';
  }

  #slowdown(from: number, until: number): string | undefined {
    const during = this.#latencies.filter(({ at }) => at >= from && at <= until).map(({ ms }) => ms);
    // A short attack has few changes, and a blocked event loop may delay only one of them. In a long one, a single slow
    // change is noise of the machine: a blocked event loop delays all bystanders.
    const [usual, worst] = [
      percentile(this.#usualMs, 0.99),
      percentile(during, during.length < LEAST_SAMPLES ? 1 : 0.99),
    ];
    if (during.length === 0) return 'no customer of another instance was synced meanwhile';
    const allowed = Math.max(MOST_TIMES * usual, this.#floorMs);
    if (worst <= allowed) return undefined;
    return `a customer of another instance was synced after ${worst.toFixed(0)} ms; ${allowed.toFixed(0)} ms is allowed`;
  }

  async #startBystander(): Promise<void> {
    const namespace = 'bystander';
    await this.namespace(namespace);
    await this.secret(namespace, 'gateway', 'sk-bystander');
    const masterKeySecretRef = { name: 'gateway', key: 'key' };
    const spec = { endpoint: this.#gateway.url, proxyName: 'litellm', masterKeySecretRef };
    // The operator installs the definitions first.
    await eventually(() => this.client.create(instances, { metadata: { namespace, name: 'main' }, spec } as object));
    const names = Array.from({ length: BYSTANDERS }, (_, at) => `calm-${at}`);
    for (const name of names) {
      const own = { instanceRef: { name: 'main' }, customerId: name, alias: 'One', maxBudget: 5 };
      await this.client.create(customers, { metadata: { namespace, name }, spec: own } as object);
    }
    for (const name of names) await eventually(() => this.#synced({ namespace, name }));
    for (const name of names) void this.#change({ namespace, name });
    await this.#calibrate();
  }

  /** Changes one customer over and over, and times how long it takes to be synced. */
  async #change(key: { readonly namespace: string; readonly name: string }): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1) {
      const at = performance.now();
      try {
        await this.client.patch(customers, key, { spec: { alias: `Alias ${n}` } });
        await eventually(() => this.#synced(key), 60_000);
        this.#latencies.push({ at, ms: performance.now() - at });
      } catch {
        this.#latencies.push({ at, ms: Number.POSITIVE_INFINITY });
      }
      await delay(BYSTANDERS * EVERY_MS);
    }
  }

  async #synced(key: { readonly namespace: string; readonly name: string }): Promise<void> {
    const customer = await this.client.get(customers, key);
    if (!isSynced(customer)) throw new Error(`${key.name} is not synced.`);
  }

  /** Takes how things are now for the usual. */
  async #calibrate(): Promise<void> {
    const from = performance.now();
    await delay(CALM_MS);
    this.#usualMs = this.#latencies.filter(({ at, ms }) => at >= from && Number.isFinite(ms)).map(({ ms }) => ms);
    this.#floorMs = FLOOR_TIMES * (await largeJsonMs());
    this.#usualBytes = await settledBytes(this.operator.pid);
  }
}

/** Whether a customer is in sync with its spec as it is now. */
export function isSynced({ metadata, status }: GatewayCustomer): boolean {
  return status?.synced === true && status.observedGeneration === metadata.generation;
}

/** Says which objects have no condition that says how things are. */
function unexplained(objects: readonly (GatewayCustomer | GatewayInstance)[]): string[] {
  return objects
    .filter(({ status }) => (status?.conditions ?? []).every(({ message, reason }) => message === '' || reason === ''))
    .map(({ kind, metadata: { name, namespace } }) => `${kind} ${namespace}/${name} has no condition that says why`);
}

/** Waits until every object of a namespace says how it is. @returns what is wrong */
export async function explained({ testbed, namespace }: Context): Promise<string[]> {
  try {
    await eventually(async () => {
      const all = [
        ...(await testbed.client.list(instances, { namespace })),
        ...(await testbed.client.list(customers, { namespace })),
      ];
      const problems = unexplained(all);
      if (problems.length > 0) throw new Error(problems.join('; '));
    }, EXPLAINED_WITHIN_MS);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** The messages of all conditions of an object. */
export function messagesOf({ status }: GatewayCustomer | GatewayInstance): string {
  return (status?.conditions ?? []).map(({ type, reason, message }) => `${type} ${reason}: ${message}`).join('\n');
}

/** What each attack on the operator is given, beside the stand. */
export interface Context {
  readonly testbed: OperatorTestbed;
  readonly random: Random;
  readonly planted: Planted;
  /** A namespace of the attack's own. */
  readonly namespace: string;
}

/** An attack on the operator. @returns what is wrong */
export interface OperatorAttack {
  readonly name: string;
  readonly outage?: true;
  readonly run: (context: Context) => Promise<readonly string[]>;
}
