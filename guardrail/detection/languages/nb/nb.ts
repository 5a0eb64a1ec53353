import type { Language } from '../language.ts';

export const norwegian: Language = {
  codes: ['nb', 'no'],
  context: {
    numberWord:
      'første|andre|tredje|fjerde|femte|sjette|sjuende|åttende|niende|tiende|nitten|tjue|tretti|førti|femti|seksti|sytti|åtti|nitti|hundre|tusen',
    documentId: '(?:kunde|medlems|saks|polise|pasient|førerkort|konto)(?:nummer|nr)',
    password: 'passord',
    birth: 'født|fødsels',
    month: 'januar|februar|mars|mai|juni|juli|oktober|desember',
    username: 'brukernavn|bruker',
    personName: 'fornavn|etternavn',
    name: 'navn',
  },
  keywords: {
    document: 'kunde|medlem|saksn|polise|pasient|forerkort|konto',
    secret: 'passord',
    birth: 'fod',
    username: 'bruker',
    personName: 'navn|fornavn|etternavn',
  },
  phonePlans: { expected: ['NO'] },
};
