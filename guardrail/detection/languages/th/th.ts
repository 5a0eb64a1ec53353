import type { Language } from '../language.ts';

export const thai: Language = {
  codes: ['th'],
  phonePlans: { expectedWithZero: ['TH'] },
};
