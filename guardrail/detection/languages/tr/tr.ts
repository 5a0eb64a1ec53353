import type { Language } from '../language.ts';

export const turkish: Language = {
  codes: ['tr'],
  phonePlans: { expectedWithZero: ['TR'] },
};
