import type { Language } from '../language.ts';

export const romanian: Language = {
  codes: ['ro'],
  context: {
    password: 'parol[aă]',
    birth: 'născut|naștere',
    username: 'utilizator',
  },
  keywords: { birth: 'nascut|naster', username: 'utilizator', secret: 'parol' },
  phonePlans: { expectedWithZero: ['RO'] },
};
