/**
 * Work on YAML that tenants and administrators write, away from the event loop: one text of the longest length that is
 * read takes a second or two, and the lease must be renewed meanwhile.
 */
import type { EnforcementSettings } from '../gateway/gateway.ts';
import type { ManagedSettings, RenderedProxyConfig } from './proxyConfig.ts';
import { ProxyConfigError } from './proxyConfigDocument.ts';
import type { DocumentResult, DocumentTask } from './documentTasks.ts';
import { DocumentThread, DocumentLimitError } from './documentThread.ts';

/** One for the process, as Node has one pool of threads for files: its work is pure, and what it keeps is no state. */
const thread = new DocumentThread(new URL('./documentWorker.ts', import.meta.url));

/**
 * The gateway's configuration with our settings in it.
 * @param owner whose text it is: owners take turns
 * @throws ProxyConfigError as renderProxyConfig, and where it takes too long
 */
export async function renderConfiguration(
  owner: string,
  base: string,
  ours: ManagedSettings,
): Promise<RenderedProxyConfig> {
  const answer = await run(owner, { kind: 'render', base, ours });
  if (answer === 'tooCostly')
    throw new ProxyConfigError(tooCostly("The gateway's configuration (spec.proxyConfig.base)"));
  if (answer.kind === 'refused') throw new ProxyConfigError(answer.message);
  if (answer.kind === 'render') return answer.rendered;
  throw new TypeError(`A rendering was asked for, and ${answer.kind} came.`);
}

/** What the gateway's configuration makes it enforce: nothing, as far as it cannot be read. */
export async function readEnforcement(owner: string, base: string, proxyName: string): Promise<EnforcementSettings> {
  // Most instances have none.
  if (base === '') return { blockedUserCheck: false, preCallChecks: false };
  const answer = await run(owner, { kind: 'enforcement', base, proxyName });
  return answer !== 'tooCostly' && answer.kind === 'enforcement'
    ? answer.settings
    : { blockedUserCheck: false, preCallChecks: false };
}

/** What is wrong with a guardrail's policy, as a whole sentence. */
export async function policyProblem(owner: string, text: string): Promise<string | undefined> {
  const field = 'spec.guardrail.policy';
  const answer = await run(owner, { kind: 'policy', text });
  if (answer === 'tooCostly') return tooCostly(field);
  return answer.kind === 'refused' ? `${field} ${answer.message}` : undefined;
}

async function run(owner: string, task: DocumentTask): Promise<DocumentResult | 'tooCostly'> {
  try {
    return await thread.run(owner, task);
  } catch (error) {
    if (!(error instanceof DocumentLimitError)) throw error;
    return 'tooCostly';
  }
}

function tooCostly(field: string): string {
  return `${field} takes too much time or memory to read: shorten it, or remove anchors and nested collections.`;
}
