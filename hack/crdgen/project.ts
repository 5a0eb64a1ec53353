import { join } from 'node:path';
import {
  annotations,
  CRD_REVISION,
  gatewayBudgetNames,
  gatewayCustomerNames,
  gatewayInstanceNames,
  guardrailPolicyNames,
} from '../../operator/api/v1alpha1/v1alpha1.ts';
import { OPERATOR_NAME } from '../../operator/operatorName.ts';
import { objectLabels } from '../generate/labels.ts';
import type { Sources } from './crdgen.ts';

/** The sources of this project's CRDs. */
export function projectSources(root: string): Sources {
  return {
    file: join(root, 'operator/api/v1alpha1/v1alpha1.ts'),
    tsconfig: join(root, 'tsconfig.json'),
    kinds: [gatewayCustomerNames, gatewayInstanceNames, gatewayBudgetNames, guardrailPolicyNames],
    annotations: { [annotations.crdRevision]: String(CRD_REVISION) },
    // The operator installs and upgrades its CRDs.
    labels: { ...objectLabels('crd'), 'app.kubernetes.io/managed-by': OPERATOR_NAME },
  };
}
