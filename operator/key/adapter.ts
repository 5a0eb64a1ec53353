/** Connects keys to the keys of their gateways: see {@link Adapter}. */
import {
  annotations,
  type GatewayInstance,
  type GatewayKey,
  gatewayKeyNames,
  type GatewayKeyStatus,
} from '../api/v1alpha1/v1alpha1.ts';
import { ConnectionError } from '../connection/connection.ts';
import {
  type Access,
  type Adapter,
  type AdapterWords,
  type AnyRecord,
  type Claim,
  type ConnectionPurpose,
  failed,
  type Outcome,
  ownedByAnother,
  type RecordDeletion,
  type StatusGateway,
  type Sync,
} from '../external/external.ts';
import { GatewayError, type KeyField } from '../gateway/gateway.ts';
import { grantProblem } from './grants.ts';
import { type Dependencies, KeyRecord, keyUserOf } from './record.ts';
import { KeySecretError } from './secret.ts';
import { type KeyOutcome, keyWords, nextStatus } from './status.ts';

const words: AdapterWords<GatewayKey> = {
  ...keyWords,
  recordOf: ({ metadata: { namespace, name }, spec }) =>
    `the key of ${namespace}/${name} in Secret ${spec.secretRef.name}`,
  idOf: ({ metadata: { namespace, name } }) => `the key of ${namespace}/${name}`,
  deleted: () => 'The key was deleted at the gateway.',
  notDeleted: () => 'The key at the gateway was not created by the operator. It was not deleted.',
  forced: () =>
    `The annotation ${annotations.forceDelete} is set and the deletion failed. The key may remain valid at the gateway.`,
};

export class KeyAdapter implements Adapter<GatewayKey, KeyField> {
  readonly names = gatewayKeyNames;
  readonly words = words;
  readonly isThrottled = false;
  readonly ownerGone = undefined;
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** A grant that was taken back changes no key, and lets it be deleted. */
  checkInstance(key: GatewayKey, instance: GatewayInstance | undefined, purpose: ConnectionPurpose): void {
    const problem = instance === undefined || purpose === 'forDeletion' ? undefined : grantProblem(instance, key);
    if (problem !== undefined) throw new ConnectionError('KeyNotAllowed', problem);
  }

  ownedByAnother(key: GatewayKey, owner: Claim<GatewayKey, KeyField>): Outcome {
    return ownedByAnother(words, key, owner.resource, 'this key', 'Delete one of the two resources.');
  }

  record(sync: Sync<GatewayKey, KeyField>): AnyRecord {
    return new KeyRecord(this.#dependencies, sync);
  }

  outcomeOf(error: unknown): Outcome | undefined {
    return error instanceof KeySecretError ? failed(error.reason, error) : undefined;
  }

  nextStatus(key: GatewayKey, outcome: KeyOutcome, now: Date, gateway: StatusGateway): GatewayKeyStatus {
    return nextStatus(key, outcome, now, gateway);
  }

  /** Deletes all generations. The garbage collector deletes the Secret. */
  async delete({ resource, client, signal }: Access<GatewayKey, KeyField>, deletion: RecordDeletion): Promise<boolean> {
    if (deletion === 'none') return false;
    const list = async (): Promise<readonly string[]> =>
      (await client.keyList(keyUserOf(this.#dependencies.identity, resource), { signal, priority: 'urgent' })).map(
        ({ token }) => token,
      );
    const [first, ...others] = await list();
    if (first === undefined) return true;
    await client.keyDelete([first, ...others], { signal });
    if ((await list()).length === 0) return true;
    throw new GatewayError('transient', 'POST /key/delete', 'The gateway accepted the deletion but still has the key.');
  }
}
