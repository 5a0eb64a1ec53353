import type { Language } from '../language.ts';

export const korean: Language = {
  codes: ['ko'],
  context: {
    phone: '전화|휴대',
  },
  phonePlans: { expectedWithZero: ['KR'] },
};
