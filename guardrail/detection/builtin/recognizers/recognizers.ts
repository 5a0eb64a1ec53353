import type { Recognizer } from '../recognizer.ts';
import { births } from './birth.ts';
import { finance } from './finance.ts';
import { internet } from './internet.ts';
import { nationalIds } from './nationalIds.ts';
import { phones } from './phone.ts';
import { secrets } from './secrets.ts';

/** Everything that is recognized by its form. */
export const recognizers: readonly Recognizer[] = [
  ...internet,
  ...finance,
  ...secrets,
  ...nationalIds,
  ...phones,
  ...births,
];
