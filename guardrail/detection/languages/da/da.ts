import type { Language } from '../language.ts';

export const danish: Language = {
  codes: ['da'],
  context: {
    numberWord:
      'første|anden|tredje|fjerde|femte|sjette|syvende|ottende|niende|tiende|et|en|to|tre|fire|fem|seks|syv|otte|ni|ti|elleve|tolv|nitten|tyve|og|tredive|fyrre|halvtreds|tres|halvfjerds|firs|halvfems|hundrede|tusind',
    documentId: '(?:kunde|medlems|sags|police|patient|kørekort|konto)(?:nummer|nr)',
    password: 'adgangskode|kodeord',
    birth: String.raw`født|fødsels`,
    month: 'januar|februar|marts|maj|juni|juli|oktober',
    username: 'brugernavn|bruger(?:-?id)?',
    personName: 'fornavn|efternavn',
    name: 'navn',
  },
  keywords: {
    document: 'kunde|medlem|sagsn|police|patient|korekort|konto',
    birth: 'fod',
    username: 'bruger',
    personName: 'navn|fornavn|efternavn',
    secret: 'adgangskode|kodeord',
  },
  phonePlans: { expected: ['DK'] },
};
