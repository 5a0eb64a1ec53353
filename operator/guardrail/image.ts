import { VERSION } from '../../guardrail/guardrail.ts';
import { OPERATOR_NAME } from '../operatorName.ts';
import type { KubeClient, ObjectKey, Permission } from '../runtime/runtime.ts';
import { pods } from '../cluster/cluster.ts';

/** One image contains both programs. */
const BY_VERSION = `${OPERATOR_NAME}:${VERSION}`;
/** The name of the container in the manifests. */
const CONTAINER = 'operator';

/** The permission that {@link guardrailImage} needs. */
export const ownPodPermission: Permission = { group: '', resource: 'pods', verbs: ['get'], scope: 'own' };

/**
 * The default image of guardrails: the configured one, or else the operator's own. The operator reads its own image
 * from its pod, because an admin can mirror the image under any name.
 * @throws ApiError while the pod cannot be read
 */
export function guardrailImage(
  client: Pick<KubeClient, 'get'>,
  configured: string | undefined,
  ownPod: ObjectKey | undefined,
): () => Promise<string> {
  let own: string | undefined;
  return async () => {
    if (configured !== undefined) return configured;
    if (ownPod === undefined) return BY_VERSION;
    own ??= (await client.get(pods, ownPod)).spec?.containers.find(({ name }) => name === CONTAINER)?.image;
    return own ?? BY_VERSION;
  };
}
