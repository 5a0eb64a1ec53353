import packageJson from '../../package.json' with { type: 'json' };
import type { KubeClient, ObjectKey, Permission } from '../runtime/runtime.ts';
import { pods } from '../cluster/cluster.ts';

/** One image holds both programs. */
const BY_VERSION = `gateway-guardrail-operator:${packageJson.version}`;
/** As the manifests name it. */
const CONTAINER = 'operator';

/** The right that {@link guardrailImage} needs. */
export const ownPodPermission: Permission = { group: '', resource: 'pods', verbs: ['get'], scope: 'own' };

/**
 * The image that guardrails run where their instance names none: the configured one, or else the operator's own, which
 * only its pod tells, since whoever deploys it may have it mirrored under any name.
 * @throws ApiError as long as the pod cannot be read
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
