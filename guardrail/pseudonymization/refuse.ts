import type { CallContext, Guard, RequestOutcome } from './contract.ts';

/**
 * Returns the outcome of a request that is blocked because its content cannot be checked.
 * @param reason a sentence for the sender
 */
export function refuse(guard: Guard, { identity }: CallContext, reason: string): RequestOutcome {
  return { session: guard.sessionOf(identity), entities: [], action: 'BLOCKED', blockedReason: reason };
}
