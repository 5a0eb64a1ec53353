import { globSync } from 'node:fs';
import { join } from 'node:path';
import * as api from '../../operator/api/v1alpha1/v1alpha1.ts';
import { OPERATOR_NAME } from '../../operator/operatorName.ts';
import { objectLabels } from '../generate/labels.ts';
import type { Sources } from './crdgen.ts';

/** The sources of this project's CRDs. */
export function projectSources(root: string): Sources {
  const folder = join(root, 'operator/api/v1alpha1');
  return {
    files: [join(folder, 'v1alpha1.ts'), ...globSync(join(folder, '*.ts'))],
    tsconfig: join(root, 'tsconfig.json'),
    kinds: [
      api.gatewayCustomerNames,
      api.gatewayInstanceNames,
      api.gatewayBudgetNames,
      api.gatewayKeyNames,
      api.guardrailPolicyNames,
    ],
    constants: api,
    annotations: { [api.annotations.crdRevision]: String(api.CRD_REVISION) },
    // The operator installs and upgrades its CRDs.
    labels: { ...objectLabels('crd'), 'app.kubernetes.io/managed-by': OPERATOR_NAME },
  };
}
