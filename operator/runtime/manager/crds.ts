import { readFile } from 'node:fs/promises';
import type { V1CustomResourceDefinition } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import { parse } from 'yaml';
import type { RestClient } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { sleep } from '../clock.ts';
import { isForbidden, isNotFound } from '../client/errors.ts';
import type { FromServer } from '../objects.ts';
import { resource } from '../objects.ts';

/** A CustomResourceDefinition as the API server returns it. */
export type Crd = FromServer<V1CustomResourceDefinition>;

export const customResourceDefinitions = resource<Crd>(
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
  },
  { namespaced: false },
);

/** How long a new definition may take until it is established, and how often this is checked, in milliseconds. */
const ESTABLISHED_MS = 30_000;
const POLL_MS = 200;

/**
 * The cluster's CustomResourceDefinition does not meet the requirements, and the operator cannot change it. The message
 * has the remedy.
 */
export class CrdError extends Error {
  override readonly name = 'CrdError';
}

/** A CustomResourceDefinition in a file. */
export type CrdManifest = V1CustomResourceDefinition & {
  metadata: { name: string; annotations?: Readonly<Record<string, string>> };
};

/** Reads a CustomResourceDefinition from a YAML file. @throws CrdError if the file contains something else */
export async function readCrd(file: string): Promise<CrdManifest> {
  // client-node's loadYaml renames fields such as x-kubernetes-validations to their names in its classes.
  const crd: unknown = parse(await readFile(file, 'utf8'));
  if (!isCrd(crd)) throw new CrdError(`${file} does not contain a CustomResourceDefinition.`);
  return crd;
}

function isCrd(json: unknown): json is CrdManifest {
  const { kind, metadata } = (json ?? {}) as { kind?: unknown; metadata?: { name?: unknown } };
  return kind === 'CustomResourceDefinition' && typeof metadata?.name === 'string';
}

/**
 * Ensures that the cluster serves a CustomResourceDefinition at least as new as the operator's. Never replaces a newer one.
 * Without the permission to write, only verifies the existing one.
 * @param ours the operator's definition
 * @param revisionAnnotation the annotation with the definition's revision, a whole number; none counts as 0
 * @throws CrdError if the existing definition does not meet the requirements and cannot be changed; ApiError
 */
export async function ensureCrd(
  ours: CrdManifest,
  dependencies: {
    readonly client: RestClient;
    readonly clock: Clock;
    readonly log: Logger;
    readonly revisionAnnotation: string;
    /** Whether to install the definition, or only to verify the existing one. */
    readonly install: boolean;
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  const { client, clock, revisionAnnotation } = dependencies;
  const { name } = ours.metadata;
  const log = dependencies.log.child({ crd: name });
  const required = revisionOf(ours.metadata.annotations, revisionAnnotation);
  const key = { namespace: '', name };

  const deadline = clock.monotonic() + ESTABLISHED_MS;
  const timedOut = (): boolean => clock.monotonic() >= deadline || dependencies.signal?.aborted === true;
  const read = (): Promise<Crd | undefined> =>
    client.get(customResourceDefinitions, key).catch((error: unknown) => {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    });

  let before = await read();
  for (; before?.metadata.deletionTimestamp !== undefined; before = await read()) {
    if (timedOut())
      throw new CrdError(
        `The CustomResourceDefinition ${name} is being deleted. The operator waits until the deletion is complete.`,
      );
    await sleep(clock, POLL_MS, dependencies.signal);
  }
  const current = before === undefined ? undefined : revisionOf(before.metadata.annotations, revisionAnnotation);
  if (current !== undefined && current > required) {
    log.info({ revision: current, ours: required }, 'The cluster has a newer CRD than this operator; keeping it.');
  } else if (dependencies.install) {
    try {
      await client.apply(customResourceDefinitions, ours);
      if (current !== required) log.info({ revision: required, before: current }, 'Installed the CRD.');
    } catch (error) {
      if (!isForbidden(error)) throw error;
      log.info('Not permitted to install CRDs; verifying the existing one.');
    }
  }

  for (;;) {
    const problem = await verify(client, ours, required, revisionAnnotation);
    if (problem === undefined) return;
    if (problem.final || timedOut()) {
      throw new CrdError(problem.sentence);
    }
    await sleep(clock, POLL_MS, dependencies.signal);
  }
}

/** @returns the problem of the cluster's definition; `final` if waiting does not help; undefined: no problem */
async function verify(
  client: RestClient,
  ours: CrdManifest,
  required: number,
  revisionAnnotation: string,
): Promise<{ final: boolean; sentence: string } | undefined> {
  const { name } = ours.metadata;
  const fix = 'apply the crds folder of this release as a cluster admin, or permit the operator to install CRDs';
  let crd: Crd;
  try {
    crd = await client.get(customResourceDefinitions, { namespace: '', name });
  } catch (error) {
    if (isNotFound(error)) {
      return { final: true, sentence: `The CustomResourceDefinition ${name} is missing: ${fix}.` };
    }
    // Without the permission to read it, a missing definition shows in the watches.
    if (isForbidden(error)) return undefined;
    throw error;
  }
  const revision = revisionOf(crd.metadata.annotations, revisionAnnotation);
  if (revision < required) {
    return {
      final: true,
      sentence: `The CustomResourceDefinition ${name} has revision ${revision}, but this operator requires ${required}: ${fix}.`,
    };
  }
  const unserved = ours.spec.versions
    .filter(({ served }) => served)
    .find((version) => !crd.spec.versions.some((other) => other.name === version.name && other.served));
  if (unserved !== undefined) {
    return {
      final: true,
      sentence: `The CustomResourceDefinition ${name} does not serve ${unserved.name}, which this operator requires: ${fix}.`,
    };
  }
  const conditions = crd.status?.conditions ?? [];
  const rejectedNames = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
  if (rejectedNames !== undefined) {
    return {
      final: true,
      sentence: `The names of the CustomResourceDefinition ${name} conflict with another definition: ${rejectedNames.message ?? 'no reason given'}`,
    };
  }
  const established = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  return established
    ? undefined
    : { final: false, sentence: `The CustomResourceDefinition ${name} did not become Established in time.` };
}

function revisionOf(annotations: Readonly<Record<string, string>> | undefined, annotation: string): number {
  const revision = Number(annotations?.[annotation] ?? 0);
  return Number.isSafeInteger(revision) ? revision : 0;
}
