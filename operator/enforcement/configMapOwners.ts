/** Tells which ConfigMaps concern the enforcement of an instance. Pure. */
import type { V1ConfigMap } from '@kubernetes/client-node';
import { instances } from '../api/kinds.ts';
import { guardrailFiles } from '../guardrail/guardrail.ts';
import type { FromServer, ObjectKey } from '../runtime/runtime.ts';

/**
 * The instances to which a shard or a policy file belongs. The status of customers is compared with the policy file: if
 * another client changes the file, they are examined again when the operator has restored it.
 */
export function ownersOf({ metadata, data }: FromServer<V1ConfigMap>): readonly ObjectKey[] {
  const isPolicyFile = data?.[guardrailFiles.policy] !== undefined;
  return (metadata.ownerReferences ?? [])
    .filter(({ kind, controller }) => kind === instances.kind && (controller !== true || isPolicyFile))
    .map(({ name }) => ({ namespace: metadata.namespace ?? '', name }));
}
