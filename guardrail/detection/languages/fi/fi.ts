import type { Language } from '../language.ts';

export const finnish: Language = {
  codes: ['fi'],
  context: {
    phone: 'puhelin',
    username: 'käyttäjä(?:tunnus|nimi)',
    password: 'salasana',
    birthAfter: 'syntynyt',
    birth: 'syntynyt|syntymä',
    personName: 'etunimi|sukunimi',
    name: 'nimi',
  },
  keywords: {
    birth: 'synty',
    username: 'kayttaj',
    personName: 'nimi|etunimi|sukunimi',
    secret: 'salasana',
  },
  phonePlans: { expectedWithZero: ['FI'] },
};
