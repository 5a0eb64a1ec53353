/** Keeps the list of who may call of one instance, and reports since when every pod has it. */
import {
  customerListRevision,
  CustomerListTooLargeError,
  listHash,
  listKey,
  type ListHash,
  writeCustomerList,
} from '../../guardrail/guardrail.ts';
import { type GatewayCustomer, type GatewayInstance, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { ignoreNotFound, NameTakenError, namesOf, secrets, secretValue } from '../cluster/cluster.ts';
import { accessProblem, instanceKeyOf } from '../connection/connection.ts';
import { guardrailFiles } from '../guardrail/guardrail.ts';
import { isAnnotated, isObserveOnly } from '../lifecycle/lifecycle.ts';
import {
  type EventRecorder,
  isNotFound,
  type KubeClient,
  keyText,
  type ObjectKey,
  type ReconcileContext,
  type Reconciler,
  type Result,
  type StatusWriter,
} from '../runtime/runtime.ts';
import { accessDigest, entryOf } from './accessRules.ts';
import { Batches } from './batches.ts';
import { type CustomerSources, listedCustomers, outdatedCustomers } from './listedCustomers.ts';
import type { HasList } from './loadedLists.ts';
import { type ShardDependencies, writeShards } from './shards.ts';

/** The dependencies of {@link EnforcementReconciler}. */
export interface EnforcementDependencies extends CustomerSources, ShardDependencies {
  readonly client: Pick<KubeClient, 'get'>;
  readonly instanceStatus: StatusWriter<GatewayInstance>;
  readonly customerStatus: StatusWriter<GatewayCustomer>;
  readonly hasList: HasList;
  readonly events: EventRecorder;
  readonly now: () => Date;
  readonly monotonic: () => number;
}

/** How long until the keys of a new guardrail are looked for again. */
const KEYS_MS = 2_000;
/** How long until pods are asked again. A kubelet needs up to two minutes for a change. Then it takes longer and longer. */
const ASK_MS = { first: 3_000, last: 60_000 };
/** So many statuses of customers are written at the same time. */
const CONCURRENT = 8;

/** See {@link Reconciler}. */
export class EnforcementReconciler implements Reconciler {
  readonly #dependencies: EnforcementDependencies;
  readonly #batches: Batches;
  /** The hashes of customer ids of each instance, by the key of the hashes. */
  readonly #hashes = new Map<string, { readonly key: string; readonly byId: Map<string, ListHash> }>();

  /** The failure of each instance that was reported. */
  readonly #failing = new Map<string, string>();

  constructor(dependencies: EnforcementDependencies) {
    this.#dependencies = dependencies;
    this.#batches = new Batches(dependencies.monotonic);
  }

  async reconcile(key: ObjectKey, { signal }: ReconcileContext): Promise<Result> {
    const instance = this.#dependencies.instances.get(key);
    if (instance === undefined || instance.metadata.deletionTimestamp !== undefined) {
      this.#forget(key);
      return {};
    }
    if (isAnnotated(instance, 'paused')) return {};
    await this.#writeCustomers(outdatedCustomers(this.#dependencies, instance), undefined);
    if (instance.spec.guardrail === undefined) {
      this.#forget(key);
      await this.#dependencies.instanceStatus.write(instance, {});
      return {};
    }
    const sessionKey = await this.#readSessionKey(instance);
    if (sessionKey === undefined) return { requeueAfter: KEYS_MS };
    try {
      return await this.#ensure(instance, sessionKey, signal);
    } catch (error) {
      // The instance is being deleted.
      if (isNotFound(error)) return {};
      if (this.isExpected(error)) this.#reportFailure(instance, error);
      throw error;
    }
  }

  isExpected(error: unknown): error is CustomerListTooLargeError | NameTakenError {
    return error instanceof CustomerListTooLargeError || error instanceof NameTakenError;
  }

  /** Reports a failure once. The guardrail keeps the list that it has. */
  #reportFailure(instance: GatewayInstance, { message }: Error): void {
    const name = keyText(instance.metadata);
    if (this.#failing.get(name) === message) return;
    this.#failing.set(name, message);
    this.#dependencies.events.record(instance, {
      type: 'Warning',
      reason: 'CustomerListFailed',
      message: `The list of who may call cannot be written, so that the guardrail keeps the previous one. ${message}`,
    });
  }

  async #ensure(instance: GatewayInstance, sessionKey: string, signal: AbortSignal): Promise<Result> {
    const dependencies = this.#dependencies;
    const name = keyText(instance.metadata);
    const waitMs = this.#batches.waitMs(name);
    if (waitMs > 0) return { requeueAfter: waitMs };
    const customers = listedCustomers(dependencies, instance);
    const hashOf = this.#hasherOf(name, sessionKey, customers);
    const { unknownCustomers = instanceDefaults.unknownCustomers } = instance.spec;
    const shards = writeCustomerList(
      customers.map((customer) => entryOf(customer, hashOf)),
      { unknownCustomers },
    );
    const writes = await writeShards(dependencies, instance, shards);
    if (writes > 0) this.#batches.wrote(name, writes);
    this.#failing.delete(name);
    const revision = customerListRevision(shards);
    if (!(await this.#isEnforced(instance, { revision, customers: customers.length }, signal))) {
      const isDeployed = instance.status?.guardrail !== undefined;
      const waited = this.#batches.sinceWriteMs(name) / 10;
      return { requeueAfter: isDeployed ? Math.min(Math.max(waited, ASK_MS.first), ASK_MS.last) : ASK_MS.last };
    }
    await this.#reportCustomers(instance, customers);
    return {};
  }

  /** @returns whether every pod has the list, which the status of the instance then says */
  async #isEnforced(
    instance: GatewayInstance,
    list: { readonly revision: string; readonly customers: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { hasList, instanceStatus, now } = this.#dependencies;
    if (instance.status?.customerList?.revision === list.revision) return true;
    if (!(await hasList(instance, list.revision, signal))) return false;
    const customerList = { ...list, enforcedAt: now().toISOString() };
    await instanceStatus.write(instance, { customerList });
    return true;
  }

  /** Reports since when the rules of each customer of the instance are enforced, where they are new. */
  async #reportCustomers(instance: GatewayInstance, customers: readonly GatewayCustomer[]): Promise<void> {
    if (accessProblem(instance) !== undefined) return;
    const own = keyText(instance.metadata);
    await this.#writeCustomers(
      customers.filter((customer) => {
        const digest = accessDigest(customer.spec);
        const isOwn = keyText(instanceKeyOf(customer)) === own;
        return isOwn && !isObserveOnly(customer) && digest !== undefined && digest !== customer.status?.enforcedAccess;
      }),
      this.#dependencies.now().toISOString(),
    );
  }

  /** @param enforcedAt undefined: the rules are not enforced */
  async #writeCustomers(customers: readonly GatewayCustomer[], enforcedAt: string | undefined): Promise<void> {
    for (let at = 0; at < customers.length; at += CONCURRENT) {
      await Promise.all(
        customers.slice(at, at + CONCURRENT).map(async (customer) => {
          const status = enforcedAt === undefined ? {} : { enforcedAt, enforcedAccess: accessDigest(customer.spec) };
          await this.#dependencies.customerStatus.write(customer, status).catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
          });
        }),
      );
    }
  }

  async #readSessionKey(instance: GatewayInstance): Promise<string | undefined> {
    const { namespace } = instance.metadata;
    const key = { namespace, name: namesOf(instance).keySecret };
    const secret = await this.#dependencies.client.get(secrets, key).catch(ignoreNotFound);
    return secret === undefined ? undefined : secretValue(secret, guardrailFiles.sessionKey);
  }

  /** Hashes ids; those of customers only once. */
  #hasherOf(
    instance: string,
    sessionKey: string,
    customers: readonly GatewayCustomer[],
  ): (kind: 'customer' | 'team' | 'key', id: string) => ListHash {
    const key = listKey(sessionKey);
    const before = this.#hashes.get(instance);
    const known = before?.key === sessionKey ? before.byId : undefined;
    const byId = new Map(
      customers.map(({ spec: { customerId } }) => [
        customerId,
        known?.get(customerId) ?? listHash(key, 'customer', customerId),
      ]),
    );
    this.#hashes.set(instance, { key: sessionKey, byId });
    return (kind, id) => (kind === 'customer' ? byId.get(id) : undefined) ?? listHash(key, kind, id);
  }

  #forget(key: ObjectKey): void {
    this.#batches.forget(keyText(key));
    this.#hashes.delete(keyText(key));
    this.#failing.delete(keyText(key));
  }
}
