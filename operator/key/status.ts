/** What a key claims at its gateway, and what its status says of it. Pure. */
import type { GatewayKey, GatewayKeyStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { KeyConditionReason } from '../conditions/conditions.ts';
import { allows } from '../connection/connection.ts';
import {
  type ClaimRules,
  nextStatus as nextExternalStatus,
  type Outcome,
  type StatusGateway,
  type StatusRules,
  type Words,
} from '../external/external.ts';
import { type KeyField, keyFields } from '../gateway/gateway.ts';
import { grantProblem } from './grants.ts';

/** How a reconcile of a key ended. */
export interface KeyOutcome extends Outcome {
  readonly reason: KeyConditionReason;
  readonly keyId?: string;
  readonly liveKeys?: number;
  readonly lastRotationTime?: string | undefined;
}

export const keyWords: Words = { kind: 'GatewayKey', noun: 'key', record: 'key', condition: 'Ready' };

const keyStatus: StatusRules<GatewayKey, KeyOutcome> = {
  words: keyWords,
  recordFields: ['specHash', 'appliedFields', 'gateway', 'liveKeys', 'lastRotationTime'],
  notAllowed: ['NamespaceNotAllowed', 'KeyNotAllowed'],
  ended: () => [],
  fields: {
    keyId: ({ keyId }) => keyId,
    liveKeys: ({ liveKeys }) => liveKeys,
    lastRotationTime: ({ lastRotationTime }) => lastRotationTime,
  },
};

/**
 * The status after an outcome.
 * @returns the same object if nothing changed
 */
export function nextStatus(key: GatewayKey, outcome: KeyOutcome, now: Date, gateway?: StatusGateway): GatewayKeyStatus {
  return nextExternalStatus(keyStatus, key, outcome, now, gateway);
}

/** A key has the identity of its resource at the gateway, so that no other resource claims it. */
export const keyClaims: ClaimRules<GatewayKey, KeyField> = {
  markKind: 'GatewayKey',
  idOf: ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
  isAdmitted: (instance, key) => allows(instance, key.metadata.namespace) && grantProblem(instance, key) === undefined,
  adoptsOnlyAtInstance: false,
  stateOf({ specHash }, marked) {
    if (specHash !== undefined) return 'owned';
    return marked ? 'pending' : 'none';
  },
  fields: keyFields,
};
