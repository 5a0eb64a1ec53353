/**
 * A user's gateway in its own namespace: the development gateway, which calls the guardrail as LiteLLM does and reads the
 * configuration that the operator writes. Its program comes from a ConfigMap and uses Node and the packages of the image
 * under test, so the cluster needs no second image. One pod (`gateway-admin`) stores customers and budgets. Other pods
 * (`gateway`) take model calls and can be rolled at any time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const MASTER_KEY = 'sk-e2e-master';
/** The name of the Deployment and the Service for model calls. */
export const GATEWAY = 'gateway';
/** The name of the Service of the admin API. */
export const GATEWAY_ADMIN = 'gateway-admin';
export const PORT = 4000;
/** The name of the pod that makes calls. */
export const CLIENT = 'client';
/** The port on which it takes requests; see client.ts. */
export const CLIENT_PORT = 9000;
/** The ConfigMaps: the owner's configuration, and the one that the operator renders from it. */
export const BASE_CONFIG = 'gateway-base';
export const CONFIG = 'gateway-config';

/** What the owner has added to the Deployment for the guardrail. */
export interface Additions {
  /** Entries under `env`. */
  readonly env?: readonly object[];
  /** Entries under `volumes`; the volume `config` is mounted at the gateway's configuration path. */
  readonly volumes?: readonly { readonly name: string }[];
}

const PROGRAM = join(import.meta.dirname, '../harness/gateway');
/** A folder inside the image's own folder, so that the program finds the image's packages. */
const PROGRAM_PATH = '/app/hack/gateway';
const CONFIG_PATH = '/etc/gateway';
/** The grace period of the gateway's pods. The operator accepts an old key for the same time. */
const GRACE_SECONDS = 10;

/** @returns all objects except the Deployment for model calls. */
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
    service(namespace, GATEWAY_ADMIN),
    deployment(namespace, GATEWAY_ADMIN, 1, pod(image, {})),
    service(namespace, GATEWAY),
    ...clientObjects(namespace, image),
  ];
}

/** @returns the pod that makes calls, and its program. */
export function clientObjects(namespace: string, image: string): object[] {
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'program', namespace }, data: program() },
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
            command: ['node', `${PROGRAM_PATH}/client.ts`],
            // Only the gateway needs its key.
            env: undefined,
            readinessProbe: { tcpSocket: { port: CLIENT_PORT }, periodSeconds: 1 },
            lifecycle: undefined,
          },
        ],
        terminationGracePeriodSeconds: 0,
      },
    },
  ];
}

/** @returns the Deployment for model calls, as its owner applies it. */
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
    // Traffic stops before the container ends.
    lifecycle: { preStop: { sleep: { seconds: 3 } } },
    resources: { requests: { cpu: '20m', memory: '96Mi' } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
    volumeMounts: [
      { name: 'program', mountPath: PROGRAM_PATH },
      ...(configured ? [{ name: 'config', mountPath: CONFIG_PATH }] : []),
    ],
  };
}
