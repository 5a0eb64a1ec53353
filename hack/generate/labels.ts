/** The recommended labels of Kubernetes on the objects that are generated. */
import packageJson from '../../package.json' with { type: 'json' };
import { OPERATOR_NAME } from '../../operator/operatorName.ts';

/** The labels of an object of the installation, as the kustomization in `operator/manifests` sets them. */
export function objectLabels(component: string): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/name': OPERATOR_NAME,
    'app.kubernetes.io/instance': OPERATOR_NAME,
    'app.kubernetes.io/version': packageJson.version,
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/part-of': 'gateway-guardrail',
    'app.kubernetes.io/managed-by': 'kustomize',
  };
}
