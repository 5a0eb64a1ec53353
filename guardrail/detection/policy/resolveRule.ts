/** What the rules of policies say about a type. Pure. */
import type { Action, EntityType, Span } from '../contract.ts';
import { generalTypeOf } from '../../entityTypes.ts';
import { isIgnoredBy, type Profile } from './profiles.ts';
import type { RuleDocument, Rules } from './schema.ts';

/** Spans that the policy itself found. Somebody asked for exactly these values, so the profile does not apply to them. */
const ownDetectors: ReadonlySet<string> = new Set(['deny-list', 'custom']);

/** The lowest score of a custom recognizer's match if the policy has no threshold for its type. */
export const CUSTOM_THRESHOLD = 0.5;

/** What rules say about a type. */
export interface ResolvedRule {
  readonly action: Action | 'ignore';
  readonly threshold: number | undefined;
}

/**
 * Resolves the rule of a type. Precedence: the rules of the type, the profile, the rules of its general type, the defaults. Of
 * two rules or defaults, the first one counts.
 */
export function resolveRule(
  layers: readonly Rules[],
  profile: Profile,
  { type, detector }: Pick<Span, 'type' | 'detector'>,
): ResolvedRule {
  const rulesOf = (each: EntityType): (RuleDocument | undefined)[] => layers.map(({ entities }) => entities?.[each]);
  const general = generalTypeOf(type);
  const candidates: RuleDocument[] = [
    ...rulesOf(type),
    isIgnoredBy(profile, type) && !ownDetectors.has(detector) ? { action: 'ignore' as const } : undefined,
    ...(general === type ? [] : rulesOf(general)),
    ...layers.map((each) => each.default),
  ].filter((rule) => rule !== undefined);
  return {
    action: firstOf(candidates, (rule) => rule.action) ?? 'pseudonymize',
    threshold: firstOf(candidates, (rule) => ('threshold' in rule ? rule.threshold : undefined)),
  };
}

/**
 * Resolves the rules of types, each once: a policy decides about each span twice.
 * @returns as {@link resolveRule}
 */
export function rememberRules(
  layers: readonly Rules[],
  profile: Profile,
): (span: Pick<Span, 'type' | 'detector'>) => ResolvedRule {
  const byDetector = new Map<string, Map<EntityType, ResolvedRule>>();
  return ({ type, detector }) => {
    const known = byDetector.get(detector)?.get(type);
    if (known) return known;
    const rule = resolveRule(layers, profile, { type, detector });
    byDetector.set(detector, (byDetector.get(detector) ?? new Map<EntityType, ResolvedRule>()).set(type, rule));
    return rule;
  };
}

/** The first value that a source has. */
export function firstOf<Source, Value>(
  sources: readonly Source[],
  valueOf: (source: Source) => Value | undefined,
): Value | undefined {
  return sources.map(valueOf).find((value) => value !== undefined);
}
