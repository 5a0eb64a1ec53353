/**
 * Processes YAML documents of tenants and admins outside of the event loop. A document of the maximum length takes one
 * or two seconds, and the operator must renew its lease during this time.
 */
import type { PolicyProblem } from '../../guardrail/guardrail.ts';
import type { EnforcementSettings } from '../gateway/gateway.ts';
import type { ManagedSettings, RenderedProxyConfig } from './proxyConfig.ts';
import { ProxyConfigError } from './proxyConfigDocument.ts';
import type {
  CustomerPolicyTexts,
  DocumentResult,
  DocumentTask,
  EffectivePolicy,
  RefusedPolicy,
} from './documentTasks.ts';
import { DocumentThread, DocumentLimitError } from './documentThread.ts';

/** One thread for the process, like Node's thread pool: tasks are pure, and the cache is no state. */
const thread = new DocumentThread(new URL('./documentWorker.ts', import.meta.url));

/**
 * Renders the gateway's configuration with the operator's settings.
 * @param owner of the document: owners take turns
 * @throws ProxyConfigError as renderProxyConfig, and if the document takes too much time or memory
 */
export async function renderConfiguration(
  owner: string,
  base: string,
  ours: ManagedSettings,
): Promise<RenderedProxyConfig> {
  const result = await run(owner, { kind: 'render', base, ours });
  if (result === 'limitExceeded')
    throw new ProxyConfigError(limitExceeded("The gateway's configuration (spec.proxyConfig.base)"));
  if (result.kind === 'refused') throw new ProxyConfigError(result.message);
  if (result.kind === 'render') return result.rendered;
  throw new TypeError(`Expected a rendered configuration, received ${result.kind}.`);
}

/** What the gateway enforces according to its configuration; nothing if the configuration is invalid. */
export async function readEnforcement(owner: string, base: string, proxyName: string): Promise<EnforcementSettings> {
  // Most instances have no base.
  if (base === '') return { blockedUserCheck: false, preCallChecks: false };
  const result = await run(owner, { kind: 'enforcement', base, proxyName });
  return result !== 'limitExceeded' && result.kind === 'enforcement'
    ? result.settings
    : { blockedUserCheck: false, preCallChecks: false };
}

/** The headers in which the gateway looks for customers according to its configuration; none if that is invalid. */
export async function readCustomerHeaders(owner: string, base: string): Promise<readonly string[]> {
  if (base === '') return [];
  const result = await run(owner, { kind: 'customerHeaders', base });
  return result !== 'limitExceeded' && result.kind === 'customerHeaders' ? result.headers : [];
}

/** What is wrong with a guardrail's policy, as a sentence; undefined: nothing. */
export async function policyProblem(owner: string, text: string): Promise<string | undefined> {
  const field = 'spec.guardrail.policy';
  const result = await run(owner, { kind: 'policy', text });
  if (result === 'limitExceeded') return limitExceeded(field);
  const refused = refusedPolicy(result);
  return refused === undefined ? undefined : `${field} ${refused.message}`;
}

/** What is wrong with a guardrail's policy, by the fields of the policy file. */
export async function policyProblems(owner: string, text: string): Promise<readonly PolicyProblem[] | 'limitExceeded'> {
  const result = await run(owner, { kind: 'policy', text });
  return result === 'limitExceeded' ? result : (refusedPolicy(result)?.problems ?? []);
}

/**
 * What applies to calls of a customer with a policy of its own.
 * @returns undefined if the policies take too much time or memory to compare
 */
export async function effectivePolicy(owner: string, texts: CustomerPolicyTexts): Promise<EffectivePolicy | undefined> {
  const result = await run(owner, { kind: 'customerPolicy', ...texts });
  if (result === 'limitExceeded') return undefined;
  if (result.kind === 'customerPolicy') return result.effective;
  throw new TypeError(`Expected compared policies, received ${result.kind}.`);
}

function refusedPolicy(result: DocumentResult): RefusedPolicy | undefined {
  if (result.kind !== 'policy') throw new TypeError(`Expected a checked policy, received ${result.kind}.`);
  return result.refused;
}

async function run(owner: string, task: DocumentTask): Promise<DocumentResult | 'limitExceeded'> {
  try {
    return await thread.run(owner, task);
  } catch (error) {
    if (!(error instanceof DocumentLimitError)) throw error;
    return 'limitExceeded';
  }
}

function limitExceeded(field: string): string {
  return `${field} takes too much time or memory to parse. Shorten it, or remove anchors and nested collections.`;
}
