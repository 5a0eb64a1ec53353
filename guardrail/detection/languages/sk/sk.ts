import type { Language } from '../language.ts';

export const slovak: Language = {
  codes: ['sk'],
  context: {
    password: 'heslo',
    birth: 'narodený|narodená|narodenia',
  },
  keywords: { birth: 'naroden', secret: 'heslo' },
  phonePlans: { expectedWithZero: ['SK'] },
};
