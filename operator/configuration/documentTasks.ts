/** The tasks of the document thread. Pure. */
import {
  comparePolicies,
  effectiveSettings,
  knownTypes,
  parsePolicy,
  type PolicyComparison,
  PolicyError,
  type PolicyProblem,
  type ServiceSettings,
} from '../../guardrail/guardrail.ts';
import type { EnforcementSettings } from '../gateway/gateway.ts';
import { customerHeadersOf, enforcementOf } from './baseSettings.ts';
import { type ManagedSettings, type RenderedProxyConfig, renderProxyConfig } from './proxyConfig.ts';
import { ProxyConfigError } from './proxyConfigDocument.ts';

/** A document, and what to do with it. */
export type DocumentTask =
  | { readonly kind: 'render'; readonly base: string; readonly ours: ManagedSettings }
  | { readonly kind: 'enforcement'; readonly base: string; readonly proxyName: string }
  | { readonly kind: 'customerHeaders'; readonly base: string }
  | { readonly kind: 'policy'; readonly text: string }
  | ({ readonly kind: 'customerPolicy' } & CustomerPolicyTexts);

/** The policy of a customer, and what it adds to. All texts are policies in the format of the guardrail. */
export interface CustomerPolicyTexts {
  readonly customer: string;
  /** The policy of the guardrail; undefined: it has none. */
  readonly service: string | undefined;
  /** The settings of the guardrail, which apply where no policy has a setting. */
  readonly settings: ServiceSettings;
  readonly allowLooser: boolean;
}

/** What applies to calls of a customer. */
export interface EffectivePolicy {
  readonly settings: ServiceSettings;
  readonly comparison: PolicyComparison;
}

/**
 * The result of a task. The message of `refused` describes the error in the document and contains none of its values.
 */
export type DocumentResult =
  | { readonly kind: 'render'; readonly rendered: RenderedProxyConfig }
  | { readonly kind: 'enforcement'; readonly settings: EnforcementSettings }
  | { readonly kind: 'customerHeaders'; readonly headers: readonly string[] }
  | { readonly kind: 'policy'; readonly refused?: RefusedPolicy }
  | { readonly kind: 'customerPolicy'; readonly effective: EffectivePolicy }
  | { readonly kind: 'refused'; readonly message: string };

/** What is wrong with a policy. */
export interface RefusedPolicy {
  /** Names all errors, as a sentence without its subject. */
  readonly message: string;
  readonly problems: readonly PolicyProblem[];
}

/** Runs a task. */
export function runDocumentTask(task: DocumentTask): DocumentResult {
  switch (task.kind) {
    case 'render':
      try {
        return { kind: 'render', rendered: renderProxyConfig(task.base, task.ours) };
      } catch (error) {
        if (!(error instanceof ProxyConfigError)) throw error;
        return { kind: 'refused', message: error.message };
      }
    case 'enforcement':
      return { kind: 'enforcement', settings: enforcementOf(task.base, task.proxyName) };
    case 'customerHeaders':
      return { kind: 'customerHeaders', headers: customerHeadersOf(task.base) };
    case 'policy':
      return checkPolicy(task.text);
    case 'customerPolicy':
      return { kind: 'customerPolicy', effective: effectiveOf(task) };
  }
}

/** @throws PolicyError: both policies are checked before they are compared */
function effectiveOf({ customer, service, settings, allowLooser }: CustomerPolicyTexts): EffectivePolicy {
  const compared = {
    customer: parsePolicy(customer),
    service: service === undefined ? {} : parsePolicy(service),
    settings,
    types: knownTypes,
  };
  return { settings: effectiveSettings(compared, allowLooser), comparison: comparePolicies(compared) };
}

/** The guardrail's own parser decides whether a policy is valid. */
function checkPolicy(text: string): DocumentResult {
  try {
    parsePolicy(text);
    return { kind: 'policy' };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return { kind: 'policy', refused: { message: error.message, problems: error.details } };
  }
}
