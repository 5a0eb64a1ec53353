/** The wiring of a kind: what its reconciles need, and what triggers them. */
import { Counter, type Registry } from 'prom-client';
import { instances } from '../api/kinds.ts';
import { FINALIZER, type GatewayInstance, type ResourceNames } from '../api/v1alpha1/v1alpha1.ts';
import {
  type Connections,
  type GatewayIdentity,
  instanceIndexKeys,
  instanceKeyOf,
  isReachable,
} from '../connection/connection.ts';
import type { GatewayClients } from '../gateway/gateway.ts';
import { definitionPermission } from '../lifecycle/lifecycle.ts';
import { type ControllerBuilder, keyOf, keyText, type ResourceKind, type Runtime, when } from '../runtime/runtime.ts';
import type { ExternalDependencies } from './adapter.ts';
import { claimKey, type ClaimRules, Claims } from './claims.ts';
import type { External } from './resource.ts';

/** What the controller of every kind is given. */
export interface ExternalController {
  readonly identity: GatewayIdentity;
  readonly connections: Connections;
  readonly clients: GatewayClients;
}

/**
 * Creates what reconciles need. Call it before the controllers start.
 * @param rest `status`: the fields of the status that another controller writes
 */
export function externalDependencies<T extends External, Field extends string>(
  runtime: Runtime,
  { identity, connections, clients }: ExternalController,
  kind: ResourceKind<T>,
  rules: ClaimRules<T, Field>,
  rest: Pick<ExternalDependencies<T, Field>, 'metrics'> & { readonly status?: Parameters<Runtime['status']>[1] },
): ExternalDependencies<T, Field> {
  const cache = runtime.cache(kind);
  const instanceCache = runtime.cache(instances);
  const byGateway = instanceCache.indexBy(identity.indexKeys);
  const byClaim = cache.indexBy((resource) => [claimKey(instanceKeyOf(resource), rules.idOf(resource))]);
  return {
    ...{ identity, connections, clients, cache, byGateway, byClaim },
    instances: instanceCache,
    claims: new Claims({ identity, instances: instanceCache, byGateway, byClaim }, rules),
    byInstance: cache.indexBy(instanceIndexKeys),
    client: runtime.client,
    events: runtime.events,
    status: runtime.status(kind, rest.status),
    finalizer: runtime.finalizer(kind, FINALIZER),
    metrics: rest.metrics,
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic(),
  };
}

/**
 * Creates the metrics of the records of a kind. Call it once for each registry.
 * @param what the records, at the beginning of a sentence
 */
export function recordMetrics(
  registry: Registry,
  noun: 'customer' | 'budget' | 'key',
  what: string,
): Pick<ExternalDependencies<External, string>['metrics'], 'drift' | 'orphaned'> {
  return {
    drift: new Counter({
      name: `gateway_guardrail_operator_${noun}_drift_total`,
      help: `${what} that differed from the spec or were missing at the gateway, and were corrected.`,
      registers: [registry],
    }),
    orphaned: new Counter({
      name: `gateway_guardrail_operator_${noun}s_orphaned_total`,
      help: `${what} that remained at the gateway when their resource was deleted, by reason.`,
      labelNames: ['reason'],
      registers: [registry],
    }),
  };
}

/** Which changes trigger the reconciles of other resources. */
export interface Triggers<T extends External> {
  /** Whether a change of a resource can make another claimant of its record act. */
  readonly claimants: (before: T, after: T) => boolean;
  /** Whether a change of an instance matters, besides its spec and that its gateway became reachable. */
  readonly instance: (before: GatewayInstance, after: GatewayInstance) => boolean;
}

/** The part of a controller that all kinds share. */
export function externalController<T extends External, Field extends string>(
  kind: ResourceKind<T>,
  names: ResourceNames,
  { claims, byInstance }: Pick<ExternalDependencies<T, Field>, 'claims' | 'byInstance'>,
  triggers: Triggers<T>,
): ControllerBuilder<T> {
  return when(kind)
    .watches(kind, (resource) => claims.otherKeys(resource), { changed: triggers.claimants })
    .watches(instances, (instance) => byInstance.keys(keyText(keyOf(instance))), {
      // Resources are then reconciled without waiting for their backoff.
      changed: (before, after) =>
        before.metadata.generation !== after.metadata.generation ||
        (isReachable(after) && !isReachable(before)) ||
        triggers.instance(before, after),
    })
    .needs({ group: '', resource: 'namespaces', verbs: ['get'], scope: 'watched' }, definitionPermission(names));
}
