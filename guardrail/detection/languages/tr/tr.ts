import type { Language } from '../language.ts';

export const turkish: Language = {
  codes: ['tr'],
  context: {
    password: 'şifre|parola',
    birthAfter: 'doğumlu|doğdu',
    birth: 'doğum|doğdu',
    month: 'ocak|şubat|mart|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık',
    username: 'kullanıcı(?: adı)?',
  },
  keywords: { birth: 'dogum|dogdu', username: 'kullan', secret: 'sifre|parola' },
  phonePlans: { expectedWithZero: ['TR'] },
};
