import type { Language } from '../language.ts';

export const slovak: Language = {
  codes: ['sk'],
  phonePlans: { expectedWithZero: ['SK'] },
};
