/** The version of the project in the manifests, which package.json alone decides. */
import packageJson from '../../package.json' with { type: 'json' };

/** The version of the project. */
export const { version: VERSION } = packageJson;

/** The label with the version of what an object belongs to. */
export const VERSION_LABEL = 'app.kubernetes.io/version';

/** The manifests that are written by hand and contain the version. */
export const VERSIONED_MANIFESTS: readonly string[] = [
  'operator/manifests/kustomization.yaml',
  'operator/manifests/components/prometheus/prometheusrule.yaml',
  'operator/manifests/components/prometheus/servicemonitor.yaml',
  'operator/manifests/components/redis/networkpolicy.yaml',
  'operator/manifests/components/redis/service.yaml',
  'operator/manifests/components/redis/serviceaccount.yaml',
  'operator/manifests/components/redis/statefulset.yaml',
  'hack/dashboards/kustomization.yaml',
];

/** Sets the label and the tag of the image in a manifest to a version. */
export function withVersion(manifest: string, version: string = VERSION): string {
  return manifest
    .replace(/^( *app\.kubernetes\.io\/version: ).*$/gm, `$1'${version}'`)
    .replace(/^( *newTag: ).*$/gm, `$1${version}`);
}
