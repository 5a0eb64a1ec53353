/** The objects of a guardrail in Deployment mode, for server-side apply. Pure. */
import {
  configMaps,
  guardrailDeployments,
  horizontalPodAutoscalers,
  METRICS_LABEL,
  namesOf,
  networkPolicies,
  type OwnedObject,
  podDisruptionBudgets,
  podLabelsOf,
  selectorOf,
  serviceAccounts,
  serviceMonitors,
  services,
} from '../cluster/cluster.ts';
import type {
  V1ConfigMap,
  V1Deployment,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1Service,
  V1ServiceAccount,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import { annotations, type GatewayInstance, type Guardrail, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import type { AsJson, ResourceKind } from '../runtime/runtime.ts';
import { guardrailContainer, guardrailVolumes, type WorkloadSettings } from './container.ts';
import { type Body, ownedChild } from './basics.ts';
import { namespacesNamed, operatorPeers } from './guarded.ts';
import { files, inlinePortOf, mcpPortOf, metricsPortOf, portOf, replicasOf } from './settings.ts';

/** The inputs of the objects in addition to the instance's spec. */
export interface WorkloadInputs extends WorkloadSettings {
  /** The text of the policy; undefined if the spec has none. */
  readonly policy: string | undefined;
  /** Changes with each key that every pod must load before it is used. A change starts a rollout. */
  readonly keyRevision: string;
  /** Digest of the data that the pods read only when they start, such as the address of Redis. */
  readonly configHash: string;
}

/** The address at which the gateway and the operator call the guardrail in Deployment mode. */
export function guardrailServiceUrl(
  instance: GatewayInstance,
  spec: Guardrail,
  scheme: 'http' | 'https' = 'http',
): string {
  return `${scheme}://${namesOf(instance).guardrail}.${instance.metadata.namespace}.svc:${portOf(spec)}`;
}

/** The address at which agents call the MCP proxy; undefined if the guardrail has none. */
export function mcpUrl(instance: GatewayInstance, spec: Guardrail, scheme: 'http' | 'https'): string | undefined {
  const port = mcpPortOf(spec, { port: inlinePortOf(spec, []) });
  return port === undefined
    ? undefined
    : `${scheme}://${namesOf(instance).guardrail}.${instance.metadata.namespace}.svc:${port}`;
}

/** All objects except the Secrets, in the order in which they are applied. */
export function guardrailWorkload(instance: GatewayInstance, spec: Guardrail, inputs: WorkloadInputs): OwnedObject[] {
  const build = new Builder(instance, spec, inputs);
  return [
    build.serviceAccount(),
    ...(inputs.policy === undefined ? [] : [build.configMap(inputs.policy)]),
    build.service(),
    build.deployment(),
    build.podDisruptionBudget(),
    ...(spec.autoscaling === undefined ? [] : [build.autoscaler(spec.autoscaling)]),
    ...(spec.networkPolicy?.enabled === false ? [] : [build.networkPolicy()]),
    build.serviceMonitor(),
  ];
}

/** The ConfigMap with the policy, which a sidecar mounts too. */
export function guardrailPolicyObjects(
  instance: GatewayInstance,
  spec: Guardrail,
  inputs: WorkloadInputs,
): OwnedObject[] {
  return inputs.policy === undefined ? [] : [new Builder(instance, spec, inputs).configMap(inputs.policy)];
}

class Builder {
  readonly #instance: GatewayInstance;
  readonly #spec: Guardrail;
  readonly #inputs: WorkloadInputs;
  readonly #name: string;
  readonly #selector: Record<string, string>;
  readonly #isInMemory: boolean;

  constructor(instance: GatewayInstance, spec: Guardrail, inputs: WorkloadInputs) {
    this.#instance = instance;
    this.#spec = spec;
    this.#inputs = inputs;
    this.#name = namesOf(instance).guardrail;
    this.#selector = selectorOf(instance);
    this.#isInMemory = spec.redis === undefined;
  }

  serviceAccount(): OwnedObject {
    return this.#child<V1ServiceAccount>(serviceAccounts, { automountServiceAccountToken: false });
  }

  configMap(policy: string): OwnedObject {
    return this.#child<V1ConfigMap>(configMaps, { data: { [files.policy]: policy } });
  }

  service(): OwnedObject {
    const mcp = this.#mcpPort();
    return this.#child<V1Service>(services, {
      spec: {
        type: 'ClusterIP',
        selector: this.#selector,
        ports: [
          { name: 'http', port: portOf(this.#spec), targetPort: 'http', protocol: 'TCP' },
          { name: 'metrics', port: metricsPortOf(this.#spec), targetPort: 'metrics', protocol: 'TCP' },
          ...(this.#inputs.inline === undefined
            ? []
            : [{ name: 'inline', port: this.#inputs.inline.port, targetPort: 'inline', protocol: 'TCP' }]),
          ...(mcp === undefined ? [] : [{ name: 'mcp', port: mcp, targetPort: 'mcp', protocol: 'TCP' }]),
        ],
      },
    });
  }

  deployment(): OwnedObject {
    const spec = this.#spec;
    return this.#child<V1Deployment>(guardrailDeployments, {
      spec: {
        // An autoscaler owns the number of replicas, so the operator must not apply one.
        ...(spec.autoscaling === undefined ? { replicas: replicasOf(spec) } : {}),
        selector: { matchLabels: this.#selector },
        // Two processes with a store in memory would split sessions, so the old one ends before the new one starts.
        strategy: this.#isInMemory
          ? { type: 'Recreate' }
          : { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        revisionHistoryLimit: 3,
        template: {
          metadata: {
            labels: podLabelsOf(this.#instance),
            annotations: {
              [annotations.configHash]: this.#configHash(),
              // A rollout would delete every mapping in memory. Instead, the operator asks the single pod whether it
              // has read its keys.
              ...(this.#isInMemory ? {} : { [annotations.keyRevision]: this.#inputs.keyRevision }),
            },
          },
          spec: this.#podSpec(),
        },
      },
    });
  }

  /** Certificates are read at the start too. */
  #configHash(): string {
    const { configHash, inline } = this.#inputs;
    return inline?.ca === undefined ? configHash : `${configHash}.${inline.ca.digest}`;
  }

  #podSpec(): AsJson<V1PodSpec> {
    const spec = this.#spec;
    const proxyName = this.#instance.spec.proxyName ?? instanceDefaults.proxyName;
    return {
      serviceAccountName: this.#name,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 30,
      securityContext: {
        runAsNonRoot: true,
        // The group of the mounted keys. The image's user is in no other group.
        fsGroup: 65532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      ...(spec.imagePullSecrets === undefined
        ? {}
        : { imagePullSecrets: spec.imagePullSecrets.map((name) => ({ name })) }),
      ...(spec.nodeSelector === undefined ? {} : { nodeSelector: spec.nodeSelector }),
      ...(spec.tolerations === undefined ? {} : { tolerations: spec.tolerations }),
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: this.#selector },
        },
      ],
      containers: [
        {
          ...guardrailContainer(spec, proxyName, 'Deployment', this.#inputs),
          // New calls arrive until every node knows that the pod terminates.
          lifecycle: { preStop: { sleep: { seconds: 5 } } },
        },
      ],
      volumes: guardrailVolumes(spec, namesOf(this.#instance), 0o440, this.#inputs),
    };
  }

  podDisruptionBudget(): OwnedObject {
    return this.#child<V1PodDisruptionBudget>(podDisruptionBudgets, {
      spec: { maxUnavailable: 1, selector: { matchLabels: this.#selector } },
    });
  }

  autoscaler(spec: NonNullable<Guardrail['autoscaling']>): OwnedObject {
    const autoscaling = { ...instanceDefaults.autoscaling, ...spec };
    return this.#child<V2HorizontalPodAutoscaler>(horizontalPodAutoscalers, {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: this.#name },
        minReplicas: Math.min(autoscaling.minReplicas, autoscaling.maxReplicas),
        maxReplicas: autoscaling.maxReplicas,
        metrics: [
          {
            type: 'Resource',
            resource: {
              name: 'cpu',
              target: { type: 'Utilization', averageUtilization: autoscaling.targetCPUUtilizationPercentage },
            },
          },
        ],
      },
    });
  }

  networkPolicy(): OwnedObject {
    const namespaces = this.#spec.networkPolicy?.fromNamespaces ?? [];
    const { operatorNamespace } = this.#inputs;
    return this.#child<{ spec: object }>(networkPolicies, {
      spec: {
        podSelector: { matchLabels: this.#selector },
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              // The operator does not know the labels of the gateway's pods.
              { podSelector: {} },
              // The operator calls the guardrail to erase sessions and to check a new key, and each pod to ask what it enforces.
              ...operatorPeers(operatorNamespace),
              ...(namespaces.length === 0 ? [] : [namespacesNamed(namespaces)]),
            ],
            ports: [
              { port: 'http', protocol: 'TCP' },
              ...(this.#inputs.inline === undefined ? [] : [{ port: 'inline', protocol: 'TCP' }]),
              ...(this.#mcpPort() === undefined ? [] : [{ port: 'mcp', protocol: 'TCP' }]),
            ],
          },
          {
            from: [{ namespaceSelector: { matchLabels: { [METRICS_LABEL]: 'true' } } }],
            ports: [{ port: 'metrics', protocol: 'TCP' }],
          },
        ],
      },
    });
  }

  serviceMonitor(): OwnedObject {
    return this.#child<{ spec: object }>(serviceMonitors, {
      spec: {
        selector: { matchLabels: { ...this.#selector } },
        endpoints: [{ port: 'metrics', path: '/metrics', ...this.#scrapeTls(), ...this.#scrapeToken() }],
      },
    });
  }

  #mcpPort(): number | undefined {
    return mcpPortOf(this.#spec, this.#inputs.inline);
  }

  #scrapeToken(): object {
    const { metricsTokenSecretRef: ref } = this.#spec;
    if (ref === undefined) return {};
    return { authorization: { type: 'Bearer', credentials: { name: ref.name, key: ref.key } } };
  }

  /** Prometheus calls the pods by address, so that it needs the name in their certificate. */
  #scrapeTls(): object {
    const { tls } = this.#inputs;
    if (tls === undefined) return {};
    const ca = { configMap: { name: tls.caConfigMap, key: files.ca } };
    const serverName = `${this.#name}.${this.#instance.metadata.namespace}.svc`;
    return { scheme: 'https', tlsConfig: { serverName, ...(tls.hasPrivateCa ? { ca } : {}) } };
  }

  #child<T>(kind: ResourceKind, body: Body<T>): OwnedObject {
    return ownedChild<T>(this.#instance, kind, this.#name, body);
  }
}
