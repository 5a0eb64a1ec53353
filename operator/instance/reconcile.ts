/** Makes the world fit one GatewayInstance. Its steps are in the files beside it; here is their order. */
import type { CustomerCounts, GatewayCustomer, GatewayInstance, GuardrailStatus } from '../api/v1alpha1/v1alpha1.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayClients } from '../gateway/gateway.ts';
import { notRequested, pausedMessage } from '../conditions/conditions.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import type {
  EventRecorder,
  Finalizer,
  Index,
  KubeClient,
  Lister,
  ObjectKey,
  ReconcileContext,
  Reconciler,
  Result,
  StatusWriter,
} from '../runtime/runtime.ts';
import { isConflict, isForbidden, isNotFound, keyOf, keyText } from '../runtime/runtime.ts';
import type { Child, Children } from '../cluster/cluster.ts';
import {
  INSTANCE_LABEL,
  instanceLabelOf,
  isRefusal,
  namesOf,
  namespaces,
  NameTakenError,
  ownDeployments,
  secrets,
  serviceMonitors,
} from '../cluster/cluster.ts';
import type { Connections } from '../connection/connection.ts';
import { ConnectionError, reach } from '../connection/connection.ts';
import {
  defaultBudgetFinding,
  mayHaveRow,
  removeDefaultBudget,
  rowAnnounced,
  settleDefaultBudget,
} from './defaultBudget.ts';
import type { GuardrailParts, GuardrailPlan, ProxyDeployment } from '../guardrail/guardrail.ts';
import {
  GuardrailFault,
  guardrailPolicy,
  guardrailWorkload,
  hasSidecar,
  leaveReplicas,
  modeOf,
  mountsSecret,
  planGuardrail,
  rolloutOf,
} from '../guardrail/guardrail.ts';
import type { ActiveGuardrail, ProxyOutcome, ProxyState } from '../proxy/proxy.ts';
import { handOver, readProxy, releaseWorkload, settleProxy } from '../proxy/proxy.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { conditionOf, countCustomers, nextStatus, statusWithAspect, statusWithReady, transitions } from './status.ts';

/** What an instance's reconcile works with. */
export interface InstanceParts extends GuardrailParts {
  readonly client: KubeClient;
  readonly children: Children;
  readonly connections: Connections;
  readonly clients: GatewayClients;
  readonly instances: Lister<GatewayInstance>;
  /** The gateways' Deployments that something of ours is in. */
  readonly proxies: Lister<ProxyDeployment>;
  /** Customers by the instance that they refer to, as `namespace/name`. */
  readonly customers: Index<GatewayCustomer>;
  readonly status: StatusWriter<GatewayInstance>;
  readonly finalizer: Finalizer<GatewayInstance>;
  readonly events: EventRecorder;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
}

/** Secrets are not watched, and a gateway tells nobody that it has gone: looked at so often. */
const REVISIT_MS = 60_000;
/** While something is under way that no watch tells of. */
const SOON_MS = 5_000;
/** Ten thousand customers that become synced are no reason to look at their gateway ten thousand times. */
const PACE_MS = 1_000;
/** How long a gateway that is away may hold up the end of its instance, for one budget row. */
const LAST_TRIES_MS = 5 * 60_000;
/** So many times in so long the sidecar is put back. */
const CONTESTED = { times: 3, withinMs: 10 * 60_000 };
/** What is remembered of an instance between reconciles. Nothing depends on it after a restart. */
interface Memory {
  readonly uid: string;
  /** The state of the resource that was looked at last, and when. */
  looked: { readonly at: string; readonly when: number } | undefined;
  /** When the sidecar was found to be taken out. */
  takenOut: readonly number[];
  /** No guardrail is asked for, and its Secrets were seen to be gone. */
  keysGone: boolean;
}

