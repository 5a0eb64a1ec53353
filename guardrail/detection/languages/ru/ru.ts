import type { Language } from '../language.ts';

export const russian: Language = {
  codes: ['ru'],
  context: {
    phone: String.raw`телефон|\bтел\b|звони|номер`,
  },
  phonePlans: { expected: ['RU', 'KZ'] },
};
