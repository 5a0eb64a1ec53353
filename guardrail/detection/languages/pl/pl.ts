import type { Language } from '../language.ts';

export const polish: Language = {
  codes: ['pl'],
  context: {
    vat: String.raw`\bnip\b`,
  },
  phonePlans: { expected: ['PL'] },
};
