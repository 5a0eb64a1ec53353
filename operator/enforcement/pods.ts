/** Finds the pods of a guardrail that take calls, and asks each which versions of its files are in force. */
import type { V1EndpointSlice } from '@kubernetes/client-node';
import * as z from 'zod';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { namesOf } from '../cluster/cluster.ts';
import { callGuardrail, type GuardrailEndpoint, guardrailEndpoints, NoGuardrailError } from '../guardrail/guardrail.ts';
import type { FromServer, KubeClient, Lister } from '../runtime/runtime.ts';

/** What pods read while they run. */
export type LoadedPart = 'customerList' | 'policy';

/** A revision of each part. */
export type Revisions = Readonly<Partial<Record<LoadedPart, string>>>;

/** A pod of a guardrail that takes calls. */
export interface GuardrailPod {
  /** Another pod has another id. */
  readonly id: string;
  readonly name: string;
  /**
   * The revisions that are in force in the pod; undefined: it does not answer as a guardrail does.
   * @throws ApiError if the key of the guardrail cannot be read
   */
  ask(signal: AbortSignal): Promise<Revisions | undefined>;
}

/**
 * The pods of an instance's guardrail that take calls; undefined: the operator has no permission to find them.
 * @throws ApiError
 */
export type FindPods = (instance: GatewayInstance) => Promise<readonly GuardrailPod[] | undefined>;

const TIMEOUT_MS = 5_000;

const revision = z.object({ revision: z.string() }).nullable();
const answer = z.object({ customer_list: revision, policy: revision });

/** Finds pods by the EndpointSlices of the guardrail's Service; sidecars by the pods of the gateway. */
export function podsOf(source: {
  readonly client: Pick<KubeClient, 'get' | 'list' | 'portForward'>;
  readonly slices: Pick<Lister<FromServer<V1EndpointSlice>>, 'list'>;
}): FindPods {
  return async (instance) => {
    const { guardrail } = instance.status ?? {};
    if (guardrail === undefined) return [];
    if (guardrail.mode === 'Sidecar') return await sidecarsOf(source, instance);
    // The Secrets are read only if a pod is asked.
    let endpoints: ReturnType<typeof guardrailEndpoints> | undefined;
    return addressesOf(source.slices.list(instance.metadata.namespace), instance).map(({ id, name, host }) => ({
      ...{ id, name },
      ask: async (signal) => {
        const found = await (endpoints ??= guardrailEndpoints(source, instance));
        if (found?.mode !== 'Deployment') return undefined;
        // The certificate has the name of the Service, which `tls` verifies.
        const { protocol } = new URL(found.service.url);
        return await ask({ ...found.service, url: `${protocol}//${host}` }, signal);
      },
    }));
  };
}

/** Whether a slice is of the Service of an instance's guardrail. */
export function isSliceOf({ metadata }: FromServer<V1EndpointSlice>, instance: GatewayInstance): boolean {
  return (
    metadata.namespace === instance.metadata.namespace &&
    metadata.labels?.['kubernetes.io/service-name'] === namesOf(instance).guardrail
  );
}

/** A pod that its Service leads to. `host` has the port of its API. */
interface PodAddress {
  readonly id: string;
  readonly name: string;
  readonly host: string;
}

/** The pods that take calls: those that are ready, and terminating ones that still serve. */
function addressesOf(slices: readonly FromServer<V1EndpointSlice>[], instance: GatewayInstance): PodAddress[] {
  const found = slices
    .filter((slice) => isSliceOf(slice, instance))
    .flatMap(({ endpoints, ports, addressType }) => {
      const port = (ports ?? []).find(({ name }) => name === 'http')?.port;
      return (endpoints ?? []).flatMap(({ addresses: [address], conditions, targetRef }): PodAddress[] => {
        const serves = conditions?.serving ?? conditions?.ready ?? true;
        if (address === undefined || port === undefined || !serves) return [];
        const host = addressType === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
        return [{ id: targetRef?.uid ?? host, name: targetRef?.name ?? host, host }];
      });
    });
  // A Service with two families of addresses has each pod twice.
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

async function sidecarsOf(
  source: Parameters<typeof podsOf>[0],
  instance: GatewayInstance,
): Promise<readonly GuardrailPod[] | undefined> {
  const endpoints = await guardrailEndpoints(source, instance).catch((error: unknown) => {
    // Sidecars can be found only with the component for sidecars.
    if (!(error instanceof NoGuardrailError)) throw error;
    return undefined;
  });
  if (endpoints?.mode !== 'Sidecar') return undefined;
  return endpoints.pods.map(({ pod, ...endpoint }) => ({
    id: pod.uid,
    name: pod.name,
    ask: (signal) => ask(endpoint, signal),
  }));
}

/** @returns undefined if the pod does not answer as a guardrail does */
async function ask(endpoint: GuardrailEndpoint, signal: AbortSignal): Promise<Revisions | undefined> {
  const call = {
    method: 'GET',
    path: '/configuration',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  } as const;
  const { status, body } = await callGuardrail(endpoint, call).catch(() => ({ status: 0, body: '' }));
  if (status !== 200) return undefined;
  const { success, data } = answer.safeParse(parsed(body));
  if (!success) return undefined;
  const { customer_list: customerList, policy } = data;
  return {
    ...(customerList ? { customerList: customerList.revision } : {}),
    ...(policy ? { policy: policy.revision } : {}),
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
