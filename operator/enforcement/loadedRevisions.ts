/** Asks the guardrails which versions of their files are in force. */
import * as z from 'zod';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { guardrailDeployments, ignoreNotFound, namesOf } from '../cluster/cluster.ts';
import { callGuardrail, type GuardrailEndpoint, guardrailEndpoints, NoGuardrailError } from '../guardrail/guardrail.ts';
import type { KubeClient } from '../runtime/runtime.ts';

/** What pods read while they run. */
export type LoadedPart = 'customerList' | 'policy';

/** A revision of each part. */
export type Revisions = Readonly<Partial<Record<LoadedPart, string>>>;

/** The revisions of each part of which pods are expected to have one. A part that is missing does not matter. */
export type AcceptedRevisions = Readonly<Partial<Record<LoadedPart, readonly string[]>>>;

/** Tells of which parts every running pod of an instance's guardrail has an expected revision. */
export type AskPods = (
  instance: GatewayInstance,
  expected: AcceptedRevisions,
  signal: AbortSignal,
) => Promise<ReadonlySet<LoadedPart>>;

const TIMEOUT_MS = 5_000;
/** How many connections of a Service are tried for each of its pods: each connection leads to any of them. */
const ATTEMPTS_PER_POD = 6;

const revision = z.object({ revision: z.string() }).nullable();
/** A guardrail of an earlier version does not report its policy. */
const answer = z.object({ process: z.string(), customer_list: revision, policy: revision.optional() });

/** The answer of one pod. */
interface PodAnswer {
  /** The name of its process. */
  readonly process: string;
  readonly revisions: Revisions;
}

const NONE: ReadonlySet<LoadedPart> = new Set();

/** Asks the pods themselves. A pod that cannot be asked has nothing. */
export function podsOf(
  source: { readonly client: Pick<KubeClient, 'get' | 'list' | 'portForward'> },
  resolve?: (url: string) => string,
): AskPods {
  return async (instance, expected, signal) => {
    const endpoints = await guardrailEndpoints(source, instance, resolve).catch((error: unknown) => {
      // Sidecars can be asked only with the component for sidecars.
      if (!(error instanceof NoGuardrailError)) throw error;
      return undefined;
    });
    if (endpoints === undefined) return NONE;
    if (endpoints.mode === 'Deployment') {
      return await loadedByAll(endpoints.service, await replicasOf(source.client, instance), expected, signal);
    }
    const { pods } = endpoints;
    const answers = await Promise.all(pods.map((pod) => ask(pod, signal)));
    return pods.length === 0
      ? NONE
      : answers.reduce((loaded, one) => loaded.intersection(loadedBy(one, expected)), partsOf(expected));
  };
}

/** Asks through the Service until so many different pods have answered, or one of them has nothing that is expected. */
async function loadedByAll(
  service: GuardrailEndpoint,
  pods: number,
  expected: AcceptedRevisions,
  signal: AbortSignal,
): Promise<ReadonlySet<LoadedPart>> {
  const processes = new Set<string>();
  let loaded = partsOf(expected);
  for (let attempt = 0; attempt < pods * ATTEMPTS_PER_POD && processes.size < pods; attempt += 1) {
    const answered = await ask(service, signal);
    loaded = loaded.intersection(loadedBy(answered, expected));
    if (answered === undefined || loaded.size === 0) return NONE;
    processes.add(answered.process);
  }
  return pods > 0 && processes.size >= pods ? loaded : NONE;
}

function partsOf(expected: AcceptedRevisions): Set<LoadedPart> {
  return new Set((['customerList', 'policy'] as const).filter((part) => expected[part] !== undefined));
}

function loadedBy(answered: PodAnswer | undefined, expected: AcceptedRevisions): Set<LoadedPart> {
  const parts = [...partsOf(expected)].filter((part) => {
    const revision = answered?.revisions[part];
    return revision !== undefined && expected[part]?.includes(revision);
  });
  return new Set(parts);
}

/** The number of pods, those of a rollout included. */
async function replicasOf(client: Pick<KubeClient, 'get'>, instance: GatewayInstance): Promise<number> {
  const key = { namespace: instance.metadata.namespace, name: namesOf(instance).guardrail };
  const deployment = await client.get(guardrailDeployments, key).catch(ignoreNotFound);
  return deployment?.status?.readyReplicas ?? 0;
}

/** @returns undefined if the pod does not answer as a guardrail does */
async function ask(endpoint: GuardrailEndpoint, signal: AbortSignal): Promise<PodAnswer | undefined> {
  const call = {
    method: 'GET',
    path: '/configuration',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  } as const;
  const { status, body } = await callGuardrail(endpoint, call).catch(() => ({ status: 0, body: '' }));
  if (status !== 200) return undefined;
  const { success, data } = answer.safeParse(parsed(body));
  if (!success) return undefined;
  const { process, customer_list: customerList, policy } = data;
  return {
    process,
    revisions: {
      ...(customerList ? { customerList: customerList.revision } : {}),
      ...(policy ? { policy: policy.revision } : {}),
    },
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
