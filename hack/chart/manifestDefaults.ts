/** What the manifests set, which the values of the chart have as defaults. */
import { parse } from 'yaml';

/** The folder of the manifests that `kubectl apply -k .` applies. */
export const MANIFESTS = 'operator/manifests';

/** Reads a file of the project. */
export type Read = (path: string) => string;

/** The defaults that the manifests set. */
export interface ManifestDefaults {
  readonly image: string;
  readonly pullPolicy: string;
  readonly replicas: number;
  readonly resources: object;
  readonly redisImage: string;
}

interface Workload {
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly containers: readonly [Container] } };
  };
}

interface Container {
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly resources: object;
}

/** Reads the defaults from the Deployment and the StatefulSet. */
export function manifestDefaults(read: Read): ManifestDefaults {
  const workload = (path: string): Workload => parse(read(`${MANIFESTS}/${path}`)) as Workload;
  const container = ({ spec }: Workload): Container => spec.template.spec.containers[0];
  const operator = workload('deployment.yaml');
  const redis = workload('components/redis/statefulset.yaml');
  const { image, imagePullPolicy: pullPolicy, resources } = container(operator);
  return { image, pullPolicy, replicas: operator.spec.replicas, resources, redisImage: container(redis).image };
}
