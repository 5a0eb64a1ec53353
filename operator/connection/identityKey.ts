/** The key with which the operator signs its marks: a Secret in its own namespace. */
import { randomBytes } from 'node:crypto';
import { encodedSecretData, MANAGED_BY, secrets, secretValue } from '../cluster/cluster.ts';
import { OPERATOR_NAME } from '../operatorName.ts';
import { isConflict, isForbidden, isNotFound, type KubeClient, type Permission } from '../runtime/runtime.ts';
import { notReady } from './readConnection.ts';
import { IDENTITY_KEY_BYTES } from './gatewayIdentity.ts';

/** The name of the Secret. */
export const IDENTITY_SECRET = `${OPERATOR_NAME}-identity`;
/** The key of the value in the Secret, which is base64 text. */
const DATA_KEY = 'key';

/** What {@link identityKey} needs. RBAC cannot restrict `create` to a name. */
export const identityPermissions: readonly Permission[] = [
  { group: '', resource: 'secrets', verbs: ['create'], scope: 'own' },
  { group: '', resource: 'secrets', verbs: ['get'], scope: 'own', resourceNames: [IDENTITY_SECRET] },
];

/**
 * The key in the operator's Secret, which is created if it does not exist.
 * @param namespace the operator's own namespace
 * @throws ConnectionError if the Secret cannot be read or created, or has no valid key
 */
export async function identityKey(client: Pick<KubeClient, 'get' | 'create'>, namespace: string): Promise<Buffer> {
  const name = `Secret ${namespace}/${IDENTITY_SECRET}`;
  try {
    const secret = await readOrCreate(client, namespace);
    const key = Buffer.from(secretValue(secret, DATA_KEY) ?? '', 'base64');
    if (key.length === IDENTITY_KEY_BYTES) return key;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const message = `The operator is not permitted to read or create ${name}, which contains the key of its marks. Apply the operator's Role in namespace ${namespace}.`;
    throw notReady('SecretNotReadable', message, { cause: error });
  }
  const message = `${name} contains no valid key for the operator's marks. Restore the Secret from a backup. Without a backup, delete it: the operator then creates a new key, and trusts the statuses of the resources once.`;
  throw notReady('SecretKeyMissing', message);
}

async function readOrCreate(
  client: Pick<KubeClient, 'get' | 'create'>,
  namespace: string,
): Promise<{ readonly data?: Readonly<Record<string, string>> }> {
  const key = { namespace, name: IDENTITY_SECRET };
  const existing = await client.get(secrets, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  });
  if (existing !== undefined) return existing;
  try {
    const metadata = { ...key, labels: { 'app.kubernetes.io/managed-by': MANAGED_BY } };
    const data = encodedSecretData({ [DATA_KEY]: randomBytes(IDENTITY_KEY_BYTES).toString('base64') });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
    return await client.create(secrets, secret);
  } catch (error) {
    // Another process has created it.
    if (!isConflict(error)) throw error;
    return await client.get(secrets, key);
  }
}
