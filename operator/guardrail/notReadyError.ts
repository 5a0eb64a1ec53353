import type { ConditionState } from '../conditions/conditions.ts';

/** The guardrail cannot be deployed as the spec requests. The running guardrail stays as it is. */
export class GuardrailNotReadyError extends Error {
  override readonly name = 'GuardrailNotReadyError';
  readonly condition: ConditionState<'GuardrailReady'>;

  constructor(reason: ConditionState<'GuardrailReady'>['reason'], message: string) {
    super(message);
    this.condition = { status: 'False', reason, message };
  }
}
