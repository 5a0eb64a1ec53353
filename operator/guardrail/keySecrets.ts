/**
 * The Secrets with the guardrail's keys. The operator creates them and changes them only at the version that it has
 * read, so two operators cannot replace each other's keys.
 */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { isConflict, ownerReference } from '../runtime/runtime.ts';
import {
  encodedSecretData,
  ignoreNotFound,
  isLabelledFor,
  isOwnedBy,
  labelsOf,
  NameTakenError,
  secrets,
  secretValues,
} from '../cluster/cluster.ts';
import type { KeySecret } from './keys.ts';

/** A Secret as it was read, and its keys. */
export interface StoredKeySecret {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly keys: KeySecret;
}

/**
 * Reads a Secret, and creates it if it does not exist.
 * @param complete generates missing keys; returns the same object if no key is missing
 * @throws NameTakenError if the Secret belongs to another owner; ApiError
 */
export async function ensureKeySecret(
  client: KubeClient,
  instance: GatewayInstance,
  name: string,
  complete: (secret: KeySecret) => KeySecret,
): Promise<StoredKeySecret> {
  const key = { namespace: instance.metadata.namespace, name };
  const read = async (): Promise<Stored | undefined> => client.get(secrets, key).catch(ignoreNotFound);
  let stored = await read();
  if (stored === undefined) {
    const made = complete({ data: {}, annotations: {} });
    stored = await client
      .create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { ...key, labels: labelsOf(instance), ownerReferences: [ownerReference(instance)] },
        type: 'Opaque',
        data: encodedSecretData(made.data),
      } as object)
      .catch((error: unknown) => {
        // Another operator has created the Secret. Its keys are used.
        if (!isConflict(error)) throw error;
        return read();
      });
  }
  if (stored === undefined) throw new Error(`Secret ${name} was created and deleted at the same time.`);
  // A Secret with the operator's labels was restored from a backup. Its keys are required to read old sessions.
  const restored = isLabelledFor(stored.metadata, instance);
  if (!isOwnedBy(stored, instance) && !restored) throw new NameTakenError('Secret', name);
  const keys = decode(stored);
  const completed = complete(keys);
  if (completed === keys && isOwnedBy(stored, instance)) return described(stored, keys);
  return updateKeySecret(client, instance, described(stored, keys), completed);
}

/**
 * Writes the changes of a Secret.
 * @throws ApiError 409 if the Secret has changed since it was read
 */
export async function updateKeySecret(
  client: KubeClient,
  instance: GatewayInstance,
  stored: StoredKeySecret,
  keys: KeySecret,
): Promise<StoredKeySecret> {
  const nulls = (before: KeySecret['data'], after: KeySecret['data']): Record<string, null> =>
    Object.fromEntries(Object.keys(before).flatMap((name) => (after[name] === undefined ? [[name, null]] : [])));
  const written = await client.patch(
    secrets,
    { namespace: instance.metadata.namespace, name: stored.name },
    {
      metadata: {
        uid: stored.uid,
        resourceVersion: stored.resourceVersion,
        labels: labelsOf(instance),
        annotations: { ...nulls(stored.keys.annotations, keys.annotations), ...keys.annotations },
        ownerReferences: [ownerReference(instance)],
      },
      data: { ...nulls(stored.keys.data, keys.data), ...encodedSecretData(keys.data) },
    },
  );
  return described(written, decode(written));
}

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

function described(stored: Stored, keys: KeySecret): StoredKeySecret {
  const { name, uid, resourceVersion } = stored.metadata;
  return { name, uid, resourceVersion, keys };
}

function decode(stored: Stored): KeySecret {
  return { data: secretValues(stored), annotations: stored.metadata.annotations ?? {} };
}
