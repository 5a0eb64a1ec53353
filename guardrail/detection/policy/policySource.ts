import { constant, followFile, type Live } from '../../liveFile.ts';
import type { Policy } from '../contract.ts';
import { compilePolicy } from './policy.ts';
import { policyRevision } from './policyRevision.ts';
import type { Profile } from './profiles.ts';
import { parsePolicy } from './schema.ts';

/** A policy that can change at run time. */
export interface PolicySource extends Live<Policy> {
  /** Identifies the policy in force. undefined: there is none, only the profile. */
  readonly revision: string | undefined;
}

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
  const parse = (text: string): Version => ({
    policy: compilePolicy(parsePolicy(text), profile),
    revision: policyRevision(text),
  });
  if (policy === undefined || policy.trim() === '') {
    return sourceOf(constant({ policy: compilePolicy({}, profile), revision: undefined }));
  }
  return sourceOf(isInline(policy) ? constant(parse(policy)) : followFile(policy, parse, report, intervalMs));
}

interface Version {
  readonly policy: Policy;
  readonly revision: string | undefined;
}

function sourceOf(live: Live<Version>): PolicySource {
  return {
    get current() {
      return live.current.policy;
    },
    get revision() {
      return live.current.revision;
    },
    close() {
      live.close();
    },
  };
}
