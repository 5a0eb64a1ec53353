import type { Language } from '../language.ts';

export const hebrew: Language = {
  codes: ['he'],
  phonePlans: { expectedWithZero: ['IL'] },
};
