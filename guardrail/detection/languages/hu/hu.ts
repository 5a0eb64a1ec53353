import type { Language } from '../language.ts';

export const hungarian: Language = {
  codes: ['hu'],
  phonePlans: { expected: ['HU'] },
};
