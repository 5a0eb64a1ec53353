import type { CallState } from '../http/http.ts';

/** What was done with a message, by weight. */
const BY_WEIGHT = ['NONE', 'GUARDRAIL_INTERVENED', 'BLOCKED', 'FAILED'] as const;
type Action = (typeof BY_WEIGHT)[number];

/**
 * Notes what was done with a message. A call has many: its action is the one that matters most.
 * @param monitored in monitor mode, what enforce mode would have done
 */
export function noteAction({ log }: Pick<CallState, 'log'>, action: Action, monitored?: Action): void {
  log.action = heavier(log.action, action);
  if (monitored !== undefined) log.monitored = heavier(log.monitored, monitored);
}

function heavier(known: string | number | undefined, action: Action): string {
  return BY_WEIGHT.findLast((one) => one === known || one === action) ?? action;
}
