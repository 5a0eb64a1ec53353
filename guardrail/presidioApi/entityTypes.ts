/** The two-way table between our entity types and Presidio's. */
import { generalTypeOf, type EntityType } from '../detection/detection.ts';

/** Our types that Presidio calls something else. All others have the same name, or only one of us has them. */
const PRESIDIO_TYPES: ReadonlyMap<EntityType, string> = new Map([
  ['ADDRESS', 'LOCATION'],
  ['DATE', 'DATE_TIME'],
  ['DATE_OF_BIRTH', 'DATE_TIME'],
  ['ZA_ID', 'ZA_ID_NUMBER'],
]);

/** Presidio's name of our type. */
export function presidioTypeOf(type: EntityType): string {
  const general = generalTypeOf(type);
  return PRESIDIO_TYPES.get(general) ?? general;
}

/** Our types of which a caller asks with one name: Presidio's, or ours. */
export function ownTypesOf(asked: string): readonly EntityType[] {
  return [asked, ...[...PRESIDIO_TYPES].flatMap(([own, name]) => (name === asked ? [own] : []))];
}

/** The name under which a caller gets a type: ours if it asks with that, otherwise Presidio's. */
export function reportedTypeOf(type: EntityType, asked: ReadonlySet<string> | undefined): string {
  const name = presidioTypeOf(type);
  return asked?.has(type) && !asked.has(name) ? type : name;
}
