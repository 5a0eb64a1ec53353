import type { Language } from '../language.ts';

export const greek: Language = {
  codes: ['el'],
  phonePlans: { expected: ['GR'] },
};
