/** For tests: the customer controller on a real API server, and a user of its resources. */
import { join } from 'node:path';
import {
  CoreV1Api,
  CustomObjectsApi,
  EventsV1Api,
  type KubeConfig,
  V1ObjectMeta,
  V1Secret,
} from '@kubernetes/client-node';
import { pino } from 'pino';
import { budgets, customers, instances, keys } from '../../api/kinds.ts';
import {
  annotations,
  API_VERSION,
  type GatewayBudget,
  type GatewayBudgetSpec,
  type GatewayCustomer,
  type GatewayCustomerSpec,
  type GatewayInstanceSpec,
  type GatewayKey,
  type GatewayKeySpec,
  GROUP,
  VERSION,
} from '../../api/v1alpha1/v1alpha1.ts';
import { budgetController } from '../../budget/budget.ts';
import { Connections, GatewayIdentity, identityKey } from '../../connection/connection.ts';
import { enforcementController } from '../../enforcement/enforcement.ts';
import { currentPods, fakePods, type FakePods } from '../../enforcement/testing/pods.ts';
import { GatewayClients } from '../../gateway/gateway.ts';
import type { GuardrailEndpoint } from '../../guardrail/guardrail.ts';
import { policyController } from '../../policy/policy.ts';
import { keyController } from '../../key/key.ts';
import { Manager, RuntimeMetrics } from '../../runtime/runtime.ts';
import { eventually, fastClock, SkippingClock, timeoutAt } from '../../runtime/testing/testing.ts';
import { customerController } from '../customer.ts';
import { conditionOf } from '../status.ts';

export { eventually };

/** The default of `spec.syncInterval` of an instance. */
export const SYNC_INTERVAL_MS = 5 * 60_000;
const DEFINITIONS = ['gatewaycustomers', 'gatewayinstances', 'gatewaybudgets', 'gatewaykeys', 'guardrailpolicies'].map(
  (plural) => join(import.meta.dirname, '../../../crds', `${plural}.${GROUP}.yaml`),
);

/** How an operator of a test differs from a real one. */
export interface TestOperatorOptions {
  /** How many times as fast its intervals pass. Default: 1. A test that skips time leaves it. */
  readonly pace?: number;
  /** Whether it installs the CustomResourceDefinitions, which takes a quarter of a second. Default: true. */
  readonly installsCrds?: boolean;
}

/** An operator with the controllers of customers, budgets and lists, in the test's own process. */
export class TestOperator extends Manager {
  readonly metrics: RuntimeMetrics;
  /** The endpoints at which sessions are erased. */
  guardrails: () => Promise<readonly GuardrailEndpoint[]> = () => Promise.resolve([]);
  /** The pods of each guardrail. */
  pods: FakePods = currentPods;
  readonly #definitions: readonly string[];
  readonly #clients: GatewayClients;
  readonly #clock: SkippingClock;
  readonly #ahead: { ms: number };
  #gatewaySkewMs = 0;

  constructor(
    kubeConfig: KubeConfig,
    namespaces: readonly string[],
    { pace = 1, installsCrds = true }: TestOperatorOptions = {},
  ) {
    const clock = new SkippingClock();
    const paced = fastClock(pace, clock);
    const ahead = { ms: 0 };
    const metrics = new RuntimeMetrics();
    super({
      log: pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
      kubeConfig,
      namespace: 'default',
      watchNamespaces: namespaces,
      leaseName: undefined,
      http: undefined,
      installCrds: true,
      crdRevisionAnnotation: annotations.crdRevision,
      eventSource: `${GROUP}/test`,
      drainMs: pace * 5_000,
      controllers: { backoffMs: [pace * 50, pace * 500], timeoutMs: timeoutAt(pace) },
      clock: {
        ...paced,
        now: () => new Date(clock.now().getTime() + ahead.ms),
      },
      metrics,
    });
    this.metrics = metrics;
    this.#definitions = installsCrds ? DEFINITIONS : [];
    this.#clock = clock;
    this.#ahead = ahead;
    this.#clients = new GatewayClients({ now: () => performance.now() + this.#gatewaySkewMs });
  }

