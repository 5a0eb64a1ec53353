/** Where the sessions of an instance's customers are erased. */
import type { Duplex } from 'node:stream';
import type { V1LabelSelector, V1Pod } from '@kubernetes/client-node';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { AsJson, FromServer, KubeClient, Permission } from '../runtime/runtime.ts';
import { isForbidden, keyOf } from '../runtime/runtime.ts';
import { namesOf, ignoreNotFound, pods, proxyDeployments, secrets, secretValues } from '../cluster/cluster.ts';
import { apiKeyOf } from './keys.ts';
import { portOf } from './settings.ts';
import { SIDECAR } from './sidecar.ts';

/** A guardrail process that can erase sessions. */
export interface GuardrailEndpoint {
  /** Base address, such as `http://10.0.0.7:8080`. */
  readonly url: string;
  /** Sent as `x-api-key`; its name is the tenant whose sessions are erased. */
  readonly apiKey: string;
  /** Opens the connection where the operator cannot reach the address directly. */
  readonly connect?: () => Promise<Duplex>;
}

/** Sessions are at rest, and no guardrail runs that could erase them. The message is a whole sentence. */
export class NoGuardrailError extends Error {
  override readonly name = 'NoGuardrailError';
}

/**
 * The rights to reach sidecars. A sidecar listens on its pod's loopback alone, so that nobody else in the cluster can talk
 * to it; the only ways in are the kubelet's. Of these a forwarded port grants the least: no command runs in the pod, and
 * the guardrail still asks for its key. API servers from 1.35 on ask for both verbs, older ones for `get`.
 */
export const sidecarPermissions: readonly Permission[] = [
  { group: '', resource: 'pods', verbs: ['list'], scope: 'watched' },
  { group: '', resource: 'pods/portforward', verbs: ['create', 'get'], scope: 'watched' },
];

/**
 * The guardrails that hold the sessions of an instance's customers. In Deployment mode that is its Service, behind which
 * one pod runs where the store is in memory, and any pod will do where it is shared. Sidecars are asked each for itself
 * where the store is in memory, and one of them where it is shared.
 * @returns nothing where there is no guardrail, or all its sessions ended with its pods
 * @throws ApiError where key or pods cannot be read now; NoGuardrailError where the store is shared and no guardrail runs
 */
export async function erasureEndpoints(
  { client }: { readonly client: Pick<KubeClient, 'get' | 'list' | 'portForward'> },
  instance: GatewayInstance,
  resolve: (url: string) => string = (url) => url,
): Promise<readonly GuardrailEndpoint[]> {
  const { guardrail } = instance.status ?? {};
  const { namespace } = instance.metadata;
  if (guardrail === undefined) return [];
  const secret = await client.get(secrets, { namespace, name: namesOf(instance).apiKeySecret }).catch(ignoreNotFound);
  if (secret === undefined) return [];
  const apiKey = apiKeyOf({ data: secretValues(secret), annotations: {} });
  if (guardrail.mode === 'Deployment') return [{ url: resolve(guardrail.endpoint), apiKey }];

  const sidecars = await runningSidecars(client, instance);
  const shared = instance.spec.guardrail?.redis !== undefined;
  if (shared && sidecars.length === 0) {
    throw new NoGuardrailError('No pod of the gateway runs whose guardrail could erase the sessions of this customer.');
  }
  return (shared ? sidecars.slice(0, 1) : sidecars).map((pod) => {
    const port = sidecarPort(pod) ?? portOf(instance.spec.guardrail ?? {});
    return { url: `http://127.0.0.1:${port}`, apiKey, connect: () => client.portForward(keyOf(pod), port) };
  });
}

/** The gateway's pods whose sidecar runs: those that are ready first. */
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
        'The operator may not reach guardrails that run as sidecars: add the component operator/manifests/components/sidecar to its kustomization.',
        { cause: error },
      );
    });
  // A pod that is about to end goes on serving until then.
  return found
    .filter(({ status }) =>
      (status?.initContainerStatuses ?? []).some(
        ({ name: one, state }) => one === SIDECAR && state?.running !== undefined,
      ),
    )
    .sort((one, other) => Number(isReady(other)) - Number(isReady(one)));
}

function isReady({ status, metadata }: FromServer<V1Pod>): boolean {
  const ready = (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Ready' && holds === 'True');
  return ready && metadata.deletionTimestamp === undefined;
}

/** The port of the very sidecar that runs, which may be older than the spec. */
function sidecarPort({ spec }: FromServer<V1Pod>): number | undefined {
  const sidecar = spec?.initContainers?.find(({ name }) => name === SIDECAR);
  const text = sidecar?.env?.find(({ name }) => name === 'GUARDRAIL_PORT')?.value;
  return text === undefined ? undefined : Number(text);
}

/** A label selector as a query takes it. */
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
