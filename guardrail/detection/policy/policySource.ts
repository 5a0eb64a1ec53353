import { constant, followFile, type Live } from '../../liveFile.ts';
import { compilePolicy, defaultPolicy, type Policy } from './policy.ts';
import { parsePolicy } from './schema.ts';

/** A policy that may change while the program runs. */
export type PolicySource = Live<Policy>;

export interface PolicySourceOptions {
  /** Path of a YAML file, or the YAML itself (anything with a colon and a space or line break, or in braces). */
  readonly policy: string | undefined;
  /** Receives each problem of a file that has changed; the last good policy stays in force. */
  readonly report: (problem: Error) => void;
  readonly intervalMs?: number;
}

const isInline = (policy: string): boolean => /:\s|:$|^\s*\{|\n/.test(policy);
const parse = (text: string): Policy => compilePolicy(parsePolicy(text));

/**
 * Opens a policy, and follows it where it is a file.
 * @throws PolicyError with every mistake of the policy at the start, and Error where its file cannot be read.
 */
export function openPolicy({ policy, report, intervalMs }: PolicySourceOptions): PolicySource {
  if (policy === undefined || policy.trim() === '') return constant(defaultPolicy);
  return isInline(policy) ? constant(parse(policy)) : followFile(policy, parse, report, intervalMs);
}
