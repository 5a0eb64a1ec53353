/**
 * The rule for `unspaced.txt.gz`: names of people and places in Chinese, Japanese and Korean, and the common words that look like
 * them, from dictionaries of programs that split texts into words.
 */

/** The shortest and the longest entry of a dictionary of MeCab, in bytes. */
const SHORTEST = 6;
const LONGEST_ENTRY = 400;

/** Lists of words, as the letters of an entry: family name, given name, region, ordinary word. */
type List = 'f' | 'g' | 'r' | 'o';

/** An entry of a dictionary of MeCab: sorts of the word, from general to special, and the word. */
export interface MecabEntry {
  readonly sorts: readonly string[];
  readonly word: string;
}

/**
 * The entries of a compiled dictionary of MeCab: texts with commas between zero bytes.
 * @param fields the index of the first field with a sort, and of the field with the word
 */
export function mecabEntries(
  dictionary: Buffer,
  { sorts, word }: { readonly sorts: number; readonly word: number },
): MecabEntry[] {
  const entries: MecabEntry[] = [];
  for (let from = 0; from < dictionary.length;) {
    const end = dictionary.indexOf(0, from);
    const to = end < 0 ? dictionary.length : end;
    if (to - from > SHORTEST && to - from < LONGEST_ENTRY) {
      const fields = dictionary.toString('utf8', from, to).split(',');
      if (fields.length > word + 2) entries.push({ sorts: fields.slice(sorts, word), word: fields[word] ?? '' });
    }
    from = to + 1;
  }
  return entries;
}

/** The entries of the dictionary of jieba, one a line. */
export const jiebaEntries = (dictionary: string): JiebaEntry[] =>
  dictionary.split('\n').flatMap((line) => {
    const [word = '', count, tag = ''] = line.split(' ');
    return tag === '' ? [] : [{ word, count: Number(count), tag }];
  });

/** An entry of the dictionary of jieba. */
export interface JiebaEntry {
  readonly word: string;
  /** How often texts had it. */
  readonly count: number;
  readonly tag: string;
}

export interface Dictionaries {
  readonly japanese: readonly MecabEntry[];
  readonly korean: readonly MecabEntry[];
  readonly chinese: readonly JiebaEntry[];
}

/** Family names of one character, of the whole language area, and those of two. */
const chineseFamilies = new Set([
  ...Array.from(
    '王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海阚花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辜羊阿乌母裘亓修邰赫杭况那宿鲜印逯隆茹诺战慕危玉银亢嵇公哈湛宾戎勾茅利於呼居揭干但尉冶斯元束檀衣信展阴昝智幸奉植衡富尧闭由弓宓家山巢年庾弘戢扶拓暨木杞杳殳水汲沃泰洪滑濮燮爱璩皇空竺笪籍糜终经缑羿耶胜能芈苍荀莘蒯蓟蓬蔚蕉融衷言谯赏赖轩辕邴郏郗郦酆钭钮阎雪鞏韶顶须颛鱼麴',
  ),
  ...Array.from(
    '張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧蕭袁蔣葉蘇魏呂盧鐘鍾譚陸賈韋鄒閆龍賀顧龔萬錢嚴湯齊喬龐顏莊聶魯歐關蘭單畢駱藍喻祁饒農繆簡車項連蘆麥婁竇黨宮費衛師應閔鄔邊榮欒巫寇鄺談樂鬱儲勞諶樓盤滿聞厲區闞練豐國計時來況戰賓陰賴閻須黨',
  ),
  ...[
    '欧阳',
    '上官',
    '司马',
    '诸葛',
    '司徒',
    '夏侯',
    '皇甫',
    '尉迟',
    '公孙',
    '慕容',
    '长孙',
    '宇文',
    '令狐',
    '东方',
    '南宫',
  ],
  ...['百里', '端木', '轩辕', '独孤', '歐陽', '司馬', '諸葛', '東方', '南宮', '張簡', '范姜'],
]);
/** The same. Rare ones are left out where they are parts of many words. */
const koreanFamilies = new Set([
  ...Array.from(
    '가간갈감강견경고공곽교구국군궁권근금기길김나남낭내노논뇌누단담당대도독동두류마만망매맹명모목묘묵문미민박반방배백범변복봉부비빈빙사산삼상서석선설섭성소손송수순승시신심아안애야양어엄여연염엽영예오옥온옹왕요용우운원위유육윤은음이인임자장저전점정제조종좌주준지진차창채천초최추탁탄탕태판팽편평포표피하학한함해허현형호홍화황',
  ),
  ...['남궁', '황보', '제갈', '사공', '선우', '서문', '독고', '동방'],
]);

