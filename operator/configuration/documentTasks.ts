/** The tasks of the document thread. Pure. */
import { parsePolicy, PolicyError, type PolicyProblem } from '../../guardrail/guardrail.ts';
import type { EnforcementSettings } from '../gateway/gateway.ts';
import { enforcementOf } from './enforcement.ts';
import type { ManagedSettings, RenderedProxyConfig } from './proxyConfig.ts';
import { renderProxyConfig } from './proxyConfig.ts';
import { ProxyConfigError } from './proxyConfigDocument.ts';

/** A document, and what to do with it. */
export type DocumentTask =
  | { readonly kind: 'render'; readonly base: string; readonly ours: ManagedSettings }
  | { readonly kind: 'enforcement'; readonly base: string; readonly proxyName: string }
  | { readonly kind: 'policy'; readonly text: string };

/**
 * The result of a task. The message of `refused` describes the error in the document and contains none of its values.
 */
export type DocumentResult =
  | { readonly kind: 'render'; readonly rendered: RenderedProxyConfig }
  | { readonly kind: 'enforcement'; readonly settings: EnforcementSettings }
  | { readonly kind: 'policy'; readonly refused?: RefusedPolicy }
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
    case 'policy':
      return checkPolicy(task.text);
  }
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
