import type { Language } from '../language.ts';

export const czech: Language = {
  codes: ['cs'],
  context: {
    vat: String.raw`\bdi[čc]\b`,
  },
  phonePlans: { expected: ['CZ'] },
};
