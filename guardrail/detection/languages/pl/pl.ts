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
    documentId: String.raw`(?:numer|nr) (?:klienta|karty|pacjenta|polisy|umowy|pracownika|legitymacji)|umowa[^\n]{0,16} nr|dow[óo]d(?:em|u)?(?: osobist\w+)?|paszport\w{0,2}|polisa nr`,
    booking: String.raw`rezerwacj[aię]|kod rezerwacji`,
    name: 'imię i nazwisko|nazwa',
    plate: String.raw`rejestrac\w*`,
    cardExpiry: String.raw`ważn[aey] do`,
    home: String.raw`mieszka|zamieszkał[ay]|zam\.|ur\.|urodzon[ay]|pochodzi`,
    ownHome: String.raw`mieszkam|mieszkamy|pochodzę|urodził[ae]m się`,
    homePreposition: String.raw`w|we|z|ze`,
    town: String.raw`miasto|miejscowość|miejsce urodzenia`,
  },
  keywords: {
    booking: ['rezerwac', 'kod rez'],
    birth: ['urodz', 'ur.'],
    card: ['wazn'],
    plate: ['rejestr'],
    username: ['uzytkown', 'nazwa'],
    personName: ['imie', 'nazwisk'],
    secret: ['haslo'],
  },
  phonePlans: { expected: ['PL'] },
};
