/** For tests: policies and instances as the API server would return them. */
import {
  API_VERSION,
  type CustomerPolicyRef,
  type GatewayCustomer,
  type GatewayCustomerStatus,
  type GatewayInstance,
  type GuardrailPolicy,
  type GuardrailPolicySpec,
  type GuardrailPolicyStatus,
} from '../../api/v1alpha1/v1alpha1.ts';
import { instanceOf } from '../../instance/testing/instances.ts';
import type { PolicyUser } from '../users.ts';

/** A policy `ai/strict`. */
export function policyOf(spec: GuardrailPolicySpec = {}, status?: GuardrailPolicyStatus): GuardrailPolicy {
  return {
    apiVersion: API_VERSION,
    kind: 'GuardrailPolicy',
    metadata: {
      name: 'strict',
      namespace: 'ai',
      uid: 'uid-1',
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: '2026-11-21T00:00:00Z',
    },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

/** An instance that refers to the policy. */
export function instanceWith(name: string, policyRef = 'strict'): GatewayInstance {
  return instanceOf({ guardrail: { policyRef: { name: policyRef } } }, name);
}

/** An instance that uses the policy, with the revision that all of its pods have, and the one that is written for them. */
export function userOf(name: string, revision?: string, written = revision, isSidecar = false): PolicyUser {
  return { kind: 'GatewayInstance', key: { namespace: 'ai', name }, revision, written, isApplied: true, isSidecar };
}

/** A customer `team/acme` of instance `ai/main` that refers to the policy in that namespace. */
export function customerWith(
  ref: CustomerPolicyRef = { name: 'strict', namespace: 'ai' },
  status: GatewayCustomerStatus = { ownership: 'Owned' },
): GatewayCustomer {
  return {
    apiVersion: API_VERSION,
    kind: 'GatewayCustomer',
    metadata: {
      ...{ name: 'acme', namespace: 'team', uid: 'uid-acme' },
      ...{ resourceVersion: '1', generation: 1, creationTimestamp: '2026-11-21T00:00:00Z' },
    },
    spec: {
      instanceRef: { name: 'main', namespace: 'ai' },
      customerId: 'acme',
      guardrailPolicyRef: ref,
    },
    status,
  };
}
