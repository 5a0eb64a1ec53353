/**
 * An operator with only the controller of instances, a development gateway, and stand-ins for the cluster's
 * controllers.
 */
import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from '@kubernetes/client-node';
import { pino } from 'pino';
import type { ControlPlane } from '../../../hack/harness/controlplane.ts';
import type { DevGateway } from '../../../hack/harness/gateway/gateway.ts';
import { startDevGateway } from '../../../hack/harness/gateway/gateway.ts';
import { instances } from '../../api/kinds.ts';
import type { Condition, GatewayInstance, GatewayInstanceSpec } from '../../api/v1alpha1/v1alpha1.ts';
import {
  annotations,
  API_VERSION,
  gatewayCustomerNames,
  gatewayInstanceNames,
  GROUP,
  type GuardrailPolicy,
  guardrailPolicyNames,
  type GuardrailPolicySpec,
  VERSION,
} from '../../api/v1alpha1/v1alpha1.ts';
import { GatewayClients } from '../../gateway/gateway.ts';
import type { InstanceConditionType } from '../../conditions/conditions.ts';
import { policyController } from '../../policy/policy.ts';
import { type Clock, Manager } from '../../runtime/runtime.ts';
import { eventually, fastClock, timeoutAt } from '../../runtime/testing/testing.ts';
import { Connections } from '../../connection/connection.ts';
import { testIdentity } from '../../connection/testing/testIdentity.ts';
import { enforcementController } from '../../enforcement/enforcement.ts';
import { currentPods, fakePods, type FakePods } from '../../enforcement/testing/pods.ts';
import { instanceController } from '../instance.ts';
import type { AskLastCall } from '../sharedSessions.ts';

export const MASTER_KEY = 'sk-master';

const AS_USER = { fieldManager: 'user', force: true };
const SERVER_SIDE = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);
const MERGE = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

/** The operator's time passes this many times as fast: a test waits for a state, not for an interval. */
const PACE = 20;
/** Timers of the operator that are at least this long are intervals. Shorter ones delay a repeated call. */
const INTERVAL_MS = 1_000;

/** The operator's time. */
class OperatorTime implements Clock {
  readonly #pace = fastClock(PACE);
  #aheadMs = 0;
  #isHeld = false;

  monotonic(): number {
    return this.#pace.monotonic();
  }

  now(): Date {
    return new Date(this.#pace.now().getTime() + this.#aheadMs);
  }

  after(ms: number, callback: () => void): () => void {
    return this.#isHeld && ms >= INTERVAL_MS ? () => undefined : this.#pace.after(ms, callback);
  }

  random(): number {
    return this.#pace.random();
  }

  /** Advances the time of day. */
  advance(ms: number): void {
    this.#aheadMs += ms;
  }

  /** No interval that begins now ends: only events start reconciles. */
  holdIntervals(): void {
    this.#isHeld = true;
  }
}

/** The error of a call, or an empty text. */
export async function failure(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => '',
    (error: unknown) => String(error),
  );
}

interface OperatorOptions {
  readonly resolve: (url: string) => string;
  readonly pods: () => FakePods;
  readonly askLastCall: AskLastCall;
  readonly clock: Clock;
}

class InstanceOperator extends Manager {
  readonly #resolve: (url: string) => string;
  readonly #pods: () => FakePods;
  readonly #askLastCall: AskLastCall;

  constructor(
    plane: ControlPlane,
    namespaces: readonly [string, ...string[]],
    { resolve, pods, askLastCall, clock }: OperatorOptions,
  ) {
    super({
      log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
      kubeConfig: plane.kubeConfig(),
      namespace: namespaces[0],
      watchNamespaces: namespaces,
      leaseName: undefined,
      http: undefined,
      installCrds: false,
      crdRevisionAnnotation: annotations.crdRevision,
      eventSource: `${GROUP}/test`,
      drainMs: PACE * 5_000,
      controllers: { timeoutMs: timeoutAt(PACE) },
      clock,
    });
    this.#resolve = resolve;
    this.#pods = pods;
    this.#askLastCall = askLastCall;
  }

