import type { CallContext, Guard, RequestOutcome } from './contract.ts';

/**
 * Refuses a request for something in it that cannot be looked into.
 * @param reason what its sender reads: a whole sentence
 */
export function refuse(guard: Guard, { identity }: CallContext, reason: string): RequestOutcome {
  return { session: guard.sessionOf(identity), entities: [], action: 'BLOCKED', blockedReason: reason };
}