  /** Advances the operator's clock, except that of the rate limits: see {@link skipForGateway}. */
  skip(ms: number): void {
    this.#clock.skip(ms);
  }

  /**
   * Advances the clock by the default sync interval and its jitter, so that every customer is due once. Running reconciles end
   * first: one that schedules its next turn after the jump would not be due.
   */
  async skipInterval(): Promise<void> {
    await this.untilIdle();
    this.skip(1.1 * SYNC_INTERVAL_MS);
  }

  /** Advances the clock of the rate limits for gateway calls. */
  skipForGateway(ms: number): void {
    this.#gatewaySkewMs += ms;
  }

  /** Waits until no reconcile is due or runs, and no list is read: responses of the gateway are then processed, too. */
  async untilIdle(): Promise<void> {
    await eventually(() => {
      this.#expectNoReconcile();
      if (this.#clients.isListing) throw new Error('The records of a gateway are being read.');
    });
  }

  /** Waits until no reconcile is due or runs. Reconciles do not wait for a list that is being read. */
  async untilReconciled(): Promise<void> {
    await eventually(() => {
      this.#expectNoReconcile();
    });
  }

  #expectNoReconcile(): void {
    if (!this.idle) throw new Error('A reconcile is due or runs.');
  }

  /** Advances the operator's time of day. */
  advance(ms: number): void {
    this.#ahead.ms += ms;
  }

