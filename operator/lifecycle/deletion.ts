/** What delays or prevents a deletion at the gateway. */
import type { ObjectMeta, ResourceNames } from '../api/v1alpha1/v1alpha1.ts';
import { readNamespace } from '../cluster/cluster.ts';
import type { KubeClient, KubeObject, Permission } from '../runtime/runtime.ts';
import { isForbidden, isNotFound, resource } from '../runtime/runtime.ts';

const definitions = resource<KubeObject>(
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
  },
  { namespaced: false },
);

/** The permission that {@link isDefinitionBeingDeleted} needs. */
export function definitionPermission({ plural, group }: ResourceNames): Permission {
  return {
    group: definitions.group,
    resource: definitions.plural,
    verbs: ['get'],
    scope: 'cluster',
    resourceNames: [`${plural}.${group}`],
  };
}

/** Whether the CustomResourceDefinition of a kind is being deleted, and all its resources with it. */
export async function isDefinitionBeingDeleted(
  client: Pick<KubeClient, 'get'>,
  { plural, group }: ResourceNames,
): Promise<boolean> {
  const definition = await client
    .get(definitions, { namespace: '', name: `${plural}.${group}` })
    .catch((error: unknown) => {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    });
  return definition?.metadata.deletionTimestamp !== undefined;
}

/** How long a resource waits for a missing instance or key while a namespace is being deleted, in milliseconds. */
const strandedMs = 5 * 60_000;

/** The deletions that wait for a missing instance or key. */
export class StrandedDeletions {
  readonly #client: Pick<KubeClient, 'get'>;
  readonly #clock: { readonly now: () => Date; readonly monotonic: () => number };
  /** Since when an instance or key is missing, by the uid of the resource, on the monotonic clock. */
  readonly #since = new Map<string, number>();

  constructor(client: Pick<KubeClient, 'get'>, clock: { readonly now: () => Date; readonly monotonic: () => number }) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * How long the deletion of a resource still waits.
   * @param instanceNamespace the namespace of the missing instance or key
   * @returns the time in milliseconds, and the namespace that is being deleted; undefined if neither that of the instance nor
   *   that of the resource is
   */
  async left(
    { metadata }: { metadata: ObjectMeta },
    instanceNamespace: string,
  ): Promise<{ readonly ms: number; readonly namespace: string } | undefined> {
    const { uid, namespace } = metadata;
    const instanceDeletedAt = await this.#deletedAt(instanceNamespace);
    const now = this.#clock.monotonic();
    if (instanceDeletedAt !== undefined) {
      // They cannot come back there, so the time before a restart of the operator counts too.
      const since = this.#sinceOf(uid, now - Math.max(0, this.#clock.now().getTime() - Date.parse(instanceDeletedAt)));
      return { ms: strandedMs - (now - since), namespace: instanceNamespace };
    }
    if (namespace === instanceNamespace || (await this.#deletedAt(namespace)) === undefined) return undefined;
    return { ms: strandedMs - (now - this.#sinceOf(uid, now)), namespace };
  }

  async #deletedAt(namespace: string): Promise<string | undefined> {
    return (await readNamespace(this.#client, namespace))?.metadata.deletionTimestamp;
  }

  #sinceOf(uid: string, first: number): number {
    const since = this.#since.get(uid) ?? first;
    this.#since.set(uid, since);
    return since;
  }

  forget({ metadata }: { readonly metadata: { readonly uid: string } }): void {
    this.#since.delete(metadata.uid);
  }
}