  protected override async init(): Promise<void> {
    const { runtime } = this;
    const connections = new Connections({
      client: runtime.client,
      clock: runtime.clock,
      instances: runtime.cache(instances),
    });
    const clients = new GatewayClients();
    // Guardrails start when they have a list of who may call.
    this.addController(
      enforcementController(runtime, { identity: testIdentity, findPods: fakePods(runtime, this.#pods) }),
    );
    const [resolve, askLastCall] = [this.#resolve, this.#askLastCall];
    this.addController(instanceController(runtime, { connections, clients, resolve, askLastCall }));
    this.addController(policyController(runtime));
    await Promise.resolve();
  }
}

/** The namespace, gateway and operator of one test. */
export class Testbed {
  readonly plane: ControlPlane;
  readonly namespace: string;
  readonly gateway: DevGateway;
  readonly apps: AppsV1Api;
  readonly core: CoreV1Api;
  readonly custom: CustomObjectsApi;
  /** When guardrails got a call without an end user, as their pods report. */
  lastCall: Date | undefined;
  readonly #time = new OperatorTime();
  readonly #resolve: (url: string) => string;
  #pods: FakePods = currentPods;
  #namespaces: readonly [string, ...string[]];
  #operator: InstanceOperator;
  #looks = 0;

  private constructor(plane: ControlPlane, namespace: string, gateway: DevGateway, resolve: (url: string) => string) {
    this.plane = plane;
    this.namespace = namespace;
    this.gateway = gateway;
    this.#resolve = resolve;
    this.#namespaces = [namespace];
    this.#operator = this.#newOperator();
    const config = plane.kubeConfig();
    this.apps = config.makeApiClient(AppsV1Api);
    this.core = config.makeApiClient(CoreV1Api);
    this.custom = config.makeApiClient(CustomObjectsApi);
  }

  /** @param resolve where the test reaches the Service of a guardrail */
  static async start(plane: ControlPlane, resolve: (url: string) => string = (url) => url): Promise<Testbed> {
    const [namespace, gateway] = await Promise.all([
      plane.createNamespace('instance'),
      startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm' }),
    ]);
    const testbed = new Testbed(plane, namespace, gateway, resolve);
    await testbed.secret('gateway', { 'master-key': MASTER_KEY });
    await testbed.#operator.start();
    return testbed;
  }

  #newOperator(): InstanceOperator {
    return new InstanceOperator(this.plane, this.#namespaces, {
      resolve: this.#resolve,
      pods: () => this.#pods,
      askLastCall: () => Promise.resolve(this.lastCall),
      clock: this.#time,
    });
  }

  /** Advances the operator's time of day. */
  advance(ms: number): void {
    this.#time.advance(ms);
  }

  /** From now on, only events start reconciles. */
  holdIntervals(): void {
    this.#time.holdIntervals();
  }

  /** Replaces the pods of guardrails. Default: one pod that has everything at once. */
  set pods(pods: FakePods) {
    this.#pods = pods;
  }

  async stop(): Promise<void> {
    this.#operator.stop();
    await this.#operator.finished();
    await this.gateway.stop();
  }

  /** Stops the operator, and starts another one afterwards. */
  async restart(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    this.#operator.stop();
    await this.#operator.finished();
    await meanwhile();
    this.#operator = this.#newOperator();
    await this.#operator.start();
  }

  /** Creates or replaces a Secret. */
  async secret(name: string, data: Record<string, string>): Promise<void> {
    const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: Object.fromEntries(encoded) as object };
    await this.core.patchNamespacedSecret({ name, namespace: this.namespace, body, ...AS_USER }, SERVER_SIDE);
  }

  /** Creates or replaces a ConfigMap. */
  async configMap(name: string, data: Record<string, string>): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    await this.core.patchNamespacedConfigMap({ name, namespace: this.namespace, body, ...AS_USER }, SERVER_SIDE);
  }

  /** Applies as users do: client-side. */
  async apply(manifest: object): Promise<void> {
    await this.plane.kubectl(['apply', '-n', this.namespace, '-f', '-'], JSON.stringify(manifest));
  }

  /**
   * The versions of all objects in the namespace except instances and customers. A write with an effect increments one.
   * Waits for the list of who may call of a guardrail, which a controller of its own writes.
   */
  async versions(): Promise<string[]> {
    return await eventually(async () => {
      const versions = await this.#versions();
      const has = (object: string): boolean => versions.some((version) => version.startsWith(`${object} `));
      if (has('Secret main-guardrail-keys') && !has('ConfigMap main-guardrail-customers-0')) {
        throw new Error('The list of who may call is not written yet.');
      }
      return versions;
    });
  }

