/** Decides whether a policy is valid. */
import { policyField, policyRevision, type PolicyProblem } from '../../guardrail/guardrail.ts';
import type { GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import type { PolicyConditionReason } from '../conditions/conditions.ts';
import { policyProblems } from '../configuration/configuration.ts';
import { keyText } from '../runtime/runtime.ts';
import { policyText, resourcePath } from './document.ts';

/** A valid policy in the format of the guardrail, or what is wrong with it. */
export type PolicyCheck =
  | { readonly valid: true; readonly text: string; readonly revision: string }
  | {
      readonly valid: false;
      readonly reason: Extract<
        PolicyConditionReason,
        'InvalidPattern' | 'UnknownEntityType' | 'InvalidValue' | 'TooLarge'
      >;
      readonly message: string;
    };

/** The maximum number of errors in a message, which must fit into a condition. */
const MAX_SHOWN = 5;

/** Checks a policy. The guardrail's own parser decides, on the thread of documents: a pattern cannot block the operator. */
export async function checkPolicy({ metadata, spec }: GuardrailPolicy): Promise<PolicyCheck> {
  const text = policyText(spec);
  const problems = await policyProblems(keyText(metadata), text);
  if (problems === 'limitExceeded') {
    const message = 'The policy takes too much time or memory to check. Shorten its lists, or simplify its patterns.';
    return { valid: false, reason: 'TooLarge', message };
  }
  const [first] = problems;
  if (first !== undefined) return { valid: false, reason: reasonOf(first), message: messageOf(problems) };
  return { valid: true, text, revision: policyRevision(text) };
}

/** The text as a whole is written by the operator, so only its length can be refused. */
function reasonOf({ path, isUnknownType }: PolicyProblem): (PolicyCheck & { valid: false })['reason'] {
  if (path === undefined) return 'TooLarge';
  if (isUnknownType) return 'UnknownEntityType';
  return path.at(-1) === 'pattern' ? 'InvalidPattern' : 'InvalidValue';
}

function messageOf(problems: readonly PolicyProblem[]): string {
  const sentences = problems.slice(0, MAX_SHOWN).map(({ path, text }) => {
    if (path === undefined) return `In the format of the guardrail: ${text}`;
    return `${policyField(resourcePath(path))} ${text}.`;
  });
  const more = problems.length - sentences.length;
  return `${sentences.join(' ')}${more > 0 ? ` There are ${more} more errors.` : ''}`;
}
