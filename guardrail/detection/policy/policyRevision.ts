import { hash } from 'node:crypto';

/** Identifies the text of a policy: the operator tells by it which policy is in force. */
export function policyRevision(text: string): string {
  return hash('sha256', text).slice(0, 32);
}
