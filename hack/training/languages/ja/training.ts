import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const japaneseTraining = {
  names: {
    given:
      split(`Haruto Yuto Sota Haruki Ren Minato Hiroshi Takashi Kenji Kenta Daiki Akira Satoshi Takumi Kazuki Shota Ryo
      Makoto Naoki Yusuke Koji Tetsuya Masaru Osamu Isamu Goro Jiro Ichiro Saburo Hideo Yoshio Kiyoshi Yuki Sakura Hina Yui
      Aoi Rin Mio Akari Emi Keiko Yoko Naoko Tomoko Michiko Sachiko Haruka Misaki Ayaka Chiyo Kaori Mayumi Noriko Reiko
      Setsuko Yumi Asuka Chihiro Kanako Mariko Natsuki Rika Shiori Tomomi Yoshiko Takahiro Nobuyuki Masahiro Katsumi Hayato`),
    family:
      split(`Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato Yoshida Yamada Sasaki Yamaguchi
      Matsumoto Inoue Kimura Hayashi Shimizu Yamazaki Mori Abe Ikeda Hashimoto Yamashita Ishikawa Nakajima Maeda Fujita Ogawa
      Goto Okada Hasegawa Murakami Kondo Ishii Saito Sakamoto Endo Aoki Fujii Nishimura Fukuda Ota Miura Fujiwara Okamoto
      Matsuda Nakagawa Nakano Harada Ono Tamura Takeuchi Kaneko Wada Nakayama Ishida Ueda Morita Hara Shibata Sakai Kudo`),
  },
} satisfies TrainingLanguage;
