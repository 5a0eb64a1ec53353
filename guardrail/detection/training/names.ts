/** Common names that no package lists: romanised Asian, Arabic, Hebrew, Icelandic. Written from general knowledge. */
const split = (names: string): string[] => names.trim().split(/\s+/);

export const handNames = {
  ja: {
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
  zh: {
    given:
      split(`Wei Fang Jing Min Lei Yang Yan Jie Juan Tao Ming Chao Xia Ping Gang Qiang Jun Yong Bin Xin Hao Yu Xue Ling
      Mei Hui Xiaoming Xiaoli Jianhua Guoqiang Zhiwei Yifan Zihan Haoran Yuxuan Mingze Yuchen Siyu Jiayi Wenjing Xiuying
      Lihua Weimin Shuang Qian Peng Bo Kai Long Feng Dan Na Ting Rui`),
    family:
      split(`Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Gao Luo Zheng Liang Xie Tang Song
      Deng Han Feng Cao Peng Zeng Xiao Tian Dong Pan Yuan Cai Jiang Yu Du Ye Cheng Wei Su Lu Ding Ren Shen Yao`),
  },
  ko: {
    given:
      split(`Minjun Seojun Doyun Jiho Jihoon Hyunwoo Junseo Sungmin Donghyun Jaehyun Minseok Youngho Sangwoo Seoyeon Jiwoo
      Minji Soojin Hyejin Eunji Yuna Jisoo Haeun Sooyoung Minseo Chaewon Yeji Kyungsoo Taehyung Seungho Jungkook Hyun-woo
      Ji-hoon Min-jun Soo-jin Eun-ji Young-ho`),
    family: split(
      'Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim Han Oh Seo Shin Kwon Hwang Ahn Song Yoo Hong Jeon Moon Bae Baek Nam',
    ),
  },
  ar: {
    given:
      split(`Mohammed Muhammad Ahmed Ali Omar Hassan Hussein Khalid Abdullah Ibrahim Yusuf Mustafa Mahmoud Karim Tariq Samir
      Faisal Walid Nasser Bilal Hamza Jamal Rashid Salim Ziad Anwar Fadi Rami Sami Tarek Fatima Aisha Maryam Zainab Layla Nour
      Amira Salma Yasmin Huda Rania Dalia Samira Noura Khadija Hanan Mona Reem Lina Sara Nadia Farah Ghada Iman Rasha`),
    family:
      split(`Al-Masri Haddad Khoury Mansour Nasser Saleh Hamdan Qasim Darwish Farouk Hijazi Najjar Sabbagh Shaheen Awad
      Al-Sayed El-Amin Bishara Aziz Rahman Khan Malik Siddiqui Hussain Sheikh Qureshi Chaudhry Mirza Ansari Hashemi Rahimi
      Ahmadi Karimi Mohammadi Hosseini Jafari Moradi Al-Rashid Benali Bouzid Cherif Mansouri Zahra Toumi Haddou`),
  },
  he: {
    given: split(
      'Noam Ariel Eitan Itai Yosef Moshe Avi Yael Tamar Noa Shira Maya Adi Michal Hila Rivka Chaim Shlomo Dov Gil Ronen Orly Liat Nir',
    ),
    family: split(
      'Cohen Levi Mizrahi Peretz Biton Dahan Avraham Friedman Malka Azoulay Katz Yosef David Amar Ohana Hadad Gabay Shapira Rosenberg Golan',
    ),
  },
  is: {
    given:
      split(`Jón Sigurður Guðmundur Gunnar Ólafur Einar Magnús Kristján Stefán Jóhann Björn Árni Helgi Þór Ragnar Bjarni Páll
      Haukur Hjalti Þorsteinn Guðrún Anna Kristín Sigríður Margrét Helga Sigrún Ingibjörg Jóhanna María Katrín Hildur Elín Ásta
      Ragnheiður Guðbjörg Erla Birna Unnur Þóra Sólveig Halla Ása Auður Vigdís`),
    family:
      split(`Jónsson Jónsdóttir Sigurðsson Sigurðardóttir Guðmundsson Guðmundsdóttir Gunnarsson Gunnarsdóttir Ólafsson
      Ólafsdóttir Einarsson Einarsdóttir Magnússon Magnúsdóttir Kristjánsson Kristjánsdóttir Stefánsson Björnsson Björnsdóttir
      Árnason Árnadóttir Helgason Helgadóttir Ragnarsson Bjarnason Pálsson Pálsdóttir Hauksson Þorsteinsson Þorsteinsdóttir`),
  },
} as const;

/** Short and affectionate forms of given names. */
export const nicknames =
  split(`Bob Bill Jim Tom Tim Tony Mike Nick Dave Steve Greg Jeff Ken Ron Don Dan Ben Sam Joe Jon Matt Andy
  Chris Alex Pat Kate Katie Liz Beth Sue Jen Jenny Meg Maggie Becky Debbie Cindy Mandy Sandy Vicky Nicky Trish Gabby Izzy Tess
  Gus Gabe Zach Josh Nate Jake Luke Max Leo Theo Teddy Eddie Freddie Charlie Frankie Ollie Archie Alfie Hans Fritz Uli Toni Basti
  Nele Mia Lena Gigi Pepe Paco Nacho Lola Chus Pilar Beppe Gianni Nino Luca Jip Joop Kees Piet Jaap Anneke Sanne Lotte Femke
  Kalle Lasse Nisse Pelle Svenja Björn Jörg Jürgen Günther Käthe Zoë Chloé Renée José André François Zsófi Kasia Gosia Tomek`);
