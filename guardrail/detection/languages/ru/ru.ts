import type { Language } from '../language.ts';

export const russian: Language = {
  codes: ['ru'],
  context: {
    phone: String.raw`телефон|\bтел\b|звони|номер`,
    username: 'пользователь|логин|имя пользователя',
    password: 'пароль',
    birthAfter: String.raw`года? рождения|г\. ?р\.|родил(?:ся|ась)`,
    birth: String.raw`родил(?:ся|ась)|рождения|г\. ?р\.`,
    month: 'января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря',
  },
  keywords: { birth: 'родил|рожд|г. р|г.р', username: 'пользоват|логин|имя', secret: 'парол' },
  phonePlans: { expected: ['RU', 'KZ'] },
};
