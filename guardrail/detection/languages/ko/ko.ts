import type { Language } from '../language.ts';
import { koreanAddress, koreanNames } from './names.ts';

export const korean: Language = {
  codes: ['ko'],
  context: {
    phone: '전화|휴대',
    username: '사용자(?:명| 이름)?',
    birthAfter: '생(?![산성활])|출생|에 태어',
    birth: '생년월일|생일|출생',
    personName: '성명|이름',
  },
  keywords: { birth: '생년|생일|일생|출생', username: '사용자', personName: '성명|이름' },
  unspacedNames: koreanNames,
  unspacedAddress: koreanAddress,
  phonePlans: { expectedWithZero: ['KR'] },
};
