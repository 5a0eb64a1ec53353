/** Resolves references to policies. */
import type { GuardrailPolicy, GuardrailPolicySpec } from '../api/v1alpha1/v1alpha1.ts';
import { isAnnotated } from '../lifecycle/lifecycle.ts';
import { keyText, type Lister, type ObjectKey } from '../runtime/runtime.ts';
import { checkPolicy } from './check.ts';

/** A reference to a policy cannot be used. The message is a condition message. */
export class PolicyNotUsableError extends Error {
  override readonly name = 'PolicyNotUsableError';
  readonly reason: 'PolicyNotFound' | 'PolicyInvalid';

  constructor(reason: PolicyNotUsableError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }

  static missing(key: ObjectKey): PolicyNotUsableError {
    const message = `GuardrailPolicy ${keyText(key)} does not exist. Create it, or correct the reference.`;
    return new PolicyNotUsableError('PolicyNotFound', message);
  }
}

/** A valid policy. */
export interface UsablePolicy {
  readonly spec: GuardrailPolicySpec;
  /** The policy in the format of the guardrail. */
  readonly text: string;
  /** Identifies the text. */
  readonly revision: string;
  /** Whether changes of the policy wait, because the annotation `paused` is set. */
  readonly isPaused: boolean;
}

/**
 * The policy that a reference leads to. It is checked here and not read from the status, which may be older than the spec.
 * @throws PolicyNotUsableError
 */
export async function usablePolicy(
  policies: Pick<Lister<GuardrailPolicy>, 'get'>,
  key: ObjectKey,
): Promise<UsablePolicy> {
  const name = `GuardrailPolicy ${keyText(key)}`;
  const policy = policies.get(key);
  if (policy === undefined) throw PolicyNotUsableError.missing(key);
  const check = await checkPolicy(policy);
  if (!check.valid) throw new PolicyNotUsableError('PolicyInvalid', `${name} is not valid: ${check.message}`);
  const { text, revision } = check;
  return { spec: policy.spec, text, revision, isPaused: isAnnotated(policy, 'paused') };
}

/** Whether a change of a policy matters to the resources that refer to it. */
export function mattersToUsers(before: GuardrailPolicy, after: GuardrailPolicy): boolean {
  return (
    before.metadata.uid !== after.metadata.uid ||
    before.metadata.generation !== after.metadata.generation ||
    isAnnotated(before, 'paused') !== isAnnotated(after, 'paused')
  );
}
