import type { Language } from '../language.ts';

export const japanese: Language = {
  codes: ['ja'],
  context: {
    phone: '電話|携帯|連絡',
  },
  phonePlans: { expectedWithZero: ['JP'] },
};
