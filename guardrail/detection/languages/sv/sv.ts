import type { Language } from '../language.ts';

export const swedish: Language = {
  codes: ['sv'],
  context: {
    phone: 'ring mig|telefonnummer',
    card: 'kort',
    password: 'lösenord',
    plate: 'registreringsnummer',
    driverLicense: 'k[öo]rkort',
    passport: 'passnummer',
    username: 'användar(?:namn|e)',
    vat: String.raw`\bmoms\b`,
    birth: 'född|födelse',
    month: 'januari|februari|maj|juni|juli|augusti|oktober',
    personName: 'förnamn|efternamn',
  },
  keywords: { username: ['anvand'], personName: ['fornamn', 'efternamn'], secret: ['losenord'], plate: ['regist'] },
  phonePlans: { always: ['SE'], expectedWithZero: ['FI'] },
};