/** The most characters of a word. */
const LONGEST = 4;
/** A given name that is counted in full names: in how many of them. */
const least = { chinese: 2, korean: 8 } as const;
/** How often texts had a common word of two characters that does not look like a name. */
const LEAST_COUNT = 100;
/** The same of one that looks like a name. */
const LEAST_LIKE = 20;

const kana = /^[\u3005\u3041-\u30ff\u3400-\u9fff]+$/;
const han = /^[\u3400-\u9fff]+$/;
const hangul = /^[\uac00-\ud7a3]+$/;

/** How many full names of three characters have each given name. */
function givenNames(fullNames: readonly string[], families: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of fullNames) {
    if (name.length !== 3 || !families.has(name.charAt(0))) continue;
    const given = name.slice(1);
    counts.set(given, (counts.get(given) ?? 0) + 1);
  }
  return counts;
}

/** @returns the entries of the corpus: the letters of the lists of a word, a space, and the word; sorted by words. */
export function unspacedCorpus({ japanese, korean, chinese }: Dictionaries): string[] {
  const lists = new Map<string, Set<List>>();
  const add = (word: string, list: List): void => {
    if (word.length > LONGEST) return;
    const own = lists.get(word);
    if (own) own.add(list);
    else lists.set(word, new Set([list]));
  };
  const addGiven = (counts: ReadonlyMap<string, number>, fewest: number): void => {
    for (const [word, count] of counts) if (count >= fewest) add(word, 'g');
  };
  const written = {
    japanese: japanese.filter(({ word }) => kana.test(word)),
    korean: korean.filter(({ word }) => hangul.test(word)),
    chinese: chinese.filter(({ word }) => han.test(word)),
  };
  for (const word of [...chineseFamilies, ...koreanFamilies]) add(word, 'f');
  const full = written.chinese.filter(({ tag }) => tag === 'nr').map(({ word }) => word);
  addGiven(givenNames(full, chineseFamilies), least.chinese);
  const people = written.korean.filter(({ sorts }) => sorts[1] === '인명').map(({ word }) => word);
  addGiven(givenNames(people, koreanFamilies), least.korean);
  for (const { word, sorts } of written.japanese) {
    if (sorts[2] !== '人名') continue;
    if (sorts[3] === '姓') add(word, 'f');
    if (sorts[3] === '名') add(word, 'g');
  }

  const names = new Map(Array.from(lists, ([word, own]) => [word, new Set(own)]));
  const looksLikeName = (word: string): boolean =>
    names.has(word) ||
    Array.from(word, (_, at) => at).some(
      (at) => names.get(word.slice(0, at))?.has('f') === true && names.get(word.slice(at))?.has('g') === true,
    );
  const isName = /^n(?:r|rt|rfg|s|t|z)$|^zg$/;
  for (const { word, count, tag } of written.chinese) {
    if (tag === 'ns') {
      if (looksLikeName(word) || word.length === 2 || word.length === 3) add(word, 'r');
    } else if (!isName.test(tag) && word.length > 1) {
      if (word.length === 2 && count >= LEAST_COUNT) add(word, 'o');
      else if (count >= LEAST_LIKE && looksLikeName(word)) add(word, 'o');
    }
  }
  for (const { word, sorts } of written.japanese) {
    if (!looksLikeName(word)) continue;
    if (sorts[2] === '地域') add(word, 'r');
    else if (sorts[1] !== '固有名詞' && word.length > 1 && /^(?:名詞|動詞|形容詞|副詞)$/.test(sorts[0] ?? ''))
      add(word, 'o');
  }
  for (const { word, sorts } of written.korean) {
    if (word.length < 2 || !looksLikeName(word)) continue;
    if (sorts[1] === '지명') add(word, 'r');
    else if (/^(?:NNG|VV|VA|MAG)$/.test(sorts[0] ?? '')) add(word, 'o');
  }
  return Array.from(lists, ([word, own]) => [word, [...own].sort().join('')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, own]) => `${own} ${word}`);
}
