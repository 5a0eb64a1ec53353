/** The values of the chart. */
import type { ManifestDefaults } from './manifestDefaults.ts';
import type { ValueSchema } from './schema.ts';

const NAMESPACE_NAME = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$';

/** The values by name, with the manifests' own values as defaults. */
export function chartValues(manifests: ManifestDefaults): Readonly<Record<string, ValueSchema>> {
  return {
    image: {
      type: 'object',
      description: 'The image of the operator. Guardrails use it too.',
      properties: {
        repository: { type: 'string', default: manifests.image, minLength: 1 },
        tag: { type: 'string', default: '', description: "Default: the chart's appVersion, unless there is a digest." },
        digest: { type: 'string', default: '', pattern: '^(sha256:[0-9a-f]{64})?$' },
        pullPolicy: { type: 'string', default: manifests.pullPolicy, enum: ['Always', 'IfNotPresent', 'Never'] },
      },
    },
    imagePullSecrets: {
      type: 'array',
      description:
        "For the operator's own pods. For guardrails, set spec.guardrail.imagePullSecrets of a GatewayInstance.",
      default: [],
      items: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 } },
        required: ['name'],
      },
    },
    replicas: {
      type: 'integer',
      description: 'One replica is the leader. The others take over within seconds.',
      default: manifests.replicas,
      minimum: 0,
    },
    resources: { type: 'object', default: manifests.resources },
    nodeSelector: { type: 'object', default: {} },
    tolerations: { type: 'array', default: [], items: { type: 'object' } },
    affinity: { type: 'object', default: {} },
    env: {
      type: 'array',
      description:
        'More environment variables of the operator, for example OPERATOR_LOG_LEVEL. Set OPERATOR_INSTALL_CRDS to "false" if ' +
        'a GitOps tool applies the CRDs: the operator then only checks them.',
      default: [],
      items: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 } },
        required: ['name'],
        additionalProperties: true,
      },
    },
    namespace: {
      type: 'object',
      properties: {
        create: {
          type: 'boolean',
          description:
            "Also render the release's namespace, with the labels for the restricted Pod Security level. For tools that " +
            'apply the output of `helm template`; `helm install --create-namespace` creates it by itself.',
          default: false,
        },
      },
    },
    watchNamespaces: {
      type: 'array',
      description:
        'Existing namespaces that the operator manages besides its own. It gets its permissions in each of them.',
      default: [],
      items: { type: 'string', pattern: NAMESPACE_NAME },
      uniqueItems: true,
    },
    components: {
      type: 'object',
      properties: {
        clusterWide: {
          type: 'boolean',
          description:
            'The operator manages all namespaces, and can read and write every Secret of the cluster by name. Use it only ' +
            'if you control all namespaces.',
          default: false,
        },
        prometheus: {
          type: 'boolean',
          description: 'A ServiceMonitor and alerts for the Prometheus operator, and a dashboard for Grafana.',
          default: false,
        },
        redis: {
          type: 'boolean',
          description:
            "A Redis for the mappings of guardrails in the release's namespace. Create its Secret guardrail-redis first.",
          default: false,
        },
        sidecar: {
          type: 'boolean',
          description:
            'The permission to connect to guardrails that run as sidecars, to erase the sessions of deleted customers.',
          default: false,
        },
      },
    },
    redis: {
      type: 'object',
      properties: { image: { type: 'string', default: manifests.redisImage, minLength: 1 } },
    },
    instances: {
      type: 'array',
      description:
        "GatewayInstances to create: metadata (namespace: the release's by default) and spec. They remain when they are " +
        'removed from this list, or when the release is uninstalled. Delete them with kubectl while the operator runs.',
      default: [],
      items: {
        type: 'object',
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string', enum: ['GatewayInstance'] },
          metadata: {
            type: 'object',
            properties: { name: { type: 'string', minLength: 1 } },
            required: ['name'],
            additionalProperties: true,
          },
          spec: { type: 'object' },
        },
        required: ['metadata', 'spec'],
      },
    },
  };
}
