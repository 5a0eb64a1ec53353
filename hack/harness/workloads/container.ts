/** Computes the environment and the files of a container from its pod's ConfigMaps and Secrets, for a local process. Pure. */
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

/** Names of the ConfigMaps and Secrets that a pod references. */
export function references(pod: Pod): { configMaps: ReadonlySet<string>; secrets: ReadonlySet<string> } {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  const add = (set: Set<string>, name: string | undefined): void => {
    if (name !== undefined) set.add(name);
  };
  for (const { env = [], envFrom = [] } of pod.spec?.containers ?? []) {
    for (const { configMapRef, secretRef } of envFrom) {
      add(configMaps, configMapRef?.name);
      add(secrets, secretRef?.name);
    }
    for (const { valueFrom: from } of env) {
      add(configMaps, from?.configMapKeyRef?.name);
      add(secrets, from?.secretKeyRef?.name);
    }
  }
  for (const volume of pod.spec?.volumes ?? []) {
    for (const { configMap, secret } of [volume, ...(volume.projected?.sources ?? [])]) {
      add(configMaps, configMap?.name);
      add(secrets, secret && ('secretName' in secret ? secret.secretName : (secret as { name?: string }).name));
    }
  }
  return { configMaps, secrets };
}

/**
 * The container's environment: `envFrom`, then `env`, with `$(NAME)` replaced by the value set before.
 * @throws ContainerConfigError if a required reference cannot be resolved
 */
export function environment(pod: Pod, container: Container, sources: Sources): Record<string, string> {
  const result: Record<string, string> = {};
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const data = configMapRef
      ? found(sources.configMap(configMapRef.name ?? ''), 'ConfigMap', configMapRef)
      : found(sources.secret(secretRef?.name ?? ''), 'Secret', secretRef ?? {});
    for (const [key, value] of data ?? []) result[prefix + key] = value.toString();
  }
  for (const variable of container.env ?? []) {
    const value = variable.valueFrom ? valueFrom(pod, variable, sources) : expand(variable.value ?? '', result);
    if (value !== undefined) result[variable.name] = value;
  }
  return result;
}

/** Expands `$(NAME)` to the value of a known name, and `$$` to a dollar sign. Other text is unchanged, as in Kubernetes. */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([\w.-]+)\)/g, (match, name: string | undefined) =>
    name === undefined ? '$' : (variables[name] ?? match),
  );
}

/**
 * The files of a volume; none for kinds that are initially empty.
 * @throws ContainerConfigError if a required reference cannot be resolved
 */
export function volumeFiles(volume: Volume, sources: Sources): VolumeFiles {
  const files = new Map<string, Buffer>();
  for (const { configMap, secret } of [volume, ...(volume.projected?.sources ?? [])]) {
    if (configMap) {
      addFiles(files, found(sources.configMap(configMap.name ?? ''), 'ConfigMap', configMap), configMap);
    }
    if (secret) {
      const name = 'secretName' in secret ? secret.secretName : (secret as { name?: string }).name;
      const reference = {
        ...(name !== undefined && { name }),
        ...(secret.optional !== undefined && { optional: secret.optional }),
      };
      addFiles(files, found(sources.secret(name ?? ''), 'Secret', reference), secret);
    }
  }
  return files;
}

/** The local folder of each of the pod's volumes, by its mount path in the container. */
export function mountedPaths(container: Container, folderOf: (volume: string) => string): ReadonlyMap<string, string> {
  return new Map(
    (container.volumeMounts ?? []).map(({ mountPath, name, subPath }) => [
      mountPath.replace(/\/+$/, ''),
      subPath === undefined ? folderOf(name) : `${folderOf(name)}/${subPath}`,
    ]),
  );
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

interface Reference {
  name?: string;
  optional?: boolean;
}

function found(data: Data | undefined, kind: string, { name = '', optional }: Reference): Data | undefined {
  if (data || optional === true) return data;
  throw new ContainerConfigError(`${kind} ${name} does not exist.`);
}

function addFiles(
  files: Map<string, Buffer>,
  data: Data | undefined,
  { items, optional }: { items?: { key: string; path: string }[]; optional?: boolean },
): void {
  if (!data) return;
  for (const { key, path } of items ?? [...data.keys()].map((name) => ({ key: name, path: name }))) {
    const value = data.get(key);
    if (value) files.set(path, value);
    else if (optional !== true) throw new ContainerConfigError(`Key ${key} of a volume's file ${path} does not exist.`);
  }
}

function valueFrom(pod: Pod, { name, valueFrom: from }: EnvVar, sources: Sources): string | undefined {
  const { configMapKeyRef, secretKeyRef, fieldRef } = from ?? {};
  const reference = configMapKeyRef ?? secretKeyRef;
  if (reference) {
    const kind = configMapKeyRef ? 'ConfigMap' : 'Secret';
    const data = configMapKeyRef ? sources.configMap(reference.name ?? '') : sources.secret(reference.name ?? '');
    const value = found(data, kind, reference)?.get(reference.key);
    if (!value && reference.optional !== true) {
      throw new ContainerConfigError(
        `${kind} ${reference.name ?? ''} has no key ${reference.key}, which ${name} references.`,
      );
    }
    return value?.toString();
  }
  if (fieldRef) return field(pod, fieldRef.fieldPath);
  throw new ContainerConfigError(`${name} has a source that local pods do not support.`);
}

function field(pod: Pod, path: string): string {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
  if (key !== undefined) return (map === 'labels' ? pod.metadata?.labels : pod.metadata?.annotations)?.[key] ?? '';
  const known: Readonly<Record<string, string | undefined>> = {
    'metadata.name': pod.metadata?.name,
    'metadata.namespace': pod.metadata?.namespace,
    'metadata.uid': pod.metadata?.uid,
    'spec.nodeName': 'local',
    'spec.serviceAccountName': pod.spec?.serviceAccountName ?? 'default',
    'status.podIP': '127.0.0.1',
    'status.hostIP': '127.0.0.1',
  };
  const value = known[path];
  if (value === undefined) throw new ContainerConfigError(`Local pods do not support the field ${path}.`);
  return value;
}
