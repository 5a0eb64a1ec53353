/**
 * Computes the environment and the files of a container from its pod's ConfigMaps and Secrets, for a local process. It knows
 * what the operator uses in the Deployments of guardrails, and refuses the rest. Pure.
 */
import type { Container, EnvVar, Pod, Volume } from './kinds.ts';

/** The data of one ConfigMap or Secret. */
export type Data = ReadonlyMap<string, Buffer>;

/** Looks up the pod's ConfigMaps and Secrets; undefined if there is none with that name. */
export interface Sources {
  configMap(name: string): Data | undefined;
  secret(name: string): Data | undefined;
}

/** The files of one volume, by their path in it. */
export type VolumeFiles = ReadonlyMap<string, Buffer>;

/** The pod cannot start yet, because a reference cannot be resolved. The message is one sentence, as a kubelet reports it. */
export class ContainerConfigError extends Error {
  override name = 'ContainerConfigError';
}

/** A ConfigMap or a Secret that a volume contains: all keys, or the named ones at their paths. */
interface VolumeSource {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly items?: readonly { readonly key: string; readonly path: string }[] | undefined;
  readonly optional?: boolean | undefined;
}

function sourcesOf(volume: Volume): VolumeSource[] {
  const { secret } = volume;
  const configMaps = [volume, ...(volume.projected?.sources ?? [])].flatMap((one) => one.configMap ?? []);
  return [
    ...configMaps.map((one): VolumeSource => ({ ...one, kind: 'ConfigMap', name: one.name ?? '' })),
    ...(secret === undefined ? [] : [{ ...secret, kind: 'Secret' as const, name: secret.secretName ?? '' }]),
  ];
}

/** Names of the ConfigMaps and Secrets that a pod references. */
export function references(pod: Pod): { configMaps: ReadonlySet<string>; secrets: ReadonlySet<string> } {
  const volumes = (pod.spec?.volumes ?? []).flatMap(sourcesOf);
  const variables = (pod.spec?.containers ?? []).flatMap(({ env = [] }) => env);
  const named = (kind: VolumeSource['kind']): string[] =>
    volumes.filter((source) => source.kind === kind).map(({ name }) => name);
  const ofVariables = variables.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []);
  return { configMaps: new Set(named('ConfigMap')), secrets: new Set([...named('Secret'), ...ofVariables]) };
}

/**
 * The container's environment.
 * @throws ContainerConfigError if a required reference cannot be resolved
 */
export function environment(container: Container, sources: Sources): Record<string, string> {
  const values = (container.env ?? []).map((variable) => [variable.name, valueOf(variable, sources)] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function valueOf({ name, value = '', valueFrom }: EnvVar, sources: Sources): string | undefined {
  if (valueFrom === undefined) return value;
  const { secretKeyRef: ref } = valueFrom;
  if (ref === undefined) throw new ContainerConfigError(`${name} has a source that local pods do not support.`);
  const found = required(sources.secret(ref.name ?? ''), { name: '', ...ref, kind: 'Secret' })?.get(ref.key);
  if (found === undefined && ref.optional !== true) {
    throw new ContainerConfigError(`Secret ${ref.name ?? ''} has no key ${ref.key}, which ${name} references.`);
  }
  return found?.toString();
}

/**
 * The files of a volume; none for kinds that are initially empty.
 * @throws ContainerConfigError if a required reference cannot be resolved
 */
export function volumeFiles(volume: Volume, sources: Sources): VolumeFiles {
  const files = new Map<string, Buffer>();
  for (const source of sourcesOf(volume)) {
    const { kind, name, optional } = source;
    const data = required(kind === 'Secret' ? sources.secret(name) : sources.configMap(name), source);
    if (data === undefined) continue;
    for (const { key, path } of source.items ?? [...data.keys()].map((one) => ({ key: one, path: one }))) {
      const value = data.get(key);
      if (value) files.set(path, value);
      else if (optional !== true)
        throw new ContainerConfigError(`Key ${key} of a volume's file ${path} does not exist.`);
    }
  }
  return files;
}

function required(data: Data | undefined, { kind, name, optional }: VolumeSource): Data | undefined {
  if (data || optional === true) return data;
  throw new ContainerConfigError(`${kind} ${name} does not exist.`);
}

/** The local folder of each of the pod's volumes, by its mount path in the container. */
export function mountedPaths(container: Container, folderOf: (volume: string) => string): ReadonlyMap<string, string> {
  return new Map((container.volumeMounts ?? []).map(({ mountPath, name }) => [mountPath, folderOf(name)]));
}

/** Replaces each path in a mounted volume by its local path. */
export function localPaths(text: string, mounts: ReadonlyMap<string, string>): string {
  // The longest first: a volume may be mounted within another.
  const ordered = [...mounts].sort(([a], [b]) => b.length - a.length);
  return ordered.reduce((changed, [mountPath, local]) => {
    const whole = new RegExp(`(?<![\\w./-])${mountPath.replace(/[^\w/]/g, String.raw`\$&`)}(?=/|[^\\w.-]|$)`, 'g');
    return changed.replace(whole, () => local);
  }, text);
}