  async #versions(): Promise<string[]> {
    const kinds = 'deployments,services,serviceaccounts,configmaps,secrets,pdb,networkpolicies,events';
    const all = JSON.parse(await this.plane.kubectl(['get', kinds, '-n', this.namespace, '-o', 'json'])) as {
      items: { kind: string; metadata: { name: string; resourceVersion: string } }[];
    };
    return all.items.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
  }

  /** The reasons of all events of an instance. */
  async events(name: string): Promise<string[]> {
    const { items } = await this.core.listNamespacedEvent({ namespace: this.namespace });
    return items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason ?? '');
  }

  /** Replaces as `kubectl replace` does: the API server removes what the manifest does not name. */
  async replace(manifest: object): Promise<void> {
    await this.plane.kubectl(['replace', '-n', this.namespace, '-f', '-'], JSON.stringify(manifest));
  }

  /** The API server's rejection of a pod of a Deployment's template, or an empty text. Creates no pod. */
  async tryPod(deployment: string): Promise<string> {
    const template = (await this.deployment(deployment)).spec?.template;
    const named = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec: template?.spec };
    try {
      await this.plane.kubectl(['create', '-n', this.namespace, '--dry-run=server', '-f', '-'], JSON.stringify(named));
      return '';
    } catch (error) {
      return String(error);
    }
  }

  async readSecret(name: string): Promise<Record<string, string>> {
    const secret: V1Secret = await this.core.readNamespacedSecret({ name, namespace: this.namespace });
    return Object.fromEntries(
      Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    );
  }

  /** Creates an instance for the gateway. */
  async instance(spec: Partial<GatewayInstanceSpec> = {}, name = 'main'): Promise<void> {
    const body = {
      apiVersion: API_VERSION,
      kind: gatewayInstanceNames.kind,
      metadata: { name },
      spec: {
        endpoint: this.gateway.url,
        proxyName: 'litellm',
        masterKeySecretRef: { name: 'gateway', key: 'master-key' },
        ...spec,
      },
    };
    await this.custom.createNamespacedCustomObject({ ...this.#at(gatewayInstanceNames.plural), body });
  }

  /** Changes an instance by a merge patch. */
  async patch(patch: object, name = 'main'): Promise<void> {
    await this.custom.patchNamespacedCustomObject(
      { ...this.#at(gatewayInstanceNames.plural), name, body: patch },
      MERGE,
    );
  }

  /** Starts a complete reconcile of an instance, without another effect. */
  async look(): Promise<void> {
    await this.patch({ metadata: { annotations: { look: String((this.#looks += 1)) } } });
  }

  async read(name = 'main'): Promise<GatewayInstance> {
    return (await this.custom.getNamespacedCustomObject({
      ...this.#at(gatewayInstanceNames.plural),
      name,
    })) as GatewayInstance;
  }

  async remove(name = 'main'): Promise<void> {
    await this.custom.deleteNamespacedCustomObject({ ...this.#at(gatewayInstanceNames.plural), name });
  }

  /** Waits until an instance no longer exists. */
  async untilGone(name = 'main'): Promise<void> {
    await eventually(async () => {
      if (!(await failure(this.read(name))).includes('404')) throw new Error(`GatewayInstance ${name} exists.`);
    });
  }

  /** Deletes an instance without finalization, as a deletion does that starts before the finalizer is written. */
  async vanish(name = 'main'): Promise<void> {
    await this.remove(name);
    await this.patch({ metadata: { finalizers: null } }, name);
  }

  /** Creates or replaces a policy. */
  async policy(spec: GuardrailPolicySpec, name = 'strict'): Promise<void> {
    const { kind, plural } = guardrailPolicyNames;
    const body = { apiVersion: API_VERSION, kind, metadata: { name }, spec };
    await this.custom.patchNamespacedCustomObject({ ...this.#at(plural), name, body, ...AS_USER }, SERVER_SIDE);
  }

  async readPolicy(name = 'strict'): Promise<GuardrailPolicy> {
    return (await this.custom.getNamespacedCustomObject({
      ...this.#at(guardrailPolicyNames.plural),
      name,
    })) as GuardrailPolicy;
  }

  /** Waits until a condition of a policy has a reason at its newest generation. */
  async untilPolicy(type: 'Accepted' | 'Ready', reason: string, name = 'strict'): Promise<GuardrailPolicy> {
    return eventually(async () => {
      const policy = await this.readPolicy(name);
      const condition = policy.status?.conditions?.find((each) => each.type === type);
      if (condition?.reason !== reason || condition.observedGeneration !== policy.metadata.generation) {
        throw new Error(`${type} is ${JSON.stringify(condition)}, not ${reason}.`);
      }
      return policy;
    }, 30_000);
  }

  /** Creates a customer of an instance as it is before its first reconcile. */
  async customer(name: string, synced?: boolean): Promise<void> {
    const at = this.#at(gatewayCustomerNames.plural);
    const spec = { instanceRef: { name: 'main' }, customerId: name };
    const body = { apiVersion: API_VERSION, kind: gatewayCustomerNames.kind, metadata: { name }, spec };
    await this.custom.createNamespacedCustomObject({ ...at, body });
    if (synced === undefined) return;
    await this.custom.patchNamespacedCustomObjectStatus({ ...at, name, body: { status: { synced } } }, MERGE);
  }

  /** Creates a customer of the instance in a namespace that it does not allow, and that the operator watches from now on. */
  async guest(name: string): Promise<void> {
    const namespace = await this.plane.createNamespace('guests');
    this.#namespaces = [this.namespace, namespace];
    await this.restart();
    const spec = { instanceRef: { name: 'main', namespace: this.namespace }, customerId: name };
    const body = { apiVersion: API_VERSION, kind: gatewayCustomerNames.kind, metadata: { name }, spec };
    await this.custom.createNamespacedCustomObject({ ...this.#at(gatewayCustomerNames.plural), namespace, body });
  }

  async removeCustomer(name: string): Promise<void> {
    await this.custom.deleteNamespacedCustomObject({ ...this.#at(gatewayCustomerNames.plural), name });
  }

  /** Waits until a condition of an instance has a reason at its newest generation. */
  async until(type: InstanceConditionType, reason: string, name = 'main', withinMs = 30_000): Promise<Condition> {
    return eventually(async () => {
      const { status, metadata } = await this.read(name);
      const condition = status?.conditions?.find((each) => each.type === type);
      if (condition?.reason !== reason || condition.observedGeneration !== metadata.generation) {
        throw new Error(`${type} is ${JSON.stringify(condition)}, not ${reason}.`);
      }
      return condition;
    }, withinMs);
  }

  /** Makes the API server reject every change of a Deployment, as a policy of the cluster can. */
  async forbidChanges(name: string): Promise<void> {
    const group = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: `${this.namespace}-${name}` } };
    const rules = [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
        operations: ['UPDATE'],
        resourceNames: [name],
      },
    ];
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': this.namespace } };
    await this.apply({
      ...group,
      kind: 'ValidatingAdmissionPolicy',
      spec: {
        matchConstraints: { namespaceSelector, resourceRules: rules },
        validations: [{ expression: 'false', message: 'Changes are not allowed.' }],
      },
    });
    await this.apply({
      ...group,
      kind: 'ValidatingAdmissionPolicyBinding',
      spec: { policyName: group.metadata.name, validationActions: ['Deny'] },
    });
    // The API server applies the policy a moment later.
    await eventually(async () => {
      const change = [
        'annotate',
        'deployment',
        name,
        '-n',
        this.namespace,
        '--overwrite',
        '--dry-run=server',
        'try=it',
      ];
      const refused = await this.plane.kubectl(change).then(
        () => '',
        (error: unknown) => String(error),
      );
      if (!refused.includes('Changes are not allowed.')) throw new Error('Changes are not rejected yet.');
    });
  }

  async deployment(name: string): Promise<V1Deployment> {
    return this.apps.readNamespacedDeployment({ name, namespace: this.namespace });
  }

  /** Every state of a Deployment after an earlier one, up to the newest. Both must differ. */
  async statesSince(earlier: V1Deployment): Promise<V1Deployment[]> {
    const name = earlier.metadata?.name ?? '';
    const resourceVersion = earlier.metadata?.resourceVersion;
    const newest = (await this.deployment(name)).metadata?.resourceVersion;
    const states: V1Deployment[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const watch = await new Watch(this.plane.kubeConfig()).watch(
      `/apis/apps/v1/namespaces/${this.namespace}/deployments`,
      { resourceVersion, fieldSelector: `metadata.name=${name}` },
      (_, state: V1Deployment) => {
        states.push(state);
        if (state.metadata?.resourceVersion === newest) resolve(undefined);
      },
      reject,
    );
    await promise;
    watch.abort();
    return states;
  }

  /** Completes the rollout of a Deployment, as the cluster's controllers do. */
  async rollOut(name: string): Promise<void> {
    const { metadata, spec } = await this.deployment(name);
    const replicas = spec?.replicas ?? 1;
    const status = {
      observedGeneration: metadata?.generation ?? 0,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
    };
    await this.apps.patchNamespacedDeploymentStatus({ name, namespace: this.namespace, body: { status } }, MERGE);
  }

  #at(plural: string): { group: string; version: string; namespace: string; plural: string } {
    return { group: GROUP, version: VERSION, namespace: this.namespace, plural };
  }
}
