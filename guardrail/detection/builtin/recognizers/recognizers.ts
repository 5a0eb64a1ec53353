import type { Recognizer } from '../recognizer.ts';
import { belongings } from './belongings.ts';
import { births } from './birth.ts';
import { coordinates } from './coordinates.ts';
import { finance } from './finance.ts';
import { internet } from './internet.ts';
import { nationalIds } from './nationalIds.ts';
import { phones } from './phone.ts';
import { secrets } from './secrets.ts';

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