/** What became of the guardrail. */
interface GuardrailOutcome {
  readonly plan: GuardrailPlan | undefined;
  readonly active: ActiveGuardrail | undefined;
  readonly children: readonly Child[];
  readonly frozen: boolean;
  /** undefined: it depends on the gateway's Deployment. */
  readonly finding: ConditionState<'GuardrailReady'> | undefined;
}

/** See {@link Reconciler}. */
export class InstanceReconciler implements Reconciler {
  readonly #parts: InstanceParts;
  readonly #memories = new Map<string, Memory>();

  constructor(parts: InstanceParts) {
    this.#parts = parts;
  }

  async reconcile(key: ObjectKey, { signal }: ReconcileContext): Promise<Result> {
    const instance = this.#parts.instances.get(key);
    const result = instance === undefined ? await this.#gone(key) : await this.#reconcile(instance, signal);
    return (await this.#makeUp(key, signal)) ? result : { requeueAfter: SOON_MS };
  }

  isExpected(error: unknown): boolean {
    return isGatewayError(error);
  }

  async reportUnexpectedError(key: ObjectKey, message: string): Promise<void> {
    const instance = this.#parts.instances.get(key);
    if (instance !== undefined) await this.#writeReady(instance, { status: 'False', reason: 'InternalError', message });
  }

  async #reconcile(instance: GatewayInstance, signal: AbortSignal): Promise<Result> {
    const { finalizer, instances } = this.#parts;
    const memory = this.#memoryOf(instance);
    // First of all, as for customers: a pause holds up the deletion too.
    if (instance.metadata.annotations?.[annotations.paused] === 'true') return this.#pause(instance);
    if (instance.metadata.deletionTimestamp !== undefined) return this.#finalize(instance, signal);

    const early = this.#tooEarly(instance, memory);
    if (early > 0) return { requeueAfter: early };
    try {
      const owned = await finalizer.add(instance);
      // Its deletion came first, and something else holds it: nothing was begun, and nothing may be.
      if (!finalizer.isSet(owned)) return {};
      const result = await this.#settle(owned, memory, signal);
      memory.looked = { at: versionOf(owned), when: this.#parts.monotonic() };
      return result;
    } catch (error) {
      // Gone while it was being reconciled: the news of that brings it back here.
      const now = instances.get(keyOf(instance));
      if (isNotFound(error) && now?.metadata.uid !== instance.metadata.uid) return {};
      throw error;
    }
  }

  async #settle(instance: GatewayInstance, memory: Memory, signal: AbortSignal): Promise<Result> {
    const { client, children, connections, clients } = this.#parts;
    const [reached, state] = await Promise.all([
      reach(connections, clients, instance, signal),
      readProxy(client, instance),
    ]);
    let told = instance;
    const budget = await settleDefaultBudget(
      clients,
      instance,
      reached.connection,
      state.configured.budgetId,
      async () => {
        told = await this.#announceRow(instance);
      },
    );
    const guardrail = await this.#settleGuardrail(instance, state, memory);
    this.#parts.finalizer.beforeExternalWrite(instance);
    const proxy = await settleProxy(client, children, instance, state, { budget: budget.settings, ...guardrail });
    await this.#releaseFormer(instance, guardrail);
    await this.#prune(instance, guardrail, { proxy, state, memory });

    const GuardrailReady = guardrail.finding ?? sidecarFinding(proxy);
    const findings = {
      Reachable: reached.finding,
      ProxyConfigured: proxy.finding,
      DefaultBudgetEnforced: defaultBudgetFinding(instance, budget, proxy.finding),
      GuardrailReady,
    };
    const status = nextStatus(
      instance,
      findings,
      {
        endpoint: reached.endpoint ?? instance.status?.endpoint,
        customers: this.#count(instance),
        guardrail: guardrailStatus(instance, guardrail),
      },
      this.#parts.now(),
    );
    for (const event of transitions(instance, status)) this.#parts.events.record(instance, event);
    this.#tellOfKeys(instance, guardrail);
    await this.#parts.status.write(told, status);
    const underWay =
      guardrail.plan?.keys.underWay === true || reached.finding.status !== 'True' || state.deployment === 'missing';
    return { requeueAfter: underWay ? SOON_MS : REVISIT_MS };
  }

