/** The Secret of a key. The value of a key passes from the gateway through here into the Secret, and is nowhere else. */
import { createHash } from 'node:crypto';
import { annotations, type GatewayKey } from '../api/v1alpha1/v1alpha1.ts';
import {
  encodedSecretData,
  ignoreNotFound,
  isRejection,
  MANAGED_BY,
  secrets,
  secretValue,
} from '../cluster/cluster.ts';
import { isConflict, type KubeClient, ownerReference, RetryAfterError } from '../runtime/runtime.ts';

/** How long the garbage collector may take to delete the Secret of a previous key of the same name, in milliseconds. */
const collectedMs = 3_000;

/** The Secret cannot be written. The message is a condition message. */
export class KeySecretError extends Error {
  override readonly name = 'KeySecretError';
  readonly reason: 'NameTaken' | 'ApplyRejected';

  constructor(reason: KeySecretError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What a Secret contains, without the value. */
export interface KeySecret {
  readonly uid: string;
  readonly resourceVersion: string;
  /** The hash of the value, which is the id of the key at the gateway; undefined if there is no value. */
  readonly hash: string | undefined;
  /** When the value was written; NaN if this is not known. */
  readonly rotatedAt: number;
  /** The last request for a rotation that was handled. */
  readonly request: string | undefined;
  /** Whether the garbage collector deletes the Secret with the resource. */
  readonly isOwned: boolean;
}

/** The id of a key at the gateway. */
export function keyHashOf(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/**
 * The Secret of a key; undefined if it does not exist.
 * @throws KeySecretError if it belongs to others; RetryAfterError if the garbage collector is about to delete it; ApiError
 */
export async function readSecret(client: Pick<KubeClient, 'get'>, key: GatewayKey): Promise<KeySecret | undefined> {
  const { namespace, name, uid } = key.metadata;
  const { secretRef } = key.spec;
  const secret = await client.get(secrets, { namespace, name: secretRef.name }).catch(ignoreNotFound);
  if (secret === undefined) return undefined;
  const { ownerReferences = [], annotations: marks = {} } = secret.metadata;
  const isOwned = ownerReferences.some((owner) => owner.uid === uid);
  const isPrevious = ownerReferences.some((owner) => owner.kind === key.kind && owner.name === name);
  if (!isOwned && isPrevious) {
    throw new RetryAfterError(
      `Secret ${secretRef.name} of a previous key of this name is not deleted yet.`,
      collectedMs,
    );
  }
  // Without an owner, it was left by deletionPolicy Orphan.
  if (!isOwned && !(ownerReferences.length === 0 && marks[annotations.keyName] === name)) {
    const message = `Secret ${secretRef.name} exists and does not belong to this GatewayKey. Delete the Secret, or create another GatewayKey with another secretRef.`;
    throw new KeySecretError('NameTaken', message);
  }
  const value = secretValue(secret, secretRef.key);
  return {
    uid: secret.metadata.uid,
    resourceVersion: secret.metadata.resourceVersion,
    hash: value === undefined ? undefined : keyHashOf(value),
    rotatedAt: Date.parse(marks[annotations.keyRotatedAt] ?? ''),
    request: marks[annotations.rotateKey],
    isOwned,
  };
}

/**
 * Writes a value into the Secret, or only the owner of the Secret.
 * @param known the Secret as it was read; undefined: it does not exist. Nothing else is ever overwritten.
 * @param value undefined: the value stays
 * @throws KeySecretError if the API server refuses it; ApiError
 */
export async function writeSecret(
  client: Pick<KubeClient, 'create' | 'patch'>,
  key: GatewayKey,
  known: KeySecret | undefined,
  value: { readonly text: string; readonly at: Date } | undefined,
): Promise<void> {
  const { metadata, spec } = key;
  const { name } = spec.secretRef;
  const where = { namespace: metadata.namespace, name };
  const request = metadata.annotations?.[annotations.rotateKey];
  const marks = value && {
    [annotations.keyName]: metadata.name,
    [annotations.keyRotatedAt]: value.at.toISOString(),
    ...(request === undefined ? {} : { [annotations.rotateKey]: request }),
  };
  const written = {
    metadata: {
      ...where,
      labels: { 'app.kubernetes.io/managed-by': MANAGED_BY },
      ...(marks === undefined ? {} : { annotations: marks }),
      ownerReferences: leavesSecret(key) ? [] : [{ ...ownerReference(key), blockOwnerDeletion: false }],
    },
    ...(value === undefined ? {} : { data: encodedSecretData({ [spec.secretRef.key]: value.text }) }),
  };
  try {
    if (known === undefined) {
      const secret = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', ...written };
      await client.create(secrets, secret);
    } else {
      const { uid, resourceVersion } = known;
      await client.patch(secrets, where, { ...written, metadata: { ...written.metadata, uid, resourceVersion } });
    }
  } catch (error) {
    if (isConflict(error)) throw new RetryAfterError(`Secret ${name} has changed meanwhile.`, 0, { cause: error });
    if (!isRejection(error)) throw error;
    // The API server may quote the object that it refuses.
    throw new KeySecretError(
      'ApplyRejected',
      `The API server does not let the operator write Secret ${name} (${error.status}). Allow its ServiceAccount to create and patch Secrets in namespace ${metadata.namespace}, or correct what an admission policy refuses.`,
    );
  }
}

/** Whether the Secret stays when the resource is deleted. */
export function leavesSecret({ spec }: GatewayKey): boolean {
  return spec.deletionPolicy === 'Orphan';
}
