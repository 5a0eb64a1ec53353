/** Finds the guardrail processes that store the sessions of an instance's customers. */
import type { Duplex } from 'node:stream';
import type { V1LabelSelector, V1Pod } from '@kubernetes/client-node';
import { INLINE_TENANT } from '../../guardrail/guardrail.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import {
  type AsJson,
  type FromServer,
  isForbidden,
  keyOf,
  type KubeClient,
  type Permission,
} from '../runtime/runtime.ts';
import {
  ignoreNotFound,
  namesOf,
  pods,
  proxyDeployments,
  secrets,
  secretValues,
  selectorOf,
} from '../cluster/cluster.ts';
import { type AuthoritiesSource, type EndpointTls, readEndpointTls } from './endpointTls.ts';
import { apiKeyOf } from './keys.ts';
import { portOf } from './settings.ts';
import { SIDECAR } from './sidecar.ts';

/** A guardrail process that can erase sessions. */
export interface GuardrailEndpoint {
  /** Base address, such as `http://10.0.0.7:8080`. */
  readonly url: string;
  /** Sent as `x-api-key`. */
  readonly apiKey: string;
  /** The tenant whose sessions are erased; undefined: that of the key. */
  readonly tenant?: string;
  /** How the guardrail is verified; undefined: it is called by plain HTTP. */
  readonly tls?: EndpointTls | undefined;
  /** Opens the connection if the operator cannot reach the address directly. */
  readonly connect?: () => Promise<Duplex>;
}

/** No guardrail runs that can erase the stored sessions. The message is a condition message. */
export class NoGuardrailError extends Error {
  override readonly name = 'NoGuardrailError';
}

/**
 * The permissions to reach sidecars. A sidecar listens only on its pod's loopback address, so it can be reached only
 * through the kubelet. Port forwarding is the way with the fewest permissions: no command runs in the pod, and the
 * guardrail still requires its key. API servers from 1.35 on check both verbs, older ones only `get`.
 */
export const sidecarPermissions: readonly Permission[] = [
  { group: '', resource: 'pods', verbs: ['list'], scope: 'watched' },
  { group: '', resource: 'pods/portforward', verbs: ['create', 'get'], scope: 'watched' },
];

/** How the guardrail of an instance is reached. */
export type GuardrailEndpoints =
  /** The Service in front of all pods. */
  | { readonly mode: 'Deployment'; readonly service: GuardrailEndpoint }
  /** Every running sidecar. */
  | { readonly mode: 'Sidecar'; readonly pods: readonly SidecarEndpoint[] };

/** A sidecar. */
export interface SidecarEndpoint extends GuardrailEndpoint {
  /** Its pod. */
  readonly pod: { readonly name: string; readonly uid: string };
}

interface EndpointClient {
  readonly client: Pick<KubeClient, 'get' | 'list' | 'portForward'>;
  /** Default: `Secret`. */
  readonly authorities?: AuthoritiesSource;
}

/**
 * @returns undefined if no guardrail runs, according to the status
 * @throws ApiError if the key or the pods cannot be read; NoGuardrailError if the operator may not read the pods
 */
export async function guardrailEndpoints(
  { client, authorities }: EndpointClient,
  instance: GatewayInstance,
  resolve: (url: string) => string = (url) => url,
): Promise<GuardrailEndpoints | undefined> {
  const { guardrail } = instance.status ?? {};
  const { namespace } = instance.metadata;
  if (guardrail === undefined) return undefined;
  const secret = await client.get(secrets, { namespace, name: namesOf(instance).apiKeySecret }).catch(ignoreNotFound);
  if (secret === undefined) return undefined;
  const apiKey = apiKeyOf({ data: secretValues(secret), annotations: {} });
  if (guardrail.mode === 'Deployment') {
    const tls = await readEndpointTls(client, instance, guardrail.endpoint, authorities);
    return { mode: 'Deployment', service: { url: resolve(guardrail.endpoint), apiKey, ...(tls && { tls }) } };
  }
  const sidecars = await runningSidecars(client, instance);
  const pods = sidecars.map((pod): SidecarEndpoint => {
    const port = sidecarPort(pod) ?? portOf(instance.spec.guardrail ?? {});
    const connect = (): Promise<Duplex> => client.portForward(keyOf(pod), port);
    const { name, uid } = pod.metadata;
    return { url: `http://127.0.0.1:${port}`, apiKey, connect, pod: { name, uid } };
  });
  return { mode: 'Sidecar', pods };
}

/**
 * The guardrail processes to call for an erasure. In Deployment mode, this is the Service: with a store in memory it
 * has one pod, and with a shared store any pod can erase. In Sidecar mode, these are all sidecars if the store is in
 * memory, and one sidecar if it is shared.
 * @returns an empty list if no guardrail is requested, or if all sessions ended with its pods
 * @throws ApiError if the key or the pods cannot be read; NoGuardrailError if the store is shared and no guardrail runs
 */
