import type { Language } from '../language.ts';

export const czech: Language = {
  codes: ['cs'],
  context: {
    username: 'uživatel(?:ské jméno)?',
    vat: String.raw`\bdi[čc]\b`,
    password: 'heslo',
    birth: String.raw`narozen|\bnar\.`,
  },
  keywords: { birth: ['narozen', 'nar.'], username: ['uzivatel'], secret: ['heslo'] },
  phonePlans: { expected: ['CZ'] },
};
