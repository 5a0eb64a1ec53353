import type { Language } from '../language.ts';

export const danish: Language = {
  codes: ['da'],
  context: {
    documentId: '(?:kunde|medlems|sags|police|patient|kørekort|konto)(?:nummer|nr)',
    password: 'adgangskode|kodeord',
    birth: 'født|fødsels',
    month: 'januar|februar|marts|maj|juni|juli|oktober',
    username: 'brugernavn|bruger',
    personName: 'fornavn|efternavn',
    name: 'navn',
  },
  keywords: {
    document: ['kunde', 'medlem', 'sagsn', 'police', 'patient', 'korekort', 'konto'],
    birth: ['fod'],
    username: ['bruger'],
    personName: ['navn', 'fornavn', 'efternavn'],
    secret: ['adgangskode', 'kodeord'],
  },
  phonePlans: { expected: ['DK'] },
};
