import type { Language } from '../language.ts';

export const indonesian: Language = {
  codes: ['id'],
  phonePlans: { expectedWithZero: ['ID'] },
};
