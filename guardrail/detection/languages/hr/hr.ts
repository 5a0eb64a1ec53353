import type { Language } from '../language.ts';

export const croatian: Language = {
  codes: ['hr'],
  phonePlans: { expectedWithZero: ['HR'] },
};
