/** Keeps the list of who may call of one instance, and reports since when every pod has it, and its policy. */
import {
  type CustomerEntry,
  customerListRevision,
  CustomerListTooLargeError,
  listHash,
  listKey,
  type ListHash,
  writeCustomerList,
} from '../../guardrail/guardrail.ts';
import { type GatewayCustomer, type GatewayInstance, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { ignoreNotFound, NameTakenError, namesOf, secrets, secretValue } from '../cluster/cluster.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { guardrailFiles, writtenPolicy } from '../guardrail/guardrail.ts';
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
import { effectivePolicy } from '../configuration/configuration.ts';
import { customerPolicyKey } from '../policy/policy.ts';
import { entryOf } from './accessRules.ts';
import { AskTimes } from './askTimes.ts';
import { Batches } from './batches.ts';
import { type ChoiceSources, type ChosenPolicies, choosePolicies } from './customerPolicies.ts';
import {
  confirmedStatus as confirmedCustomerStatus,
  differs,
  type EnforcedStatus,
  type ListedPolicy,
  remainingStatus,
  saysEnforced,
} from './customerStatus.ts';
import { listedPolicy, serviceSettings } from './effective.ts';
import { ListHistory } from './listHistory.ts';
import { type CustomerSources, isOwner, listedCustomers } from './listedCustomers.ts';
import type { AcceptedRevisions, AskPods, Revisions } from './loadedRevisions.ts';
import {
  confirmedStatus,
  expectedRevisions,
  knownStatus,
  type LoadedStatus,
  unknownRevisions,
  type WrittenList,
} from './loadedStatus.ts';
import { type ShardDependencies, storedPolicies, writeShards } from './shards.ts';

/** The dependencies of {@link EnforcementReconciler}. */
export interface EnforcementDependencies extends CustomerSources, ShardDependencies, Pick<ChoiceSources, 'policies'> {
  readonly client: Pick<KubeClient, 'get'>;
  readonly instanceStatus: StatusWriter<GatewayInstance>;
  readonly customerStatus: StatusWriter<GatewayCustomer>;
  readonly askPods: AskPods;
  /** undefined: what fits into a ConfigMap. */
  readonly maxShardBytes: number | undefined;
  readonly events: EventRecorder;
  readonly now: () => Date;
  readonly monotonic: () => number;
}

/** What a list was made from. */
interface WrittenCustomers extends Pick<WrittenList, 'revision' | 'isNew'> {
  readonly listed: readonly GatewayCustomer[];
  readonly policies: ChosenPolicies;
}

/** How long until the keys of a new guardrail are looked for again. */
const KEYS_MS = 2_000;
/** How long until a guardrail that is not deployed is asked again. Its deployment causes a reconcile too. */
const NOT_DEPLOYED_MS = 60_000;
/** How long until pods that have a list are asked about the next one. */
const NEXT_LIST_MS = 1_000;
/** So many statuses of customers are written at the same time. */
const CONCURRENT = 8;

/** See {@link Reconciler}. */
export class EnforcementReconciler implements Reconciler {
  readonly #dependencies: EnforcementDependencies;
  readonly #batches: Batches;
  readonly #askTimes: AskTimes;
  readonly #history = new ListHistory();
  /** The hashes of customer ids of each instance, by the key of the hashes. */
  readonly #hashes = new Map<string, { readonly key: string; readonly byId: Map<string, ListHash> }>();

  /** The failure of each instance that was reported. */
  readonly #failing = new Map<string, string>();

  constructor(dependencies: EnforcementDependencies) {
    this.#dependencies = dependencies;
    this.#batches = new Batches(dependencies.monotonic);
    this.#askTimes = new AskTimes(dependencies.monotonic);
  }

  async reconcile(key: ObjectKey, { signal }: ReconcileContext): Promise<Result> {
    const instance = this.#dependencies.instances.get(key);
    if (instance === undefined || instance.metadata.deletionTimestamp !== undefined) {
      this.#forget(key);
      return {};
    }
    if (isAnnotated(instance, 'paused')) return {};
    await this.#dependencies.identity.load();
    const enforced = this.#dependencies.byInstance.get(keyText(key)).filter(saysEnforced);
    await this.#writeCustomers(enforced, (customer) => remainingStatus(customer, instance));
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

  /** A list that waits, or that cannot be written, does not delay what is to be told about the policy. */
  async #ensure(instance: GatewayInstance, sessionKey: string, signal: AbortSignal): Promise<Result> {
    const list = await this.#ensureList(instance, sessionKey);
    const written = 'listed' in list ? list : undefined;
    const { missing, askAfter } = await this.#ensureLoaded(instance, written, signal);
    if ('failure' in list) throw list.failure;
    if (written !== undefined) await this.#reportCustomers(instance, written, missing.policy === undefined);
    const times = [...('waitMs' in list ? [list.waitMs] : []), ...(askAfter === undefined ? [] : [askAfter])];
    return times.length === 0 ? {} : { requeueAfter: Math.min(...times) };
  }

  async #ensureList(
    instance: GatewayInstance,
    sessionKey: string,
  ): Promise<WrittenCustomers | { readonly waitMs: number } | { readonly failure: Error }> {
    const name = keyText(instance.metadata);
    const waitMs = this.#batches.waitMs(name);
    if (waitMs > 0) return { waitMs };
    const listed = listedCustomers(this.#dependencies, instance);
    const hashOf = this.#hasherOf(name, sessionKey, listed);
    const { unknownCustomers = instanceDefaults.unknownCustomers, guardrail } = instance.spec;
    const policies = await choosePolicies(
      { policies: this.#dependencies.policies, stored: once(() => storedPolicies(this.#dependencies, instance)) },
      listed,
    );
    const { maxShardBytes } = this.#dependencies;
    const allowLooserPolicies = guardrail?.allowLooserPolicies === true;
    const entries = listed.map((customer) => entryOf(customer, hashOf, policies.ofCustomer.get(customer.metadata.uid)));
    try {
      const shards = writeCustomerList(entries, {
        unknownCustomers,
        allowLooserPolicies,
        policies: policies.texts,
        ...(maxShardBytes === undefined ? {} : { maxShardBytes }),
      });
      const writes = await writeShards(this.#dependencies, instance, shards);
      if (writes > 0) this.#batches.wrote(name, writes);
      this.#failing.delete(name);
      const revision = customerListRevision(shards);
      this.#history.stored(name, revision, () => rulesOf(listed, entries, allowLooserPolicies));
      return { revision, isNew: writes > 0, listed, policies };
    } catch (error) {
      if (!this.isExpected(error)) throw error;
      this.#reportFailure(instance, error);
      return { failure: error };
    }
  }

  /**
   * Asks the pods what they have loaded, if the status does not say that already, and writes the status.
   * @param stored undefined: another list is about to be written, or it cannot be written
   * @returns what not every pod has, and after how long to ask again, in milliseconds
   */
  async #ensureLoaded(
    instance: GatewayInstance,
    stored: WrittenCustomers | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly missing: Revisions; readonly askAfter?: number }> {
    const { askPods, instanceStatus, now } = this.#dependencies;
    const name = keyText(instance.metadata);
    const list = stored && this.#history.expected(name);
    const expected = expectedRevisions(instance, list);
    const known = knownStatus(instance, stored);
    const current = await instanceStatus.write(instance, known);
    const unknown = unknownRevisions(known, expected);
    if (list !== undefined && unknown.customerList === undefined) this.#history.confirm(name);
    if (isEmpty(unknown)) return this.#nextQuestion(name, known);
    const waitMs = this.#askTimes.waitMs(name, unknown);
    if (waitMs > 0) return { missing: unknown, askAfter: waitMs };
    if (list !== undefined) this.#history.ask(name);
    const loaded = await askPods(instance, acceptedRevisions(unknown, list?.accepted), signal);
    if (loaded.has('customerList')) this.#history.confirm(name);
    const confirmed = confirmedStatus(known, loaded, { policy: expected.policy, list }, now());
    await instanceStatus.write(current, confirmed);
    const missing = unknownRevisions(confirmed, expected);
    if (isEmpty(missing)) return this.#nextQuestion(name, confirmed);
    const askAfter = this.#askTimes.retryMs(name, missing);
    return { missing, askAfter: instance.status?.guardrail === undefined ? NOT_DEPLOYED_MS : askAfter };
  }

  /** Every pod has what it was asked about. Another list may have been written in the meantime. */
  #nextQuestion(
    name: string,
    { customerList }: LoadedStatus,
  ): { readonly missing: Revisions; readonly askAfter?: number } {
    const next = this.#history.expected(name);
    if (next === undefined || next.revision === customerList?.revision) {
      this.#askTimes.forget(name);
      return { missing: {} };
    }
    return { missing: { customerList: next.revision }, askAfter: NEXT_LIST_MS };
  }

  /**
   * Reports since when the rules of each customer of the instance are enforced, where they are new.
   * @param hasPolicy whether every pod has the instance's own policy, to which those of customers add
   */
  async #reportCustomers(
    instance: GatewayInstance,
    { listed, policies }: WrittenCustomers,
    hasPolicy: boolean,
  ): Promise<void> {
    const own = keyText(instance.metadata);
    const customers = listed
      .filter((customer) => keyText(instanceKeyOf(customer)) === own && isOwner(customer) && !isObserveOnly(customer))
      .filter(({ metadata }) => this.#history.isConfirmed(own, metadata.uid));
    const policyOf = hasPolicy ? await this.#policiesOf(instance, customers, policies) : knownPolicy;
    const time = this.#dependencies.now();
    await this.#writeCustomers(customers, (customer) =>
      confirmedCustomerStatus(customer, instance, policyOf(customer), time),
    );
  }

  /** What the statuses of customers say about their policies. */
  async #policiesOf(
    instance: GatewayInstance,
    customers: readonly GatewayCustomer[],
    { ofCustomer, texts }: ChosenPolicies,
  ): Promise<(customer: GatewayCustomer) => ListedPolicy | undefined> {
    const { guardrail = {} } = instance.spec;
    const allowLooser = guardrail.allowLooserPolicies === true;
    const fileKey = { namespace: instance.metadata.namespace, name: namesOf(instance).guardrail };
    const service = writtenPolicy(this.#dependencies.configMaps.get(fileKey), instance);
    // Without the file that the pods have, nobody can say what the policies of customers tighten.
    if (service === undefined && instance.status?.guardrail?.policyRevision !== undefined) return knownPolicy;
    const settings = serviceSettings(guardrail);
    const known = new Map<string, ListedPolicy>();
    const nameIn = (customer: GatewayCustomer): string => {
      const key = customerPolicyKey(customer);
      const revision = ofCustomer.get(customer.metadata.uid);
      return key === undefined || !revision ? '' : `${keyText(key)} ${revision}`;
    };
    for (const each of new Set(customers.map(nameIn))) {
      const [name = '', revision = ''] = each.split(' ');
      const customer = texts.get(revision);
      if (customer === undefined) continue;
      const effective = await effectivePolicy(name, { customer, service, settings, allowLooser });
      if (effective !== undefined) known.set(each, listedPolicy({ name, revision }, effective, allowLooser));
    }
    return (customer) => known.get(nameIn(customer));
  }

  /** Writes the statuses that differ. */
  async #writeCustomers(
    customers: readonly GatewayCustomer[],
    statusOf: (customer: GatewayCustomer) => EnforcedStatus,
  ): Promise<void> {
    const changes = customers
      .map((customer) => ({ customer, status: statusOf(customer) }))
      .filter(({ customer, status }) => differs(customer, status));
    for (let at = 0; at < changes.length; at += CONCURRENT) {
      await Promise.all(
        changes.slice(at, at + CONCURRENT).map(async ({ customer, status }) => {
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
    this.#askTimes.forget(keyText(key));
    this.#history.forget(keyText(key));
    this.#hashes.delete(keyText(key));
    this.#failing.delete(keyText(key));
  }
}

/** What a list says about each customer, by the uid of the customer. */
function rulesOf(
  customers: readonly GatewayCustomer[],
  entries: readonly CustomerEntry[],
  allowLooserPolicies: boolean,
): ReadonlyMap<string, string> {
  return new Map(
    customers.map(({ metadata }, at) => [metadata.uid, JSON.stringify([entries[at], allowLooserPolicies])]),
  );
}

/** @param lists the revisions of lists that say the same as the expected one, or more */
function acceptedRevisions({ customerList, policy }: Revisions, lists: readonly string[] = []): AcceptedRevisions {
  return {
    ...(customerList === undefined ? {} : { customerList: lists }),
    ...(policy === undefined ? {} : { policy: [policy] }),
  };
}

function isEmpty(revisions: Revisions): boolean {
  return Object.keys(revisions).length === 0;
}

/** The policy that the status of a customer has. */
function knownPolicy({ status }: GatewayCustomer): ListedPolicy | undefined {
  if (status?.guardrailPolicy === undefined) return undefined;
  const { enforcedAt: _, ...policy } = status.guardrailPolicy;
  return policy;
}

/** Computes a value at most once. */
function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: compute() }).value;
}
