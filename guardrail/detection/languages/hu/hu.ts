import type { Language } from '../language.ts';

export const hungarian: Language = {
  codes: ['hu'],
  context: {
    password: 'jelszó',
    birthAfter: 'született|születtem',
    birth: 'született|születési',
    username: 'felhasználó(?:név)?',
  },
  keywords: { birth: 'szulet', username: 'felhaszn', secret: 'jelszo' },
  phonePlans: { expected: ['HU'] },
};
