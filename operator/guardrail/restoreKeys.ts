/** The keys with which tools restore values. Pure except for the random source. */
import { randomBytes } from 'node:crypto';
import { acceptedOf, apiKeysFile, isApiKey, linesOf, newApiKey, type KeySecret } from './keys.ts';
import { files, isToolName, toolsOf } from './settings.ts';
import { type ProxyDeployment, rolloutOf } from './sidecar.ts';

const PREFIX = 'restore-';
const REVOKED = /^revoked-[\w-]{43}$/;

/** The pods of a guardrail that may start. */
export interface StartedPods {
  /** The names of the tools in the template of the Deployment. */
  readonly tools: readonly string[];
  /** Whether every pod has this template. */
  readonly areCurrent: boolean;
}

const NO_PODS: StartedPods = { tools: [], areCurrent: true };

/** The key of the Secret with the API key of a tool. */
export function restoreKeyName(tool: string): string {
  return `${PREFIX}${tool}`;
}

/**
 * Generates the missing keys of tools, and removes those of others.
 * @param tools names of the tools in the spec
 * @param pods the pods of the guardrail. A pod does not start without a key of each tool that it names, so a removed tool keeps
 *   an accepted key that nobody has.
 * @returns the same object if it has exactly these keys
 */
export function completeRestoreKeys(
  secret: KeySecret,
  tools: readonly string[],
  pods: StartedPods = NO_PODS,
): KeySecret {
  const others = Object.entries(secret.data).filter(([name]) => !name.startsWith(PREFIX));
  const lines = linesOf(secret.data[files.apiKeys]);
  const accepted = acceptedOf(secret);
  const used = new Set(accepted);
  const keys = tools.map((tool) => {
    const stored = secret.data[restoreKeyName(tool)];
    // The guardrail refuses a file with a key of another form, or with the same key under two names.
    const key = stored !== undefined && isApiKey(stored) && !used.has(stored) ? stored : newApiKey();
    used.add(key);
    return [tool, key] as const;
  });
  // An older pod names the tools of an earlier template.
  const older = pods.areCurrent ? [] : revokedTools(lines);
  const revoked = [...new Set([...pods.tools, ...older])]
    .filter((tool) => !tools.includes(tool))
    .map((tool) => [tool, revokedKey(lines, tool) ?? newRevokedKey()] as const);
  const data = {
    ...Object.fromEntries(others),
    ...Object.fromEntries(keys.map(([tool, key]) => [restoreKeyName(tool), key])),
    [files.apiKeys]: apiKeysFile(
      accepted,
      [...keys, ...revoked].map(([tool, key]) => `${tool}:${key}`),
    ),
  };
  return isSame(secret.data, data) ? secret : { ...secret, data };
}

/** The pods of a guardrail, according to its Deployment. */
export function startedPods(deployment: ProxyDeployment | undefined): StartedPods {
  if (deployment === undefined) return NO_PODS;
  const containers = deployment.spec?.template.spec?.containers ?? [];
  return {
    tools: containers.flatMap(({ env }) => toolsOf(env ?? [])),
    areCurrent: rolloutOf(deployment) === 'complete',
  };
}

/** Whether a Secret has keys of removed tools. */
export function hasRevokedKeys(secret: KeySecret): boolean {
  return revokedTools(linesOf(secret.data[files.apiKeys])).length > 0;
}

function revokedTools(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const [tool = '', key = ''] = line.split(':');
    return isToolName(tool) && REVOKED.test(key) ? [tool] : [];
  });
}

function revokedKey(lines: readonly string[], tool: string): string | undefined {
  const keys = lines.filter((line) => line.startsWith(`${tool}:`)).map((line) => line.slice(tool.length + 1));
  return keys.find((key) => REVOKED.test(key));
}

function newRevokedKey(): string {
  return `revoked-${randomBytes(32).toString('base64url')}`;
}

function isSame(left: KeySecret['data'], right: KeySecret['data']): boolean {
  const names = Object.keys(right);
  return names.length === Object.keys(left).length && names.every((name) => left[name] === right[name]);
}
