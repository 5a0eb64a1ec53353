import type { Language } from '../language.ts';

export const swedish: Language = {
  codes: ['sv'],
  context: {
    phone: 'ring mig|telefonnummer',
    card: 'kort',
    password: 'lösenord',
    plate: 'registreringsnummer',
    birth: 'född',
    month: 'augusti',
    driverLicense: 'k[öo]rkort',
    passport: 'passnummer',
    vat: String.raw`\bmoms\b`,
  },
  keywords: {
    secret: ['losenord'],
    plate: ['regist'],
  },
  phonePlans: { always: ['SE'], expectedWithZero: ['FI'] },
};