  /** Writes down that there may be a budget row from now on: after a crash it is still taken away with the instance. */
  async #announceRow(instance: GatewayInstance): Promise<GatewayInstance> {
    const { status, finalizer, now } = this.#parts;
    const told = mayHaveRow(instance)
      ? instance
      : await status.write(instance, statusWithAspect(instance, 'DefaultBudgetEnforced', rowAnnounced, now()));
    finalizer.beforeExternalWrite(instance);
    return told;
  }

  async #settleGuardrail(instance: GatewayInstance, state: ProxyState, memory: Memory): Promise<GuardrailOutcome> {
    const { guardrail: spec } = instance.spec;
    const before = instance.status?.guardrail;
    const activeBefore = before === undefined ? undefined : { mode: before.mode, url: before.endpoint };
    const stay = (finding: ConditionState<'GuardrailReady'>): GuardrailOutcome => ({
      plan: undefined,
      active: activeBefore,
      children: [],
      frozen: true,
      finding,
    });
    if (spec === undefined) {
      const finding = notRequested<'GuardrailReady'>(
        'No guardrail is asked for: calls of the gateway are not guarded.',
      );
      return { plan: undefined, active: undefined, children: [], frozen: false, finding };
    }
    const proxy = state.deployment === 'missing' ? undefined : state.deployment;
    try {
      if (modeOf(instance, spec) === 'Sidecar') {
        this.#checkWorkload(instance, state);
        if (proxy !== undefined) this.#checkContest(instance, activeBefore, proxy, memory);
      }
      const plan = await planGuardrail(this.#parts, instance, spec, proxy);
      if (plan.mode === 'Sidecar') {
        const policy = guardrailPolicy(instance, spec, plan.inputs);
        await this.#parts.children.apply(instance, policy);
        const active = { mode: plan.mode, url: plan.url };
        return { plan, active, children: policy, frozen: false, finding: undefined };
      }
      return await this.#runDeployment(instance, plan, activeBefore);
    } catch (error) {
      if (error instanceof GuardrailFault) return stay(error.finding);
      if (error instanceof NameTakenError)
        return stay({ status: 'False', reason: 'NameTaken', message: error.message });
      if (isRefusal(error)) {
        const message = `The API server does not take the guardrail's workload: ${error.message}`;
        return stay({ status: 'False', reason: 'ApplyRejected', message });
      }
      throw error;
    }
  }

  async #runDeployment(
    instance: GatewayInstance,
    plan: GuardrailPlan,
    activeBefore: ActiveGuardrail | undefined,
  ): Promise<GuardrailOutcome> {
    const children = guardrailWorkload(instance, plan.spec, plan.inputs);
    if (plan.spec.autoscaling !== undefined) await leaveReplicas(this.#parts.client, instance);
    const applied = await this.#parts.children.apply(instance, children);
    const deployment = applied.find(({ kind }) => kind === ownDeployments.kind) as ProxyDeployment | undefined;
    const rollout = deployment === undefined ? 'underWay' : rolloutOf(deployment);
    // The gateway goes on calling what it has called until this one can take over.
    const active = rollout === 'complete' ? { mode: plan.mode, url: plan.url } : activeBefore;
    const available = deployment?.status?.availableReplicas ?? 0;
    const { guardrail: name } = namesOf(instance);
    const findings: Record<typeof rollout, ConditionState<'GuardrailReady'>> = {
      complete: { status: 'True', reason: 'Ready', message: `The guardrail runs at ${plan.url}.` },
      underWay: {
        status: 'False',
        reason: 'RollingOut',
        message: `Deployment ${name} is being rolled out: ${available === 0 ? 'no pod is' : 'not all pods are'} available yet.`,
      },
      failed: {
        status: 'False',
        reason: 'RolloutFailed',
        message: `The roll-out of Deployment ${name} does not go on: see kubectl describe deployment/${name} -n ${instance.metadata.namespace}.`,
      },
    };
    return { plan, active, children, frozen: false, finding: findings[rollout] };
  }

  /** The sidecar needs a Deployment that is there, and that no other instance has a sidecar in. */
  #checkWorkload(instance: GatewayInstance, { deployment }: ProxyState): void {
    const name = instance.spec.workloadRef?.name;
    if (name === undefined) {
      throw new GuardrailFault(
        'WorkloadRequired',
        "Sidecar mode needs spec.workloadRef: name the gateway's Deployment there, or set spec.guardrail.mode to Deployment.",
      );
    }
    if (deployment === 'missing') {
      throw new GuardrailFault(
        'WorkloadNotFound',
        `There is no Deployment ${name} in namespace ${instance.metadata.namespace}: create it, or correct spec.workloadRef.name.`,
      );
    }
    const older = this.#parts.instances
      .list(instance.metadata.namespace)
      .find((other) => other.spec.workloadRef?.name === name && isOlder(other, instance));
    if (older !== undefined) {
      throw new GuardrailFault(
        'WorkloadTaken',
        `GatewayInstance ${older.metadata.name} already looks after Deployment ${name}: delete one of the two, or correct spec.workloadRef.name.`,
      );
    }
  }

  /** Counts how often others take the sidecar out, and stops putting it back when that becomes a fight. */
  #checkContest(
    instance: GatewayInstance,
    active: ActiveGuardrail | undefined,
    proxy: ProxyDeployment,
    memory: Memory,
  ): void {
    const fault = new GuardrailFault(
      'SidecarContested',
      `Something keeps taking the guardrail out of Deployment ${proxy.metadata.name} (${CONTESTED.times} times in ten minutes): ` +
        'make it leave init containers of others alone, or set spec.guardrail.mode to Deployment. Any change of this resource tries again.',
    );
    const condition = conditionOf(instance, 'GuardrailReady');
    if (condition?.reason === fault.finding.reason) {
      if (condition.observedGeneration === instance.metadata.generation) throw fault;
      memory.takenOut = [];
    }
    if (active?.mode !== 'Sidecar' || hasSidecar(proxy)) return;
    const now = this.#parts.monotonic();
    memory.takenOut = [...memory.takenOut.filter((when) => now - when < CONTESTED.withinMs), now];
    if (memory.takenOut.length >= CONTESTED.times) throw fault;
  }

  /** Takes away what nothing uses any more: only when no gateway pod is left that was started with it. */
  async #prune(
    instance: GatewayInstance,
    guardrail: GuardrailOutcome,
    { proxy, state, memory }: { proxy: ProxyOutcome; state: ProxyState; memory: Memory },
  ): Promise<void> {
    const { children } = this.#parts;
    if (guardrail.frozen || proxy.rolled === false) return;
    await children.prune(instance, [...guardrail.children, ...proxy.kept]);
    if (guardrail.plan?.mode !== 'Deployment') {
      await children.remove(instance, serviceMonitors, namesOf(instance).guardrail);
    }
    if (instance.spec.guardrail !== undefined) memory.keysGone = false;
    else if (!memory.keysGone) memory.keysGone = await this.#removeKeys(instance, state);
  }

  /** @returns whether all are gone */
  async #removeKeys(instance: GatewayInstance, { deployment }: ProxyState): Promise<boolean> {
    const { children } = this.#parts;
    const { apiKeySecret, keySecret } = namesOf(instance);
    await children.remove(instance, secrets, keySecret);
    // No pod starts whose Secret is gone: as long as the gateway's owner has it mounted, it stays.
    if (deployment !== undefined && deployment !== 'missing' && mountsSecret(deployment, apiKeySecret)) return false;
    await children.remove(instance, secrets, apiKeySecret);
    return true;
  }

  /** Takes what is ours out of a Deployment that the spec no longer names. */
  async #releaseFormer(instance: GatewayInstance, { frozen, active }: GuardrailOutcome): Promise<void> {
    const { workloadRef } = instance.spec;
    // Without a Deployment to go to, the sidecar stays until a guardrail of its own has taken over.
    if (frozen || (workloadRef === undefined && active?.mode === 'Sidecar')) return;
    for (const { metadata } of this.#proxiesOf(keyOf(instance))) {
      if (metadata.name !== workloadRef?.name) await this.#release(instance, metadata.name);
    }
  }

  async #release(instance: GatewayInstance, name: string): Promise<void> {
    const { client, events } = this.#parts;
    const key = { namespace: instance.metadata.namespace, name };
    if ((await releaseWorkload(client, instanceLabelOf(instance.metadata.name), key)) === undefined) return;
    events.record(instance, {
      type: 'Normal',
      reason: 'SidecarRemoved',
      message: `What the operator had put into Deployment ${name} is taken out.`,
    });
  }

  #proxiesOf({ namespace, name }: ObjectKey): readonly ProxyDeployment[] {
    const label = instanceLabelOf(name);
    return this.#parts.proxies.list(namespace).filter(({ metadata }) => metadata.labels?.[INSTANCE_LABEL] === label);
  }

  /**
   * An instance that is no more has taken out of the gateway's Deployment what was put there for it. Where it went in
   * spite of its finalizer, or somebody took that off, this is done here: what its pods mount is being collected.
   */
  async #gone(key: ObjectKey): Promise<Result> {
    this.#forget(key);
    const { client, events } = this.#parts;
    for (const { metadata } of this.#proxiesOf(key)) {
      const released = await releaseWorkload(client, instanceLabelOf(key.name), keyOf({ metadata }));
      if (released === undefined) continue;
      events.record(released, {
        type: 'Normal',
        reason: 'SidecarRemoved',
        message: `GatewayInstance ${key.name} is gone: what the operator had put into this Deployment for it is taken out.`,
      });
    }
    return {};
  }

  /** Undoes what was begun for instances that went in spite of their finalizer. @returns whether nothing is left of it */
  async #makeUp(key: ObjectKey, signal: AbortSignal): Promise<boolean> {
    const { finalizer, instances } = this.#parts;
    for (const lost of finalizer.lostObjects(key)) {
      // Of another instance of that name the gateway's Deployment is looked after by that.
      if (instances.get(key) === undefined) await this.#leaveProxy(lost);
      const hadRow = lost.spec.defaultCustomerBudget?.maxBudget !== undefined;
      if (hadRow && !(await this.#removeRow(lost, lost.metadata.creationTimestamp, signal))) return false;
      finalizer.markCleanedUp(lost);
    }
    return true;
  }

  async #pause(instance: GatewayInstance): Promise<Result> {
    // Nothing is undone either for one that is taken away in spite of its finalizer while it is paused.
    this.#parts.finalizer.markCleanedUp(instance);
    await this.#writeReady(instance, { status: 'False', reason: 'Paused', message: pausedMessage(instance) });
    return {};
  }

  async #finalize(instance: GatewayInstance, signal: AbortSignal): Promise<Result> {
    const { finalizer, events, clients, connections } = this.#parts;
    if (!finalizer.isSet(instance)) return {};
    const forced = instance.metadata.annotations?.[annotations.forceDelete] === 'true';
    const { total } = this.#count(instance);
    if (total > 0 && !forced) {
      const message =
        `${total} GatewayCustomer${total === 1 ? ' refers' : 's refer'} to this instance, whose key is needed to delete them at the gateway: ` +
        `delete them first, or set annotation ${annotations.forceDelete} to "true" to leave them there.`;
      await this.#writeReady(instance, { status: 'False', reason: 'CustomersRemain', message });
      return {};
    }
    if (forced) {
      events.record(instance, {
        type: 'Warning',
        reason: 'ForceDeleted',
        message: `Deleted by force, with ${total} customers that refer to it.`,
      });
    }
    finalizer.beforeExternalWrite(instance);
    const hindrance = await this.#leave(instance, signal);
    if (hindrance !== undefined && !forced) {
      const message = `${hindrance} To let this resource go without that, set annotation ${annotations.forceDelete} to "true".`;
      await this.#writeReady(instance, { status: 'False', reason: 'Deleting', message });
      return { requeueAfter: SOON_MS };
    }
    await finalizer.remove(instance);
    clients.forget(instance.metadata.uid);
    connections.forget(instance.metadata.namespace, instance.metadata.name);
    return {};
  }

  /** Undoes what was done for an instance. @returns what stands in the way, as a whole sentence; undefined: all is done */
  async #leave(instance: GatewayInstance, signal: AbortSignal): Promise<string | undefined> {
    try {
      await this.#leaveProxy(instance);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // With the namespace go the gateway's Deployment and the operator's rights there: nothing needs to be taken out.
      if (!isForbidden(error) || !(await this.#namespaceIsBeingDeleted(instance.metadata.namespace))) {
        return `What the operator had put into the gateway's Deployment cannot be taken out: ${error.message.replace(/\.?$/, '.')}`;
      }
    }
    if (await this.#forgetBudget(instance, signal)) return undefined;
    return 'The budget row of this instance cannot be deleted at the gateway now, which is tried for five minutes.';
  }

  async #namespaceIsBeingDeleted(name: string): Promise<boolean> {
    const namespace = await this.#parts.client.get(namespaces, { namespace: '', name }).catch((error: unknown) => {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    });
    return namespace?.metadata.deletionTimestamp !== undefined;
  }

  /** Takes what is ours out of the gateway's Deployments, and leaves to them what they cannot start without. */
  async #leaveProxy(instance: GatewayInstance): Promise<void> {
    const { client, events } = this.#parts;
    const left = await handOver(client, instance).catch((error: unknown) => {
      // In a namespace that is being deleted nothing needs to be left.
      if (!isRefusal(error) && !isNotFound(error) && !isConflict(error)) throw error;
      return [];
    });
    const { workloadRef } = instance.spec;
    if (left.length > 0) {
      events.record(instance, {
        type: 'Normal',
        reason: 'LeftToGateway',
        message: `${left.join(' and ')} stay for Deployment ${workloadRef?.name ?? ''}, which mounts them: delete them when it does not.`,
      });
    }
    const names = this.#proxiesOf(keyOf(instance)).map(({ metadata }) => metadata.name);
    for (const name of new Set([...names, ...(workloadRef === undefined ? [] : [workloadRef.name])])) {
      await this.#release(instance, name);
    }
  }

  /** @returns whether the instance may go: its budget row is gone, or the gateway has been away for too long. */
  async #forgetBudget(instance: GatewayInstance, signal: AbortSignal): Promise<boolean> {
    return !mayHaveRow(instance) || (await this.#removeRow(instance, instance.metadata.deletionTimestamp, signal));
  }

  /** @returns whether the row is gone, or nobody can tell, or it has been tried for too long since a moment. */
  async #removeRow(instance: GatewayInstance, since: string | undefined, signal: AbortSignal): Promise<boolean> {
    const { connections, clients } = this.#parts;
    try {
      signal.throwIfAborted();
      await removeDefaultBudget(clients, instance, await connections.forInstanceDeletion(instance));
      return true;
    } catch (error) {
      // Without key or address there is nobody to ask.
      if (error instanceof ConnectionError) return true;
      if (!isGatewayError(error)) throw error;
      return this.#parts.now().getTime() - Date.parse(since ?? '') > LAST_TRIES_MS;
    }
  }

  async #writeReady(instance: GatewayInstance, ready: ConditionState<'Ready'>): Promise<void> {
    const status = statusWithReady(instance, ready, this.#count(instance), this.#parts.now());
    for (const event of transitions(instance, status)) this.#parts.events.record(instance, event);
    await this.#parts.status.write(instance, status).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  #tellOfKeys(instance: GatewayInstance, { plan }: GuardrailOutcome): void {
    const { events } = this.#parts;
    if (plan?.keys.finished.api === true) {
      events.record(instance, {
        type: 'Normal',
        reason: 'ApiKeyRotated',
        message: 'The gateway runs with the new API key of the guardrail, and the old one is no longer accepted.',
      });
    }
    if (plan?.keys.finished.encryption === true) {
      events.record(instance, {
        type: 'Normal',
        reason: 'EncryptionKeyRotated',
        message: 'The guardrail encrypts with its new key; the older ones go on decrypting.',
      });
    }
  }

  #count(instance: GatewayInstance): CustomerCounts {
    return countCustomers(instance, this.#parts.customers.get(keyText(instance.metadata)));
  }

  #tooEarly(instance: GatewayInstance, { looked }: Memory): number {
    if (looked?.at !== versionOf(instance)) return 0;
    return Math.ceil(looked.when + PACE_MS - this.#parts.monotonic());
  }

  #memoryOf(instance: GatewayInstance): Memory {
    const key = keyText(instance.metadata);
    const known = this.#memories.get(key);
    const { uid } = instance.metadata;
    if (known?.uid === uid) return known;
    const fresh: Memory = { uid, looked: undefined, takenOut: [], keysGone: false };
    this.#memories.set(key, fresh);
    return fresh;
  }

  #forget(key: ObjectKey): void {
    const known = this.#memories.get(keyText(key));
    if (known !== undefined) this.#parts.clients.forget(known.uid);
    this.#parts.connections.forget(key.namespace, key.name);
    this.#memories.delete(keyText(key));
  }
}

