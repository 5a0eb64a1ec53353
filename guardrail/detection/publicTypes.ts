import type { EntityType } from './contract.ts';

/** Types of values that identify no private person, and the type with which such a value shares its pseudonym. */
const generalTypes: ReadonlyMap<EntityType, EntityType> = new Map([
  ['PUBLIC_PERSON', 'PERSON'],
  ['PUBLIC_URL', 'URL'],
]);

/**
 * The type of a finding after the policy has decided: `PERSON` for `PUBLIC_PERSON`, `URL` for `PUBLIC_URL`, and otherwise the
 * type itself. It gives a value one pseudonym and one label in metrics, whether or not it is public.
 */
export const generalTypeOf = (type: EntityType): EntityType => generalTypes.get(type) ?? type;
