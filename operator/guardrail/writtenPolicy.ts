import type { V1ConfigMap } from '@kubernetes/client-node';
import { policyRevision } from '../../guardrail/guardrail.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { isOwnedBy } from '../cluster/cluster.ts';
import type { FromServer } from '../runtime/runtime.ts';
import { files } from './settings.ts';

/**
 * The policy file that the operator has written last.
 * @param map the ConfigMap of the guardrail; undefined: there is none
 * @returns undefined if there is no such file, or if another client has changed it
 */
export function writtenPolicy(map: FromServer<V1ConfigMap> | undefined, instance: GatewayInstance): string | undefined {
  const text = map !== undefined && isOwnedBy(map, instance) ? map.data?.[files.policy] : undefined;
  if (text === undefined) return undefined;
  return policyRevision(text) === instance.status?.guardrail?.policyRevision ? text : undefined;
}
