import { constant, followFile, type Live } from '../../liveFile.ts';
import type { Policy } from '../contract.ts';
import { compilePolicy } from './policy.ts';
import type { Profile } from './profiles.ts';
import { parsePolicy } from './schema.ts';

/** A policy that can change at run time. */
export type PolicySource = Live<Policy>;

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
  const parse = (text: string): Policy => compilePolicy(parsePolicy(text), profile);
  if (policy === undefined || policy.trim() === '') return constant(compilePolicy({}, profile));
  return isInline(policy) ? constant(parse(policy)) : followFile(policy, parse, report, intervalMs);
}
