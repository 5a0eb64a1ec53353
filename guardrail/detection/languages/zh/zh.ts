import type { Language } from '../language.ts';
import { chineseAddress, chineseNames } from './names.ts';

export const chinese: Language = {
  codes: ['zh'],
  context: {
    phone: '电话|電話|手机|手機|联系|聯絡',
    documentId: '身份证',
    username: '用户名|用户',
    birthAfter: '出生|生于|生(?![产產産成效活])',
    documentFiller: '号码|号|號碼|號|为|是',
    birth: '出生|生日',
    personName: '姓名|名字',
  },
  keywords: {
    document: '身份证',
    birth: '出生|生日',
    username: '用户',
    personName: '姓名|名字',
  },
  unspacedNames: chineseNames,
  unspacedAddress: chineseAddress,
  phonePlans: { expected: ['CN', 'TW', 'HK'] },
};