function sidecarFinding({ deployment, finding }: ProxyOutcome): ConditionState<'GuardrailReady'> {
  const name = deployment?.metadata.name ?? '';
  if (deployment === undefined) return { status: 'False', reason: 'WorkloadNotFound', message: finding.message };
  switch (rolloutOf(deployment)) {
    case 'complete':
      return { status: 'True', reason: 'Ready', message: `The guardrail runs in every pod of Deployment ${name}.` };
    case 'underWay':
      return {
        status: 'False',
        reason: 'RollingOut',
        message: `Deployment ${name} is being rolled to have the guardrail in each pod.`,
      };
    case 'failed':
      return {
        status: 'False',
        reason: 'RolloutFailed',
        message: `The roll-out of Deployment ${name} with the guardrail does not go on: see kubectl describe of it.`,
      };
  }
}

function guardrailStatus(instance: GatewayInstance, { active, plan }: GuardrailOutcome): GuardrailStatus | undefined {
  if (active === undefined) return undefined;
  const before = instance.status?.guardrail;
  const api = plan?.keys.api.keys.annotations[annotations.rotateApiKey] ?? before?.lastHandledApiKeyRotation;
  const encryption =
    plan?.keys.own.keys.annotations[annotations.rotateEncryptionKey] ?? before?.lastHandledEncryptionKeyRotation;
  return {
    mode: active.mode,
    endpoint: active.url,
    apiKeySecretName: namesOf(instance).apiKeySecret,
    ...(api === undefined ? {} : { lastHandledApiKeyRotation: api }),
    ...(encryption === undefined ? {} : { lastHandledEncryptionKeyRotation: encryption }),
  };
}

/** Which of two came first; of two of the same moment, the one whose name does. */
function isOlder(one: GatewayInstance, other: GatewayInstance): boolean {
  if (one.metadata.uid === other.metadata.uid) return false;
  const order = (instance: GatewayInstance): string =>
    `${instance.metadata.creationTimestamp} ${instance.metadata.name}`;
  return order(one) < order(other);
}

/** What people can change of a resource: another value is a reason to look at once. */
function versionOf({ metadata }: GatewayInstance): string {
  return JSON.stringify([metadata.uid, metadata.generation, metadata.annotations]);
}
