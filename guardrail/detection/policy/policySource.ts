import { constant, followFile, type Live } from '../../liveFile.ts';
import { compilePolicy, defaultPolicy, type Policy } from './policy.ts';
import { parsePolicy } from './schema.ts';

/** A policy that can change at run time. */
export type PolicySource = Live<Policy>;

export interface PolicySourceOptions {
  /** Path of a YAML file, or the YAML itself: text with a colon before white space or at the end, a line break, or braces. */
  readonly policy: string | undefined;
  /** Receives each problem of a changed file. The last valid policy stays in force. */
  readonly report: (problem: Error) => void;
  readonly intervalMs?: number;
}

const isInline = (policy: string): boolean => /:\s|:$|^\s*\{|\n/.test(policy);
const parse = (text: string): Policy => compilePolicy(parsePolicy(text));

/**
 * Opens a policy. Reloads it when its file changes.
 * @throws PolicyError with all errors of the first version, or Error if the file cannot be read.
 */
export function openPolicy({ policy, report, intervalMs }: PolicySourceOptions): PolicySource {
  if (policy === undefined || policy.trim() === '') return constant(defaultPolicy);
  return isInline(policy) ? constant(parse(policy)) : followFile(policy, parse, report, intervalMs);
}
