import type { CallContext, Guard, RequestDocument, RequestOutcome } from './core.ts';

export interface Refusal {
  readonly mode: 'enforce' | 'monitor';
  /** What its sender reads: a whole sentence. */
  readonly reason: string;
}

/**
 * Refuses a request for something in it that cannot be looked into. Where nothing is refused in earnest, its texts are
 * looked at by the guard all the same.
 */
export async function refuse(
  guard: Guard,
  document: RequestDocument,
  context: CallContext,
  { mode, reason }: Refusal,
): Promise<RequestOutcome> {
  if (mode === 'monitor') return { ...(await guard.request(document, context)), monitored: 'BLOCKED' };
  return { session: guard.sessionOf(context.identity), entities: [], action: 'BLOCKED', blockedReason: reason };
}
