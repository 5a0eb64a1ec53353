import type { Language } from '../language.ts';

export const czech: Language = {
  codes: ['cs'],
  context: {
    documentId: String.raw`(?:číslo|č\.) (?:zákazníka|smlouvy|pojistky|občanského průkazu|pasu)|občanský průkaz`,
    username: 'uživatel(?:ské jméno)?',
    vat: String.raw`\bdi[čc]\b`,
    password: 'heslo',
    birth: String.raw`narozen|\bnar\.`,
    townParticle: 'u|nad|pod',
  },
  keywords: {
    document: 'zakaznika|smlouvy|pojistky|prukaz|pasu',
    birth: 'narozen|nar.',
    username: 'uzivatel',
    secret: 'heslo',
  },
  phonePlans: { expected: ['CZ'] },
};
