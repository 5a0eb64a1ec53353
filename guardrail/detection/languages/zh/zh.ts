import type { Language } from '../language.ts';

export const chinese: Language = {
  codes: ['zh'],
  context: {
    phone: '电话|電話|手机|手機|联系|聯絡',
    documentId: '身份证',
  },
  phonePlans: { expected: ['CN', 'TW', 'HK'] },
};
