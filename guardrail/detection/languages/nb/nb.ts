import type { Language } from '../language.ts';

export const norwegian: Language = {
  codes: ['nb', 'no'],
  phonePlans: { expected: ['NO'] },
};
