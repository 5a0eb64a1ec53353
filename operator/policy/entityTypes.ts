/** Finds rules for entity types that nothing can find, which are most often misspelled. Pure. */
import { knownTypes, type PolicyProblem } from '../../guardrail/guardrail.ts';
import type { GuardrailPolicySpec, TeamPolicy } from '../api/v1alpha1/v1alpha1.ts';

/** The type of a deny entry that names none. */
const deniedType = 'DENIED';

const text =
  'is an entity type that nothing finds: correct its spelling, add a recognizer or a deny entry of this type, or list it in spec.additionalEntityTypes';

/** The fields that name an unknown type, by their paths in the policy file. */
export function unknownTypes(spec: GuardrailPolicySpec): PolicyProblem[] {
  const found = typesOf(spec);
  const teams = Object.entries(spec.teams ?? {}).map(([name, rules]) => [['teams', name], rules] as const);
  return [[[], spec] as const, ...teams].flatMap(([path, rules]) =>
    namedTypes(rules)
      .filter(([, type]) => !found.has(type))
      .map(([at]) => ({ path: [...path, ...at], text })),
  );
}

/** All types that values can have under this policy. */
function typesOf({
  additionalEntityTypes = [],
  recognizers = [],
  deny = [],
  teams = {},
}: GuardrailPolicySpec): Set<string> {
  const denied = [deny, ...Object.values(teams).map((team) => team.deny ?? [])].flat();
  return new Set([
    ...knownTypes,
    ...additionalEntityTypes,
    ...recognizers.map(({ type }) => type),
    ...denied.map(({ type = deniedType }) => type),
  ]);
}

/** The types that rules and allow entries name, with the paths of the fields. */
function namedTypes({ entities = {}, allow = [] }: TeamPolicy): (readonly [readonly (string | number)[], string])[] {
  const ofRules = Object.keys(entities).map((type) => [['entities', type], type] as const);
  const ofEntries = allow.flatMap(({ types = [] }, index) =>
    types.map((type, at) => [['allow', index, 'types', at], type] as const),
  );
  return [...ofRules, ...ofEntries];
}
