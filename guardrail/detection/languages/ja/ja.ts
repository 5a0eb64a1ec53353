import type { Language } from '../language.ts';
import { japaneseAddress, japaneseNames } from './names.ts';

export const japanese: Language = {
  codes: ['ja'],
  context: {
    phone: '電話|携帯|連絡',
    username: 'ユーザー名|ユーザー',
    birthAfter: '生まれ|生(?![产產産成效活])',
    birth: '生年月日|生まれ|誕生日',
    personName: '氏名|姓名|名前',
  },
  keywords: { birth: '生年|生ま|誕生', username: 'ユーザ', personName: '氏名|姓名|名前' },
  unspacedNames: japaneseNames,
  unspacedAddress: japaneseAddress,
  phonePlans: { expectedWithZero: ['JP'] },
};
