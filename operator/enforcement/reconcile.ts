/** Keeps the list of who may call of one instance, and reports since when every pod has it, and its policy. */
import {
  type CustomerEntry,
  customerListRevision,
  CustomerListTooLargeError,
  listHash,
  type ListHash,
  listKey,
  writeCustomerList,
} from '../../guardrail/guardrail.ts';
import { type GatewayCustomer, type GatewayInstance, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { ignoreNotFound, namesOf, NameTakenError, secrets, secretValue } from '../cluster/cluster.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { guardrailFiles, writtenPolicy } from '../guardrail/guardrail.ts';
import { isAnnotated, isObserveOnly } from '../lifecycle/lifecycle.ts';
import {
  type EventRecorder,
  isNotFound,
  keyText,
  type KubeClient,
  type ObjectKey,
  type ReconcileContext,
  type Reconciler,
  type Result,
  type StatusWriter,
} from '../runtime/runtime.ts';
import { effectivePolicy } from '../configuration/configuration.ts';
import { customerPolicyKey } from '../policy/policy.ts';
import { accessDigest, entryOf } from './accessRules.ts';
import { Batches, WrittenLists } from './writtenLists.ts';
import { type ChoiceSources, choosePolicies, type ChosenPolicies } from './customerPolicies.ts';
import {
  confirmedStatus as confirmedCustomerStatus,
  differs,
  type EnforcedStatus,
  type ListedPolicy,
  remainingStatus,
  saysEnforced,
} from './customerStatus.ts';
import { listedPolicy, serviceSettings } from './effective.ts';
import { type CustomerSources, isOwner, listedCustomers } from './listedCustomers.ts';
import { loadedStatus } from './loadedStatus.ts';
import { type KnownPods, PodAnswers } from './podAnswers.ts';
import type { FindPods } from './pods.ts';
import { type ShardDependencies, storedPolicies, writeShards } from './shards.ts';

/** The dependencies of {@link EnforcementReconciler}. */
export interface EnforcementDependencies extends CustomerSources, ShardDependencies, Pick<ChoiceSources, 'policies'> {
  readonly client: Pick<KubeClient, 'get'>;
  readonly instanceStatus: StatusWriter<GatewayInstance>;
  readonly customerStatus: StatusWriter<GatewayCustomer>;
  readonly findPods: FindPods;
  /** undefined: what fits into a ConfigMap. */
  readonly maxShardBytes: number | undefined;
  readonly events: EventRecorder;
  readonly now: () => Date;
  readonly monotonic: () => number;
}

/** What a list was made from. */
interface WrittenCustomers {
  readonly listed: readonly GatewayCustomer[];
  readonly policies: ChosenPolicies;
}

/** How long until the keys of a new guardrail are looked for again. */
const KEYS_MS = 2_000;
/** How long until the sidecars are looked for again: at the earliest, and if nothing changes. Their pods are not watched. */
const SIDECARS_MS = { earliest: 3_000, latest: 60_000 };
/** Maximum number of statuses of customers that are written at the same time. */
const MAX_CONCURRENT_STATUS_WRITES = 8;

/** The operator is not permitted to find the pods. */
const NOTHING_KNOWN: KnownPods = { list: 0, hasPolicy: false, askAfterMs: undefined, silent: undefined };

/** What this process knows about the guardrail of one instance. */
interface Progress {
  readonly lists: WrittenLists;
  readonly pods: PodAnswers;
  /** The first list with the rules that the status of each customer reports, by the uid of the customer. */
  readonly reported: Map<string, number>;
  /** When sidecars may be looked for again, in milliseconds of the clock, and what was known then. */
  sidecars:
    { readonly at: number; readonly policy: string | undefined; readonly known: KnownPods | undefined } | undefined;
  /** Whether a pod that does not answer was reported. */
  isSilent: boolean;
}

/** See {@link Reconciler}. */
export class EnforcementReconciler implements Reconciler {
  readonly #dependencies: EnforcementDependencies;
  readonly #batches: Batches;
  readonly #progress = new Map<string, Progress>();
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

  /** A list that waits, or that cannot be written, does not delay what is to be reported about the policy. */
  async #ensure(instance: GatewayInstance, sessionKey: string, signal: AbortSignal): Promise<Result> {
    const list = await this.#ensureList(instance, sessionKey);
    const written = 'listed' in list ? list : undefined;
    const { known, askAfterMs } = await this.#askPods(instance, signal);
    // The statuses of customers first: they depend on each other no longer than until the next failure.
    if (written !== undefined) await this.#reportCustomers(instance, written, known);
    const { lists } = this.#progressOf(instance.metadata);
    await this.#dependencies.instanceStatus.write(
      instance,
      loadedStatus(instance, known, lists, this.#dependencies.now()),
    );
    if ('failure' in list) throw list.failure;
    const times = [...('waitMs' in list ? [list.waitMs] : []), ...(askAfterMs === undefined ? [] : [askAfterMs])];
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
      this.#progressOf(instance.metadata).lists.record(
        customerListRevision(shards),
        () => rulesOf(listed, entries, allowLooserPolicies),
        reportedBefore(instance, listed, policies),
      );
      return { listed, policies };
    } catch (error) {
      if (!this.isExpected(error)) throw error;
      this.#reportFailure(instance, error);
      return { failure: error };
    }
  }

  /**
   * Asks the pods that lack something.
   * @returns what every pod has; undefined: none takes calls. And after how long to ask again, in milliseconds
   */
  async #askPods(
    instance: GatewayInstance,
    signal: AbortSignal,
  ): Promise<{ readonly known: KnownPods | undefined; readonly askAfterMs?: number | undefined }> {
    const { findPods, monotonic } = this.#dependencies;
    const progress = this.#progressOf(instance.metadata);
    const isSidecar = instance.status?.guardrail?.mode === 'Sidecar';
    const policy = instance.status?.guardrail?.policyRevision;
    const { sidecars } = progress;
    if (isSidecar && sidecars !== undefined && sidecars.policy === policy && sidecars.at > monotonic()) {
      return { known: sidecars.known, askAfterMs: sidecars.at - monotonic() };
    }
    const pods = await findPods(instance);
    const expected = { lists: progress.lists, policy };
    const known =
      pods === undefined
        ? NOTHING_KNOWN
        : pods.length === 0
          ? undefined
          : await progress.pods.update(pods, expected, signal);
    this.#reportSilence(instance, progress, known?.silent);
    if (!isSidecar) return { known, askAfterMs: known?.askAfterMs };
    progress.sidecars = { at: monotonic() + SIDECARS_MS.earliest, policy, known };
    return { known, askAfterMs: Math.min(known?.askAfterMs ?? SIDECARS_MS.latest, SIDECARS_MS.latest) };
  }

  /** Reports once that a pod does not answer. */
  #reportSilence(instance: GatewayInstance, progress: Progress, pod: string | undefined): void {
    if (pod !== undefined && !progress.isSilent) {
      this.#dependencies.events.record(instance, {
        type: 'Warning',
        reason: 'GuardrailNotAnswering',
        message: `The pod ${pod} of the guardrail does not answer the operator, so that nothing is reported as enforced. Allow connections from the operator to the port http of this pod, and check the log of the pod.`,
      });
    }
    progress.isSilent = pod !== undefined;
  }

  /**
   * Reports since when the rules of each customer of the instance are enforced, where that is new, and takes back what not
   * every pod has.
   * @param pods what every pod has; undefined: none takes calls
   */
  async #reportCustomers(
    instance: GatewayInstance,
    { listed, policies }: WrittenCustomers,
    pods: KnownPods | undefined,
  ): Promise<void> {
    if (pods === undefined) return;
    const own = keyText(instance.metadata);
    const { lists, reported } = this.#progressOf(instance.metadata);
    const owned = listed.filter(
      (customer) => keyText(instanceKeyOf(customer)) === own && isOwner(customer) && !isObserveOnly(customer),
    );
    const sinceOf = ({ metadata }: GatewayCustomer): number | undefined => lists.sinceOf(metadata.uid);
    const isEnforced = (customer: GatewayCustomer): boolean => (sinceOf(customer) ?? Infinity) <= pods.list;
    const confirmed = owned.filter(isEnforced);
    // The instance's own policy, to which those of customers add.
    const hasPolicy = pods.hasPolicy || instance.status?.guardrail?.policyRevision === undefined;
    const policyOf = hasPolicy ? await this.#policiesOf(instance, confirmed, policies) : knownPolicy;
    const time = this.#dependencies.now();
    for (const customer of confirmed) reported.set(customer.metadata.uid, sinceOf(customer) ?? 1);
    await this.#writeCustomers(confirmed, (customer) =>
      confirmedCustomerStatus(customer, instance, policyOf(customer), time),
    );
    const inList = new Map(owned.map((customer) => [customer.metadata.uid, customer]));
    const isOutdated = ({ metadata: { uid } }: GatewayCustomer): boolean => {
      const customer = inList.get(uid);
      return customer === undefined || (!isEnforced(customer) && (reported.get(uid) ?? 1) > pods.list);
    };
    const outdated = this.#dependencies.byInstance.get(own).filter((one) => saysEnforced(one) && isOutdated(one));
    await this.#writeCustomers(outdated, () => ({}));
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
    for (let at = 0; at < changes.length; at += MAX_CONCURRENT_STATUS_WRITES) {
      await Promise.all(
        changes.slice(at, at + MAX_CONCURRENT_STATUS_WRITES).map(async ({ customer, status }) => {
          await this.#dependencies.customerStatus.write(customer, status).catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
          });
        }),
      );
    }
  }

  #progressOf(key: ObjectKey): Progress {
    const name = keyText(key);
    const known = this.#progress.get(name);
    if (known !== undefined) return known;
    const pods = new PodAnswers(this.#dependencies.monotonic);
    const progress = { lists: new WrittenLists(), pods, reported: new Map(), sidecars: undefined, isSilent: false };
    this.#progress.set(name, progress);
    return progress;
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
    this.#progress.delete(keyText(key));
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

/**
 * The list that every pod had before this process started, and the customers whose rules it contained.
 * @returns undefined if the status reports no list
 */
function reportedBefore(
  { status }: GatewayInstance,
  listed: readonly GatewayCustomer[],
  { ofCustomer }: ChosenPolicies,
): Parameters<WrittenLists['record']>[2] {
  if (status?.customerList === undefined) return undefined;
  const hasRules = ({ metadata, spec, status: own }: GatewayCustomer): boolean =>
    own?.enforcedAccess === accessDigest(spec) &&
    own?.guardrailPolicy?.revision === (ofCustomer.get(metadata.uid) ?? undefined);
  const customers = once(() => new Set(listed.filter(hasRules).map(({ metadata }) => metadata.uid)));
  return { list: status.customerList, isEnforced: (uid) => customers().has(uid) };
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
