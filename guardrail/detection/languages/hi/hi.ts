import type { Language } from '../language.ts';

export const hindi: Language = {
  codes: ['hi'],
  phonePlans: { expected: ['IN'] },
};
