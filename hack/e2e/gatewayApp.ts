/**
 * Somebody's gateway in a namespace of its own: the development gateway, which calls the guardrail as LiteLLM does and
 * reads the configuration that the operator writes. Its program comes by a ConfigMap and runs on the Node and the
 * packages of the image under test, so that a cluster needs no second image. Customers and budgets live in one pod
 * (`gateway-admin`), calls of models go through others (`gateway`), which are rolled at any time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const MASTER_KEY = 'sk-e2e-master';
/** Of the Deployment that takes the calls of models, and of its Service. */
export const GATEWAY = 'gateway';
/** Of the Service of the admin API. */
export const GATEWAY_ADMIN = 'gateway-admin';
export const PORT = 4000;
/** Of the pod that makes calls. */
export const CLIENT = 'client';
/** The ConfigMaps: what the owner writes, and what the operator makes of it. */
export const BASE_CONFIG = 'gateway-base';
export const CONFIG = 'gateway-config';

/** What the owner has added to his gateway for the guardrail's sake. */
export interface Additions {
  /** Entries under `env`. */
  readonly env?: readonly object[];
  /** Entries under `volumes`; the one named `config` is mounted where the gateway reads its configuration. */
  readonly volumes?: readonly { readonly name: string }[];
}

const PROGRAM = join(import.meta.dirname, '../testing/gateway');
/** Within the image's own folder, where the program finds the image's packages. */
const PROGRAM_PATH = '/app/hack/gateway';
/** Where the program of the client is, in its pod. */
export const CLIENT_PROGRAM = `${PROGRAM_PATH}/client.ts`;
const CONFIG_PATH = '/etc/gateway';
/** Of the gateway's pods; the operator waits as long before it lets go of an old key. */
const GRACE_SECONDS = 10;

/** All but the Deployment that takes the calls of models. */
export function gatewayObjects(namespace: string, image: string): object[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'gateway', namespace },
      stringData: { 'master-key': MASTER_KEY },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: BASE_CONFIG, namespace },
      data: { 'config.yaml': "# Kept by the gateway's owner.\nmodel_list: [] # the echo model needs no entry\n" },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'program', namespace }, data: program() },
    service(namespace, GATEWAY_ADMIN),
    deployment(namespace, GATEWAY_ADMIN, 1, pod(image, {})),
    service(namespace, GATEWAY),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: CLIENT, namespace },
      spec: {
        ...pod(image, {}).spec,
        containers: [
          {
            ...container(image, {}),
            name: 'client',
            command: ['node', CLIENT_PROGRAM],
            readinessProbe: undefined,
            lifecycle: undefined,
          },
        ],
        terminationGracePeriodSeconds: 0,
      },
    },
  ];
}

/** The Deployment that takes the calls of models, as its owner applies it again and again. */
export function gatewayDeployment(namespace: string, image: string, additions: Additions, replicas = 2): object {
  return deployment(namespace, GATEWAY, replicas, pod(image, additions));
}

function program(): Record<string, string> {
  const files = readdirSync(PROGRAM).filter((name) => name.endsWith('.ts') && !name.includes('.test.'));
  return {
    ...Object.fromEntries(files.map((name) => [name, readFileSync(join(PROGRAM, name), 'utf8')])),
    'client.ts': readFileSync(join(import.meta.dirname, 'client.ts'), 'utf8'),
  };
}

function service(namespace: string, name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports: [{ name: 'http', port: PORT, targetPort: 'http' }] },
  };
}

function deployment(namespace: string, name: string, replicas: number, template: { readonly spec: object }): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels: { app: name } }, ...template },
    },
  };
}

function pod(image: string, additions: Additions): { readonly spec: object } {
  return {
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [container(image, additions)],
      volumes: [{ name: 'program', configMap: { name: 'program' } }, ...(additions.volumes ?? [])],
    },
  };
}

function container(image: string, { env = [], volumes = [] }: Additions): object {
  const configured = volumes.some(({ name }) => name === 'config');
  const command = ['node', `${PROGRAM_PATH}/main.ts`, '--host=0.0.0.0', `--port=${PORT}`];
  return {
    name: 'gateway',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: configured ? [...command, `--config-file=${CONFIG_PATH}/config.yaml`] : command,
    env: [
      { name: 'DEV_GATEWAY_MASTER_KEY', valueFrom: { secretKeyRef: { name: 'gateway', key: 'master-key' } } },
      ...env,
    ],
    ports: [{ name: 'http', containerPort: PORT }],
    readinessProbe: { httpGet: { path: '/health/readiness', port: 'http' }, periodSeconds: 1 },
    // No new calls come in by the time it ends.
    lifecycle: { preStop: { sleep: { seconds: 3 } } },
    resources: { requests: { cpu: '20m', memory: '96Mi' } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
    volumeMounts: [
      { name: 'program', mountPath: PROGRAM_PATH },
      ...(configured ? [{ name: 'config', mountPath: CONFIG_PATH }] : []),
    ],
  };
}
