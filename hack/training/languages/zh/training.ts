import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const chineseTraining = {
  names: {
    given:
      split(`Wei Fang Jing Min Lei Yang Yan Jie Juan Tao Ming Chao Xia Ping Gang Qiang Jun Yong Bin Xin Hao Yu Xue Ling
      Mei Hui Xiaoming Xiaoli Jianhua Guoqiang Zhiwei Yifan Zihan Haoran Yuxuan Mingze Yuchen Siyu Jiayi Wenjing Xiuying
      Lihua Weimin Shuang Qian Peng Bo Kai Long Feng Dan Na Ting Rui`),
    family:
      split(`Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Gao Luo Zheng Liang Xie Tang Song
      Deng Han Feng Cao Peng Zeng Xiao Tian Dong Pan Yuan Cai Jiang Yu Du Ye Cheng Wei Su Lu Ding Ren Shen Yao`),
  },
} satisfies TrainingLanguage;
