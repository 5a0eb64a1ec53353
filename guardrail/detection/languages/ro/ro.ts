import type { Language } from '../language.ts';

export const romanian: Language = {
  codes: ['ro'],
  phonePlans: { expectedWithZero: ['RO'] },
};
