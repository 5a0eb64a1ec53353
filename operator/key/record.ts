/**
 * The keys of one resource at its gateway. All of them, its generations, have the same user there: an identity that outlives a
 * rotation. The current one is in the Secret. A crash can leave one that is not.
 */
import { randomBytes } from 'node:crypto';
import { annotations, type GatewayKey, keyDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { keyUserPrefix } from '../../guardrail/guardrail.ts';
import { parseDuration } from '../cluster/cluster.ts';
import type { GatewayIdentity } from '../connection/connection.ts';
import {
  type Announcement,
  type Comparison,
  type ExternalDependencies,
  type ExternalRecord,
  hashOf,
  isInSync,
  type Origin,
  type Report,
  type Sync,
} from '../external/external.ts';
import {
  clearingColumns,
  columnsOf,
  desiredOf,
  driftOf,
  fieldsOf,
  isEmpty,
  type KeyField,
  keyFields,
  type KeyRow,
  readFields,
  type Values,
} from '../gateway/gateway.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { keyHashOf, type KeySecret, leavesSecret, readSecret, writeSecret } from './secret.ts';
import type { KeyOutcome } from './status.ts';

/** The dependencies of a key's reconcile. */
export interface Dependencies extends ExternalDependencies<GatewayKey, KeyField> {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
}

/** The user of all generations of a key at the gateway: the guardrail recognizes its form, and takes `status.keyId` from it. */
export function keyUserOf(identity: Pick<GatewayIdentity, 'resourceId'>, { kind, metadata }: GatewayKey): string {
  return `${keyUserPrefix}${identity.resourceId({ kind, namespace: metadata.namespace, name: metadata.name })}`;
}

/** The keys that the gateway accepts, the newest first, and the Secret. */
export interface Generations {
  readonly rows: readonly KeyRow[];
  readonly secret: KeySecret | undefined;
}

/** The key that the Secret contains, if the gateway has it. */
export function currentOf({ rows, secret }: Generations): KeyRow | undefined {
  return rows.find(({ token }) => token === secret?.hash);
}

/**
 * The keys to delete now. A key that is newer than the current one, or that exists before any Secret did, was never in the Secret:
 * the operator ended before. A key that is older stays for the grace period.
 * @param published whether a key of the resource was in a Secret before
 */
export function staleOf(found: Generations, published: boolean, graceMs: number, now: Date): readonly KeyRow[] {
  const { rows, secret } = found;
  const current = currentOf(found);
  if (current === undefined) return secret === undefined && !published ? rows : [];
  const isNewer = ({ created_at }: KeyRow): boolean => Date.parse(created_at) >= Date.parse(current.created_at);
  const isOver = !(now.getTime() < (secret?.rotatedAt ?? 0) + graceMs);
  return rows.filter((row) => row !== current && (isNewer(row) || isOver));
}

/** Whether the current key is to be replaced: its time is over, or somebody requests it. */
export function isRotationDue({ secret }: Generations, { metadata, spec }: GatewayKey, now: Date): boolean {
  if (secret === undefined) return false;
  const request = metadata.annotations?.[annotations.rotateKey];
  if (request !== undefined && request !== secret.request) return true;
  return (
    spec.rotationInterval !== undefined && !(now.getTime() < secret.rotatedAt + parseDuration(spec.rotationInterval))
  );
}

interface KeyComparison extends Comparison {
  readonly found: Generations;
  readonly stale: readonly KeyRow[];
  /** Whether the Secret needs a new key. */
  readonly mints: boolean;
  readonly columns: Readonly<Record<string, unknown>>;
}

/** The keys of one resource during one sync. Their user belongs to this resource alone, so no other client makes them. */
export class KeyRecord implements ExternalRecord<Generations, KeyComparison> {
  readonly lookup = 'GET /key/list';
  readonly createsFirst = false;
  readonly #dependencies: Dependencies;
  readonly #sync: Sync<GatewayKey, KeyField>;
  readonly #user: string;
  readonly #desired: Values<KeyField>;
  readonly #specHash: string;
  #secret: KeySecret | undefined;

  constructor(dependencies: Dependencies, sync: Sync<GatewayKey, KeyField>) {
    this.#dependencies = dependencies;
    this.#sync = sync;
    this.#user = keyUserOf(dependencies.identity, sync.resource);
    this.#desired = desiredOf(keyFields, sync.resource.spec);
    this.#specHash = hashOf(Object.fromEntries(Object.entries(this.#desired).filter(([, value]) => !isEmpty(value))));
  }

  /** Reads the Secret first: one of others ends the sync before the gateway makes a key. */
  async observe(first?: 'first'): Promise<Generations | undefined> {
    const { resource, client, signal } = this.#sync;
    this.#secret = await readSecret(this.#dependencies.client, resource);
    const isRoutine = first !== undefined && isInSync(resource);
    const priority = first === undefined ? {} : { priority: isRoutine ? ('routine' as const) : ('urgent' as const) };
    const rows = await client.keyList(this.#user, { signal, ...priority });
    return rows.length === 0 ? undefined : { rows, secret: this.#secret };
  }

  /** No key only observes: the gateway does not tell the value of a key that it has. */
  observed(): Report {
    return { differs: [], found: {} };
  }

  compare(found: Generations): KeyComparison {
    const { resource, claim } = this.#sync;
    const now = this.#dependencies.now();
    const grace = parseDuration(resource.spec.rotationGracePeriod ?? keyDefaults.rotationGracePeriod);
    const stale = staleOf(found, resource.status?.specHash !== undefined, grace, now);
    const { differs, uncleared } = this.#driftOf(found);
    const isMissing = currentOf(found) === undefined;
    const isDue = !isMissing && isRotationDue(found, resource, now);
    const isOwnerWrong = found.secret !== undefined && found.secret.isOwned === leavesSecret(resource);
    const specChanged = claim.ownership.state === 'owned' && resource.status?.specHash !== this.#specHash;
    const changes = [...differs, ...uncleared, ...(isMissing || isOwnerWrong ? ['secretRef'] : [])];
    return {
      ...{ found, stale, specChanged, changes },
      differs: changes,
      mints: isMissing || isDue,
      columns: { ...columnsOf(differs, this.#desired), ...clearingColumns(uncleared) },
      isUpToDate: changes.length === 0 && stale.length === 0 && !isDue,
      routine: isDue ? 'rotated' : changes.length === 0 ? 'retired' : undefined,
    };
  }

  #driftOf(found: Generations): { readonly differs: readonly KeyField[]; readonly uncleared: readonly KeyField[] } {
    const current = currentOf(found);
    if (current === undefined) return { differs: [], uncleared: [] };
    const values = readFields(keyFields, current);
    return driftOf(this.#desired, this.#sync.claim.ownership.fields, { effective: values, present: values });
  }

  originOf(): Origin | undefined {
    const { state, restoredFrom } = this.#sync.claim.ownership;
    if (state === 'owned') return undefined;
    if (state === 'none') return 'adopted';
    // The operator ended after it had announced the creation.
    return restoredFrom === undefined ? 'created' : 'restored';
  }

  announcement(): Announcement {
    const { claim, run } = this.#sync;
    const fields = fieldsOf(this.#desired);
    const isRecorded = run.announcesByMark || fields.every((field) => claim.ownership.fields.has(field));
    return {
      mark: fields,
      status: isRecorded ? {} : { appliedFields: [...new Set([...claim.ownership.fields, ...fields])] },
    };
  }

  async create(): Promise<void> {
    await this.#mint(0);
  }

  async update({ found, stale, mints, columns }: KeyComparison): Promise<void> {
    const { client, signal, resource } = this.#sync;
    await this.#delete(stale);
    if (mints) {
      // The new key continues the spend of the one that it replaces.
      await this.#mint((currentOf(found) ?? found.rows[0])?.spend ?? 0);
      return;
    }
    const { secret } = found;
    if (secret !== undefined && secret.isOwned === leavesSecret(resource)) {
      await writeSecret(this.#dependencies.client, resource, secret, undefined);
    }
    const token = currentOf(found)?.token;
    if (token !== undefined && Object.keys(columns).length > 0)
      await client.keyUpdate({ key: token, ...columns }, { signal });
  }

  /**
   * Makes a key and writes it into the Secret. A key that does not reach the Secret is deleted, now or, after a crash, by the next
   * sync.
   */
  async #mint(spend: number): Promise<void> {
    const { client, signal, resource } = this.#sync;
    const { namespace, name } = resource.metadata;
    const text = await client.keyGenerate(
      {
        user_id: this.#user,
        // The gateway wants a unique alias. The guardrail trusts the user only together with an alias that begins with it.
        key_alias: `${this.#user}/${namespace}/${name}`.slice(0, 200) + `/${randomBytes(4).toString('hex')}`,
        ...(spend === 0 ? {} : { spend }),
        ...columnsOf(keyFields, this.#desired),
      },
      { signal },
    );
    try {
      await writeSecret(this.#dependencies.client, resource, this.#secret, { text, at: this.#dependencies.now() });
    } catch (error) {
      await client.keyDelete([keyHashOf(text)], { signal }).catch(() => undefined);
      throw error;
    }
  }

  async #delete(rows: readonly KeyRow[]): Promise<void> {
    const [first, ...others] = rows.map(({ token }) => token);
    if (first !== undefined) await this.#sync.client.keyDelete([first, ...others], { signal: this.#sync.signal });
  }

  report(found: Generations): Report & { readonly found: Partial<KeyOutcome> } {
    const { differs } = this.#driftOf(found);
    const { secret } = found;
    const isIn = currentOf(found) !== undefined && secret !== undefined;
    return {
      differs: isIn ? differs : [...differs, 'secretRef'],
      found: {
        keyId: this.#user.slice(keyUserPrefix.length),
        liveKeys: found.rows.length,
        ...(isIn && Number.isFinite(secret.rotatedAt)
          ? { lastRotationTime: new Date(secret.rotatedAt).toISOString() }
          : {}),
        applied: { specHash: this.#specHash, fields: fieldsOf(this.#desired) },
      },
    };
  }
}
