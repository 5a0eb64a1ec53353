import { nationalIds } from './country/nationalIds.ts';
import { tables } from './generic/columns.ts';
import { coordinates } from './generic/coordinates.ts';
import { datesOfBirth } from './generic/dateOfBirth.ts';
import { documents } from './generic/documents.ts';
import { finance } from './generic/finance.ts';
import { internet } from './generic/internet.ts';
import { names } from './generic/names.ts';
import { phones } from './generic/phone.ts';
import { postalCodes } from './generic/postalCodes.ts';
import { proseSecrets } from './generic/proseSecrets.ts';
import { records } from './generic/records.ts';
import { secrets } from './generic/secrets.ts';
import { spokenNumbers } from './generic/spokenNumbers.ts';
import { streets } from './generic/streets.ts';
import { unspaced } from './generic/unspacedNames.ts';
import { usernames } from './generic/usernames.ts';
import { vehicles } from './generic/vehicles.ts';
import type { EntityType, RuleId } from '../contract.ts';
import type { Recognizer } from './recognizer.ts';

/**
 * All recognizers. To add one: docs/detection.md#add-a-recognizer.
 * @param languages ISO 639-1 codes of the expected languages: see {@link phones}.
 */
export const recognizersFor = (languages: readonly string[] = []): readonly Recognizer[] => [
  ...internet,
  ...finance,
  ...secrets,
  ...proseSecrets,
  ...nationalIds,
  ...documents,
  ...phones(languages),
  spokenNumbers,
  ...datesOfBirth,
  ...coordinates,
  ...postalCodes,
  streets,
  ...records,
  ...vehicles,
  ...usernames,
  ...names,
  ...unspaced,
  ...tables,
];

/** All types that recognizers find. */
export const recognizedTypes = (): readonly EntityType[] => [
  ...new Set(recognizersFor().flatMap(({ type, otherTypes = [] }) => [type, ...otherTypes])),
];

/** The rules of all recognizers, in the order in which they run. */
export const recognizedRules = (): readonly RuleId[] => [
  ...new Set(recognizersFor().flatMap(({ rule, otherRules = [] }) => [rule, ...otherRules])),
];
