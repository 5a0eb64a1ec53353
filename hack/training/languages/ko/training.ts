import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const koreanTraining = {
  names: {
    given:
      split(`Minjun Seojun Doyun Jiho Jihoon Hyunwoo Junseo Sungmin Donghyun Jaehyun Minseok Youngho Sangwoo Seoyeon Jiwoo
      Minji Soojin Hyejin Eunji Yuna Jisoo Haeun Sooyoung Minseo Chaewon Yeji Kyungsoo Taehyung Seungho Jungkook Hyun-woo
      Ji-hoon Min-jun Soo-jin Eun-ji Young-ho`),
    family: split(
      'Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim Han Oh Seo Shin Kwon Hwang Ahn Song Yoo Hong Jeon Moon Bae Baek Nam',
    ),
  },
} satisfies TrainingLanguage;
