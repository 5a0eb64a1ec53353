import type { Recognizer } from './recognizer.ts';
import { belongings } from './generic/vehicles.ts';
import { births } from './generic/dateOfBirth.ts';
import { coordinates } from './generic/coordinates.ts';
import { finance } from './generic/finance.ts';
import { internet } from './generic/internet.ts';
import { nationalIds } from './country/country.ts';
import { phones } from './generic/phone.ts';
import { secrets } from './generic/secrets.ts';

/**
 * Everything that is recognized by its form.
 * @param languages ISO 639-1 codes of languages that are expected: see {@link phones}.
 */
export const recognizersFor = (languages: readonly string[] = []): readonly Recognizer[] => [
  ...internet,
  ...finance,
  ...secrets,
  ...nationalIds,
  ...phones(languages),
  ...births,
  ...coordinates,
  ...belongings,
];