  protected override async init(): Promise<void> {
    for (const file of this.#definitions) await this.registerCustomResourceDefinition(file);
    const { client, clock } = this.runtime;
    const readKey = (): Promise<Buffer> => identityKey(client, 'default');
    const identity = new GatewayIdentity({ clusterDomain: 'cluster.local', readKey });
    const connections = new Connections({ client, clock, instances: this.runtime.cache(instances) });
    const guardrails = (): Promise<readonly GuardrailEndpoint[]> => this.guardrails();
    this.addController(
      enforcementController(this.runtime, { identity, findPods: fakePods(this.runtime, () => this.pods) }),
    );
    this.addController(policyController(this.runtime));
    this.addController(budgetController(this.runtime, { identity, connections, clients: this.#clients }));
    this.addController(keyController(this.runtime, { identity, connections, clients: this.#clients }));
    this.addController(customerController(this.runtime, { identity, connections, clients: this.#clients, guardrails }));
  }

  /** Stops the operator and waits for its end. */
  async end(): Promise<void> {
    this.stop();
    await this.finished();
    await this.#clients.close();
  }
}

/** A user with kubectl in one namespace. */
export class KubectlUser {
  readonly namespace: string;
  readonly #objects: CustomObjectsApi;
  readonly #core: CoreV1Api;
  readonly #events: EventsV1Api;

  constructor(kubeConfig: KubeConfig, namespace: string) {
    this.namespace = namespace;
    this.#objects = kubeConfig.makeApiClient(CustomObjectsApi);
    this.#core = kubeConfig.makeApiClient(CoreV1Api);
    this.#events = kubeConfig.makeApiClient(EventsV1Api);
  }

  async secret(name: string, key: string): Promise<void> {
    const where = { namespace: this.namespace };
    await this.#core.deleteNamespacedSecret({ ...where, name }).catch(() => undefined);
    const body = Object.assign(new V1Secret(), {
      metadata: Object.assign(new V1ObjectMeta(), { name }),
      stringData: { key },
    });
    await this.#core.createNamespacedSecret({ ...where, body });
  }

  async deleteSecret(name: string): Promise<void> {
    await this.#core.deleteNamespacedSecret({ name, namespace: this.namespace });
  }

  async instance(name: string, spec: Partial<GatewayInstanceSpec>): Promise<void> {
    const full = { masterKeySecretRef: { name, key: 'key' }, proxyName: 'litellm', ...spec };
    await this.#create(instances.plural, { kind: instances.kind, metadata: { name }, spec: full });
  }

  async customer(name: string, spec: Partial<GatewayCustomerSpec>, marks: Record<string, string> = {}): Promise<void> {
    const full = { instanceRef: { name: 'main' }, customerId: `${this.namespace}.${name}`, ...spec };
    const metadata = { name, annotations: marks };
    await this.#create(customers.plural, { kind: customers.kind, metadata, spec: full });
  }

  async budget(name: string, spec: Partial<GatewayBudgetSpec> = {}, marks: Record<string, string> = {}): Promise<void> {
    const full = { instanceRef: { name: 'main' }, ...spec };
    await this.#create(budgets.plural, { kind: budgets.kind, metadata: { name, annotations: marks }, spec: full });
  }

  /** A key whose Secret has the name of the resource. */
  async key(name: string, spec: Partial<GatewayKeySpec> = {}, marks: Record<string, string> = {}): Promise<void> {
    const full = { instanceRef: { name: 'main' }, secretRef: { name, key: 'api-key' }, ...spec };
    await this.#create(keys.plural, { kind: keys.kind, metadata: { name, annotations: marks }, spec: full });
  }

  /** A JSON merge patch. */
  async patch(name: string, patch: object, plural = customers.plural): Promise<void> {
    const where = { group: GROUP, version: VERSION, namespace: this.namespace, plural, name };
    // client-node sends the first content type that it knows, and a JSON patch is a list.
    const operations = toOperations(await this.#objects.getNamespacedCustomObject(where), patch);
    await this.#objects.patchNamespacedCustomObject({ ...where, body: operations });
  }

  /** Sets fields of the status, as the operator does. */
  async patchStatus(name: string, status: object, plural = instances.plural): Promise<void> {
    const where = { group: GROUP, version: VERSION, namespace: this.namespace, plural, name };
    const current = (await this.#objects.getNamespacedCustomObject(where)) as { status?: object };
    const body = [{ op: 'add', path: '/status', value: { ...current.status, ...status } }];
    await this.#objects.patchNamespacedCustomObjectStatus({ ...where, body });
  }

  async annotate(
    name: string,
    annotation: keyof typeof annotations,
    value: string | null,
    plural = customers.plural,
  ): Promise<void> {
    await this.patch(name, { metadata: { annotations: { [annotations[annotation]]: value } } }, plural);
  }

  async delete(name: string, plural = customers.plural): Promise<void> {
    const where = { group: GROUP, version: VERSION, namespace: this.namespace, plural, name };
    await this.#objects.deleteNamespacedCustomObject(where);
  }

  async deleteNamespace(): Promise<void> {
    await this.#core.deleteNamespace({ name: this.namespace });
  }

  /** @returns undefined if it does not exist */
  async get(name: string): Promise<GatewayCustomer | undefined> {
    return (await this.#get(name, customers.plural)) as GatewayCustomer | undefined;
  }

  /** @returns undefined if it does not exist */
  async getBudget(name: string): Promise<GatewayBudget | undefined> {
    return (await this.#get(name, budgets.plural)) as GatewayBudget | undefined;
  }

  /** @returns undefined if it does not exist */
  async getKey(name: string): Promise<GatewayKey | undefined> {
    return (await this.#get(name, keys.plural)) as GatewayKey | undefined;
  }

  /** A Secret; undefined if it does not exist. */
  async readSecret(name: string): Promise<V1Secret | undefined> {
    return await this.#core.readNamespacedSecret({ name, namespace: this.namespace }).catch((error: unknown) => {
      if ((error as { code?: number }).code === 404) return undefined;
      throw error;
    });
  }

  async list(): Promise<GatewayCustomer[]> {
    const where = { group: GROUP, version: VERSION, namespace: this.namespace, plural: customers.plural };
    return ((await this.#objects.listNamespacedCustomObject(where)) as { items: GatewayCustomer[] }).items;
  }

  /** Reasons of all events about a customer, oldest first. */
  async events(name: string, namespace = this.namespace): Promise<string[]> {
    const { items } = await this.#events.listNamespacedEvent({ namespace });
    return items
      .filter((event) => event.regarding?.name === name)
      .sort((one, other) => String(one.eventTime).localeCompare(String(other.eventTime)))
      .map((event) => event.reason ?? '');
  }

  /** Waits until a customer is in a state. */
  async until(name: string, holds: (customer: GatewayCustomer) => boolean): Promise<GatewayCustomer> {
    return await eventually(async () => {
      const customer = await this.get(name);
      if (customer === undefined || !holds(customer)) {
        throw new Error(`${name} is not as expected: ${JSON.stringify(customer?.status ?? null, null, 1)}`);
      }
      return customer;
    });
  }

  /** Waits for a reason of the condition Synced for the current spec. */
  async untilReason(name: string, reason: string): Promise<GatewayCustomer> {
    return await this.until(name, (customer) => {
      const synced = conditionOf(customer, 'Synced');
      return synced?.reason === reason && synced.observedGeneration === customer.metadata.generation;
    });
  }

  /** Waits until a budget is in a state. */
  async untilBudget(name: string, holds: (budget: GatewayBudget) => boolean): Promise<GatewayBudget> {
    return await eventually(async () => {
      const budget = await this.getBudget(name);
      if (budget === undefined || !holds(budget)) {
        throw new Error(`${name} is not as expected: ${JSON.stringify(budget?.status ?? null, null, 1)}`);
      }
      return budget;
    });
  }

  /** Waits for a reason of the condition Ready of a budget for the current spec. */
  async untilBudgetReason(name: string, reason: string): Promise<GatewayBudget> {
    return await this.untilBudget(name, ({ status, metadata }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.reason === reason && ready.observedGeneration === metadata.generation;
    });
  }

  /** Waits until a key is in a state. */
  async untilKey(name: string, holds: (key: GatewayKey) => boolean): Promise<GatewayKey> {
    return await eventually(async () => {
      const key = await this.getKey(name);
      if (key === undefined || !holds(key)) {
        throw new Error(`${name} is not as expected: ${JSON.stringify(key?.status ?? null, null, 1)}`);
      }
      return key;
    });
  }

  /** Waits for a reason of the condition Ready of a key for the current spec. */
  async untilKeyReason(name: string, reason: string): Promise<GatewayKey> {
    return await this.untilKey(name, ({ status, metadata }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.reason === reason && ready.observedGeneration === metadata.generation;
    });
  }

  async untilBudgetGone(name: string): Promise<void> {
    await eventually(async () => {
      const budget = await this.getBudget(name);
      if (budget !== undefined) throw new Error(`${name} is still there: ${JSON.stringify(budget.status?.conditions)}`);
    });
  }

  /** Waits until a resource that is created now is younger: Kubernetes counts creation times in seconds. */
  async untilOlder(name: string): Promise<void> {
    const created = Date.parse((await this.get(name))?.metadata.creationTimestamp ?? '');
    await eventually(() => {
      if (!(Date.now() >= created + 1_000)) throw new Error(`${name} was created in this second.`);
    });
  }

  async untilGone(name: string): Promise<void> {
    await eventually(async () => {
      const customer = await this.get(name);
      if (customer !== undefined)
        throw new Error(`${name} is still there: ${JSON.stringify(customer.status?.conditions)}`);
    });
  }

  async #get(name: string, plural: string): Promise<unknown> {
    const where = { group: GROUP, version: VERSION, namespace: this.namespace, plural, name };
    return await this.#objects.getNamespacedCustomObject(where).catch((error: unknown) => {
      if ((error as { code?: number }).code === 404) return undefined;
      throw error;
    });
  }

  async #create(plural: string, object: { kind: string; metadata: object; spec: object }): Promise<void> {
    await this.#objects.createNamespacedCustomObject({
      group: GROUP,
      version: VERSION,
      namespace: this.namespace,
      plural,
      body: { apiVersion: API_VERSION, ...object },
    });
  }
}

/** A merge patch as the operations of a JSON patch on an object: null removes. */
function toOperations(object: unknown, patch: object, path = ''): object[] {
  return Object.entries(patch).flatMap(([name, value]: [string, unknown]) => {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const there = (object as Record<string, unknown> | undefined)?.[name];
    if (value === null) return there === undefined ? [] : [{ op: 'remove', path: at }];
    if (typeof value !== 'object' || Array.isArray(value)) return [{ op: 'add', path: at, value }];
    if (there === undefined) return [{ op: 'add', path: at, value }];
    return toOperations(there, value, at);
  });
}
