import { constant, followFile, type Live } from '../../liveFile.ts';
import { compilePolicy, type DocumentPolicy } from './policy.ts';
import { policyRevision } from './policyRevision.ts';
import type { Profile } from './profiles.ts';
import { parsePolicy } from './schema.ts';

/** The policy of the service. */
export interface ServicePolicy extends DocumentPolicy {
  /** Identifies its text. undefined: there is none, only the profile. */
  readonly revision: string | undefined;
}

/** A policy that can change at run time. */
export type PolicySource = Live<ServicePolicy>;

export interface PolicySourceOptions {
  /** Path of a YAML file, or the YAML itself: text with a colon before white space or at the end, a line break, or braces. */
  readonly policy: string | undefined;
  /** The profile of a policy without one. */
  readonly profile: Profile;
  /** Receives each problem of a changed file. The last valid policy stays in force. */
  readonly report: (problem: Error) => void;
  readonly intervalMs?: number;
}

const isInline = (policy: string): boolean => /:\s|:$|^\s*\{|\n/.test(policy);

/**
 * Opens a policy. Reloads it when its file changes.
 * @throws PolicyError with all errors of the first version, or Error if the file cannot be read.
 */
export function openPolicy({ policy, profile, report, intervalMs }: PolicySourceOptions): PolicySource {
  const parse = (text: string): ServicePolicy => ({
    ...compilePolicy(parsePolicy(text), profile),
    revision: policyRevision(text),
  });
  if (policy === undefined || policy.trim() === '') {
    return constant({ ...compilePolicy({}, profile), revision: undefined });
  }
  return isInline(policy) ? constant(parse(policy)) : followFile(policy, parse, report, intervalMs);
}
