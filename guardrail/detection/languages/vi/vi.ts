import type { Language } from '../language.ts';

export const vietnamese: Language = {
  codes: ['vi'],
  phonePlans: { expectedWithZero: ['VN'] },
};
