/**
 * The guardrail's Secrets at the API server. They are created, never applied, and changed only against the version that
 * was read: no race between two operators can put another key in the place of one that is in use.
 */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { isConflict, ownerReference } from '../runtime/runtime.ts';
import { belongsTo, labelsOf, NameTakenError, noneIfNotFound, secrets } from '../cluster/cluster.ts';
import type { KeySecret } from './keys.ts';

/** A Secret as it was read, and what of it concerns keys. */
export interface StoredKeys {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly keys: KeySecret;
}

/**
 * Reads a Secret, and makes it where it is not there.
 * @param complete generates what is missing; answers the very same where nothing is
 * @throws NameTakenError where it is somebody else's; ApiError
 */
export async function ensureKeys(
  client: KubeClient,
  instance: GatewayInstance,
  name: string,
  complete: (secret: KeySecret) => KeySecret,
): Promise<StoredKeys> {
  const key = { namespace: instance.metadata.namespace, name };
  const read = async (): Promise<Stored | undefined> => client.get(secrets, key).catch(noneIfNotFound);
  let stored = await read();
  if (stored === undefined) {
    const made = complete({ data: {}, annotations: {} });
    stored = await client
      .create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { ...key, labels: labelsOf(instance), ownerReferences: [ownerReference(instance)] },
        type: 'Opaque',
        data: encode(made.data),
      } as object)
      .catch((error: unknown) => {
        // Somebody was quicker: theirs counts.
        if (!isConflict(error)) throw error;
        return read();
      });
  }
  if (stored === undefined) throw new Error(`Secret ${name} appeared and went away again.`);
  // One with our label came back from a backup: its keys are what makes old sessions readable.
  const restored = Object.entries(labelsOf(instance)).every(
    ([label, value]) => stored.metadata.labels?.[label] === value,
  );
  if (!belongsTo(stored, instance) && !restored) throw new NameTakenError('Secret', name);
  const keys = decode(stored);
  const completed = complete(keys);
  if (completed === keys && belongsTo(stored, instance)) return described(stored, keys);
  return writeKeys(client, instance, described(stored, keys), completed);
}

/** Writes what has changed of a Secret. @throws ApiError 409 where somebody else has changed it meanwhile */
export async function writeKeys(
  client: KubeClient,
  instance: GatewayInstance,
  stored: StoredKeys,
  keys: KeySecret,
): Promise<StoredKeys> {
  const removed = Object.keys(stored.keys.annotations).filter((name) => keys.annotations[name] === undefined);
  const written = await client.patch(
    secrets,
    { namespace: instance.metadata.namespace, name: stored.name },
    {
      metadata: {
        uid: stored.uid,
        resourceVersion: stored.resourceVersion,
        labels: labelsOf(instance),
        annotations: { ...Object.fromEntries(removed.map((name) => [name, null])), ...keys.annotations },
        ownerReferences: [ownerReference(instance)],
      },
      data: encode(keys.data),
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

function described(stored: Stored, keys: KeySecret): StoredKeys {
  const { name, uid, resourceVersion } = stored.metadata;
  return { name, uid, resourceVersion, keys };
}

function decode({ data, metadata }: Stored): KeySecret {
  const texts = Object.entries(data ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value, 'base64').toString('utf8'),
  ]);
  return { data: Object.fromEntries(texts) as Record<string, string>, annotations: metadata.annotations ?? {} };
}

function encode(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}
