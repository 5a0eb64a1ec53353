import type { Language } from '../language.ts';

export const ukrainian: Language = {
  codes: ['uk'],
  phonePlans: { expectedWithZero: ['UA'] },
};
