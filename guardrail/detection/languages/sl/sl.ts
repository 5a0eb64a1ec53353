import type { Language } from '../language.ts';

export const slovenian: Language = {
  codes: ['sl'],
  phonePlans: { expectedWithZero: ['SI'] },
};
