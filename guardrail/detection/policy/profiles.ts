import type { EntityType } from '../contract.ts';

/** The profiles, by the values of the setting. */
export const profiles = ['personal', 'confidential'] as const;

/**
 * Which entity types are replaced if the policy does not name them: `personal` replaces what identifies a private person,
 * `confidential` everything that is found.
 */
export type Profile = (typeof profiles)[number];

export const defaultProfile: Profile = 'personal';

/** The types that each profile leaves unchanged. Those that the built-in detector does not find come from Presidio. */
const ignored: Readonly<Record<Profile, ReadonlySet<EntityType>>> = {
  personal: new Set([
    ...['LOCATION', 'GPE', 'FACILITY'],
    'ORGANIZATION',
    'PUBLIC_PERSON',
    ...['PUBLIC_URL', 'DOMAIN_NAME'],
    ...['NRP', 'NATIONALITY', 'LANGUAGE'],
    ...['DATE_TIME', 'DATE'],
  ]),
  confidential: new Set(),
};

/** Whether a profile leaves a type unchanged. A rule of the policy for this type precedes the profile. */
export const isIgnoredBy = (profile: Profile, type: EntityType): boolean => ignored[profile].has(type);
