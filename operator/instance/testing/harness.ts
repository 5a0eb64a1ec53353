/**
 * An operator with only the controller of instances, a development gateway, and stand-ins for the cluster's
 * controllers.
 */
import { join } from 'node:path';
import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import { AppsV1Api, CoreV1Api, CustomObjectsApi, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
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
import type { Clock } from '../../runtime/runtime.ts';
import { Manager, systemClock } from '../../runtime/runtime.ts';
import { eventually } from '../../runtime/testing/eventually.ts';
import { Connections } from '../../connection/connection.ts';
import { type AskPods, enforcementController } from '../../enforcement/enforcement.ts';
import { currentPods } from '../../enforcement/testing/pods.ts';
import { instanceController } from '../instance.ts';

export const MASTER_KEY = 'sk-master';

const crds = join(import.meta.dirname, '../../../crds');

/** Installs the CRDs, and waits until the API server serves their kinds. */
export async function installCrds(plane: ControlPlane): Promise<void> {
  await plane.kubectl(['apply', '--server-side', '--force-conflicts', '-k', crds]);
  const names = [gatewayCustomerNames, gatewayInstanceNames, guardrailPolicyNames].map(
    ({ plural }) => `crd/${plural}.${GROUP}`,
  );
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=30s', ...names]);
}

/** A namespace that no instance allows. It is created with its first customer. */
const guestsOf = (namespace: string): string => `${namespace}-guests`;

class InstanceOperator extends Manager {
  readonly #resolve: (url: string) => string;
  readonly #askPods: AskPods;

  constructor(
    plane: ControlPlane,
    namespace: string,
    { resolve, askPods, clock }: { resolve: (url: string) => string; askPods: AskPods; clock: Clock },
  ) {
    super({
      log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
      kubeConfig: plane.kubeConfig(),
      namespace,
      watchNamespaces: [namespace, guestsOf(namespace)],
      leaseName: undefined,
      http: undefined,
      installCrds: false,
      crdRevisionAnnotation: annotations.crdRevision,
      eventSource: `${GROUP}/test`,
      drainMs: 5_000,
      clock,
    });
    this.#resolve = resolve;
    this.#askPods = askPods;
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
    this.addController(enforcementController(runtime, { askPods: this.#askPods }));
    this.addController(instanceController(runtime, { connections, clients, resolve: this.#resolve }));
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
  readonly #newOperator: () => InstanceOperator;
  #operator: InstanceOperator;
  readonly #ahead: { ms: number };
  readonly #pods: { ask: AskPods };

  private constructor(
    plane: ControlPlane,
    namespace: string,
    gateway: DevGateway,
    newOperator: () => InstanceOperator,
    { ahead, pods }: { readonly ahead: { ms: number }; readonly pods: { ask: AskPods } },
  ) {
    this.#ahead = ahead;
    this.#pods = pods;
    this.plane = plane;
    this.namespace = namespace;
    this.gateway = gateway;
    this.#newOperator = newOperator;
    this.#operator = newOperator();
    const config = plane.kubeConfig();
    this.apps = config.makeApiClient(AppsV1Api);
    this.core = config.makeApiClient(CoreV1Api);
    this.custom = config.makeApiClient(CustomObjectsApi);
  }

  /** @param resolve where the test reaches the Service of a guardrail */
  static async start(plane: ControlPlane, resolve: (url: string) => string = (url) => url): Promise<Testbed> {
    const namespace = await plane.createNamespace('instance');
    const gateway = await startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm' });
    const ahead = { ms: 0 };
    const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + ahead.ms) };
    // Guardrails of tests have no pods, unless a test says so.
    const pods = { ask: currentPods };
    const askPods: AskPods = (...asked) => pods.ask(...asked);
    const newOperator = (): InstanceOperator => new InstanceOperator(plane, namespace, { resolve, askPods, clock });
    const testbed = new Testbed(plane, namespace, gateway, newOperator, { ahead, pods });
    await testbed.secret('gateway', { 'master-key': MASTER_KEY });
    await testbed.#operator.start();
    return testbed;
  }

  /** Advances the operator's clock. */
  advance(ms: number): void {
    this.#ahead.ms += ms;
  }

  /** Replaces what the operator learns from the pods of guardrails. Default: they have everything at once. */
  set askPods(ask: AskPods) {
    this.#pods.ask = ask;
  }

  async stop(): Promise<void> {
    this.#operator.stop();
    await this.#operator.finished();
    await this.gateway.stop();
  }

  /** Stops the operator, and starts another one afterwards. */
  async restart(meanwhile: () => Promise<void>): Promise<void> {
    this.#operator.stop();
    await this.#operator.finished();
    await meanwhile();
    this.#operator = this.#newOperator();
    await this.#operator.start();
  }

  /** Creates or replaces a Secret. */
  async secret(name: string, data: Record<string, string>): Promise<void> {
    await this.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: data });
  }

  /** Creates or replaces a ConfigMap. */
  async configMap(name: string, data: Record<string, string>): Promise<void> {
    await this.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  }

  /** Creates a ConfigMap that is too large for client-side apply, which keeps a copy in an annotation. */
  async largeConfigMap(name: string, data: Record<string, string>): Promise<void> {
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    await this.plane.kubectl(['create', '-n', this.namespace, '-f', '-'], JSON.stringify(manifest));
  }

  /** Applies as users do: client-side. */
  async apply(manifest: object | string): Promise<void> {
    const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    await this.plane.kubectl(['apply', '-n', this.namespace, '-f', '-'], text);
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
  async replace(manifest: string): Promise<void> {
    await this.plane.kubectl(['replace', '-n', this.namespace, '-f', '-'], manifest);
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
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
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

  /** Deletes an instance without finalization, as a deletion does that starts before the finalizer is written. */
  async vanish(name = 'main'): Promise<void> {
    await this.remove(name);
    await this.patch({ metadata: { finalizers: null } }, name);
  }

  /** Creates or replaces a policy. */
  async policy(spec: GuardrailPolicySpec, name = 'strict'): Promise<void> {
    const { kind } = guardrailPolicyNames;
    const manifest = JSON.stringify({ apiVersion: API_VERSION, kind, metadata: { name }, spec });
    await this.plane.kubectl(['apply', '--server-side', '-n', this.namespace, '-f', '-'], manifest);
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
    await this.custom.patchNamespacedCustomObjectStatus(
      { ...at, name, body: { status: { synced } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  }

  /** Creates a customer of the instance in a namespace that it does not allow. */
  async guest(name: string): Promise<void> {
    const namespace = guestsOf(this.namespace);
    await this.plane.kubectl(['create', 'namespace', namespace]);
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
    await this.apps.patchNamespacedDeploymentStatus(
      { name, namespace: this.namespace, body: { status } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  }

  #at(plural: string): { group: string; version: string; namespace: string; plural: string } {
    return { group: GROUP, version: VERSION, namespace: this.namespace, plural };
  }
}
