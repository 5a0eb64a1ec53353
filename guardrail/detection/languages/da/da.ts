import type { Language } from '../language.ts';

export const danish: Language = {
  codes: ['da'],
  phonePlans: { expected: ['DK'] },
};
