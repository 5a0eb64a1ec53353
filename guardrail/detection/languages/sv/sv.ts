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
    documentId: String.raw`(?:anst(?:[äa]llnings)?|kund|medlems|f[öo]rs[äa]krings|avtals|prio)[.-]? ?n(?:umme)?r`,
    booking: String.raw`bokning(?:skod|snummer)?`,
    name: 'namn',
  },
  keywords: {
    username: ['anvand'],
    personName: ['namn', 'fornamn', 'efternamn'],
    secret: ['losenord'],
    plate: ['regist'],
  },
  phonePlans: { always: ['SE'], expectedWithZero: ['FI'] },
};
