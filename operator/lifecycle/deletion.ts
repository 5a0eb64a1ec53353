/** The deletion of a kind with all its resources. */
import type { ResourceNames } from '../api/v1alpha1/v1alpha1.ts';
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
