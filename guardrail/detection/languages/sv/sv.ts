import type { Language } from '../language.ts';

export const swedish: Language = {
  codes: ['sv'],
  context: {
    phone: 'ring mig|telefonnummer',
    card: 'kort',
    password: 'lösenord',
    plate: String.raw`registreringsnummer|reg\.?nr`,
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
    cardExpiry: String.raw`giltig(?:t)? (?:till|t\.?o\.?m)`,
  },
  keywords: {
    booking: ['bokning'],
    birth: ['fod'],
    card: ['giltig'],
    username: ['anvand'],
    personName: ['namn', 'fornamn', 'efternamn'],
    secret: ['losenord'],
    plate: ['reg', 'regist'],
  },
  phonePlans: { always: ['SE'], expectedWithZero: ['FI'] },
};
