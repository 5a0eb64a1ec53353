import type { Language } from '../language.ts';

export const polish: Language = {
  codes: ['pl'],
  context: {
    username: 'użytkownik|nazwa użytkownika',
    vat: String.raw`\bnip\b`,
    password: 'hasło',
    birth: String.raw`urodz(?:ony|ona|enia|iny)|\bur\.`,
    month: 'stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia',
    personName: 'imi[ęe]|nazwisko|imi[ęe] i nazwisko',
  },
  keywords: { username: ['uzytkown', 'nazwa'], personName: ['imie', 'nazwisk'], secret: ['haslo'] },
  phonePlans: { expected: ['PL'] },
};