export async function erasureEndpoints(
  source: EndpointClient,
  instance: GatewayInstance,
  resolve?: (url: string) => string,
): Promise<readonly GuardrailEndpoint[]> {
  const endpoints = await guardrailEndpoints(source, instance, resolve);
  if (endpoints === undefined) return [];
  // Sessions outlive the integration whose calls created them, and calls can pass a new one before it is in use.
  const forTenants = (endpoint: GuardrailEndpoint): GuardrailEndpoint[] => [
    endpoint,
    { ...endpoint, tenant: INLINE_TENANT },
  ];
  if (endpoints.mode === 'Deployment') return forTenants(endpoints.service);
  const { pods } = endpoints;
  const shared = instance.spec.guardrail?.redis !== undefined;
  if (shared && pods.length === 0) {
    throw new NoGuardrailError(
      'No guardrail can erase the sessions of this customer, because no pod of the gateway is running. Start a pod of the gateway.',
    );
  }
  return (shared ? pods.slice(0, 1) : pods).flatMap(forTenants);
}

/** The gateway's pods with a running sidecar, ready ones first. */
async function runningSidecars(
  client: Pick<KubeClient, 'get' | 'list'>,
  instance: GatewayInstance,
): Promise<FromServer<V1Pod>[]> {
  const { namespace } = instance.metadata;
  const name = instance.spec.workloadRef?.name;
  if (name === undefined) return [];
  const deployment = await client.get(proxyDeployments, { namespace, name }).catch(ignoreNotFound);
  const selector = deployment?.spec?.selector;
  if (selector === undefined) return [];
  const found = await client
    .list(pods, { namespace, labelSelector: selectorText(selector) })
    .catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      throw new NoGuardrailError(
        'The operator is not permitted to reach guardrails that run as sidecars. Add the component operator/manifests/components/sidecar to its kustomization.',
        { cause: error },
      );
    });
  // A terminating pod serves until it ends.
  return found
    .filter(({ status }) =>
      (status?.initContainerStatuses ?? []).some(
        ({ name: one, state }) => one === SIDECAR && state?.running !== undefined,
      ),
    )
    .sort((one, other) => Number(isReady(other)) - Number(isReady(one)));
}

/** Whether a pod is ready and stays. */
export function isReady({ status, metadata }: FromServer<V1Pod>): boolean {
  const ready = (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Ready' && holds === 'True');
  return ready && metadata.deletionTimestamp === undefined;
}

/** The port of the running sidecar, which can be older than the spec. */
function sidecarPort({ spec }: FromServer<V1Pod>): number | undefined {
  const sidecar = spec?.initContainers?.find(({ name }) => name === SIDECAR);
  const text = sidecar?.env?.find(({ name }) => name === 'GUARDRAIL_PORT')?.value;
  return text === undefined ? undefined : Number(text);
}

/** A label selector in the syntax of a query. */
export function selectorText({ matchLabels, matchExpressions }: AsJson<V1LabelSelector>): string {
  const equal = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const operators: Readonly<Record<string, (key: string, values: string) => string>> = {
    In: (key, values) => `${key} in (${values})`,
    NotIn: (key, values) => `${key} notin (${values})`,
    Exists: (key) => key,
    DoesNotExist: (key) => `!${key}`,
  };
  const terms = (matchExpressions ?? []).flatMap(
    ({ key, operator, values }) => operators[operator]?.(key, (values ?? []).join(',')) ?? [],
  );
  return [...equal, ...terms].join(',');
}

/**
 * One process of the guardrail of an instance, through the API server and the kubelet: no NetworkPolicy has to admit the user,
 * and what is sent is in no audit log of the API server.
 * @returns undefined if none runs
 * @throws ApiError; NoGuardrailError if the user may not list the pods of the gateway
 */
export async function forwardedEndpoint(
  client: Pick<KubeClient, 'get' | 'list' | 'portForward'>,
  instance: GatewayInstance,
): Promise<GuardrailEndpoint | undefined> {
  const endpoints = await guardrailEndpoints({ client, authorities: 'ConfigMap' }, instance);
  if (endpoints?.mode !== 'Deployment') return endpoints?.pods[0];
  const { namespace } = instance.metadata;
  const labelSelector = selectorText({ matchLabels: selectorOf(instance) });
  const pod = (await client.list(pods, { namespace, labelSelector })).find(isReady);
  if (pod === undefined) return undefined;
  const port = portOf(instance.spec.guardrail ?? {});
  const connect = (): Promise<Duplex> => client.portForward(keyOf(pod), port);
  const { protocol } = new URL(endpoints.service.url);
  return { ...endpoints.service, url: `${protocol}//127.0.0.1:${port}`, connect };
}
