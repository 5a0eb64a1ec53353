import type { Language } from '../language.ts';

export const portuguese: Language = {
  codes: ['pt'],
  context: {
    phone: 'telemóvel|ligue',
  },
  phonePlans: { expected: ['PT'], expectedWithZero: ['BR'] },
};
