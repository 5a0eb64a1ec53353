import { parseYaml } from '../../guardrail/guardrail.ts';

/**
 * What a valid policy file says about enforcement.
 * @param text undefined: there is no policy file
 * @returns undefined if it says nothing
 */
export function policyEnforcement(text: string | undefined): 'Enforce' | 'Monitor' | undefined {
  // Most policies say nothing, and need not be parsed at each reconcile.
  if (text?.includes('mode') !== true) return undefined;
  const mode: unknown = parseYaml(text)?.get('mode');
  if (mode === 'enforce') return 'Enforce';
  return mode === 'monitor' ? 'Monitor' : undefined;
}
