import type { Language } from '../language.ts';

export const ukrainian: Language = {
  codes: ['uk'],
  context: {
    password: 'пароль',
    birth: 'народи(?:вся|лася)|народження',
    month: 'січня|лютого|березня|квітня|травня|червня|липня|серпня|вересня|жовтня|листопада|грудня',
    username: 'користувач|логін',
  },
  keywords: { birth: 'народ', username: 'користувач|логін', secret: 'парол' },
  phonePlans: { expectedWithZero: ['UA'] },
};
