import type { Language } from '../language.ts';

export const finnish: Language = {
  codes: ['fi'],
  context: {
    phone: 'puhelin',
  },
  phonePlans: { expectedWithZero: ['FI'] },
};
