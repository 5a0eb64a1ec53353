/** Pages without any personal value: what people send about work, school, cooking and machines. */
import type { Random } from '../../training/random.ts';
import * as layouts from './layouts.ts';
import type { Bubbles, Face, Layout, Theme } from './layouts.ts';

/** Makes a page. @param which selects one of its texts */
export type InnocentPageOf = (which: number, random: Random) => Layout;

const at = <T>(list: readonly T[], which: number): T => list[which % list.length] as T;

// prettier-ignore
const CHATS: readonly (readonly string[])[] = [
  ['Is the meeting still at three?', 'It moved to half past three, same room', 'Good, then I can finish the slides first', 'Please add the chart with the costs of last year', 'Will do. Do we need printed copies?', 'No, the screen is enough'],
  ['Wie lange muss der Teig ruhen?', 'Mindestens eine Stunde, besser über Nacht im Kühlschrank', 'Und dann bei 220 Grad backen?', 'Ja, die ersten zehn Minuten mit Dampf', 'Danke, das probiere ich morgen', 'Vergiss das Salz nicht!'],
  ['¿A qué hora abre la biblioteca?', 'Los sábados abre a las diez', '¿Hay sitio para trabajar en grupo?', 'Sí, pero hay que reservar la sala', 'Perfecto, reservo para el sábado', 'Lleva el portátil cargado'],
  ['The build is red again', 'Which step fails?', 'The linter: an unused import in the parser', 'I will fix it after lunch', 'Thanks. The rest is green', 'Then we can release version 2.14 today'],
];
// prettier-ignore
const MAILS: readonly (readonly [subject: string, ...paragraphs: string[]])[] = [
  ['Maintenance on Sunday night', 'Dear customers,', 'on Sunday between 22:00 and 02:00 our systems will be updated. During this time you cannot place orders, and the status page may show old figures.', 'You do not have to do anything. All data stays as it is, and orders that are under way are not affected.', 'More details are in the help pages.'],
  ['Neue Öffnungszeiten im Schwimmbad', 'Liebe Gäste,', 'ab dem kommenden Monat öffnet das Hallenbad schon um halb sieben. Das Außenbecken bleibt bis zum Frühling geschlossen.', 'Die Preise ändern sich nicht. Dauerkarten gelten weiterhin in allen Bädern der Stadt.', 'Wir wünschen viel Freude beim Schwimmen.'],
  ['Votre lettre de la semaine', 'Bonjour à toutes et à tous,', 'cette semaine, nous parlons du jardin au printemps : semer les radis, tailler les rosiers et préparer le compost.', 'La recette du mois est une soupe aux poireaux, prête en trente minutes.', 'Bonne lecture et à bientôt.'],
  ['Release notes', 'Hello everyone,', 'this release makes the start twice as fast and repairs the export of large tables. The old format of settings is still read.', 'Please update before the end of the quarter, since the previous version gets no more fixes.', 'Thank you for all reports.'],
];
// prettier-ignore
const FORMS: readonly (readonly [title: string, ...fields: (readonly [string, string])[]])[] = [
  ['Display settings', ['Language', 'English'], ['Theme', 'Follow the system'], ['Font size', '14 points'], ['Start page', 'Overview'], ['Time zone', 'Central European Time'], ['Date format', 'Day, month, year']],
  ['Neue Bestellung', ['Artikel', 'Schreibtischlampe'], ['Menge', '12 Stück'], ['Farbe', 'Anthrazit'], ['Lieferung', 'in der nächsten Woche'], ['Zahlung', 'auf Rechnung'], ['Versand', 'kostenlos']],
  ['Measurement', ['Sensor', 'Outdoor, north side'], ['Interval', 'Every ten minutes'], ['Unit', 'Degrees Celsius'], ['Lowest value', '-4.2'], ['Highest value', '17.9'], ['Battery', '82 percent']],
];
// prettier-ignore
const TABLES: readonly (readonly [title: string, head: readonly string[], ...rows: readonly (readonly string[])[]])[] = [
  ['Stock of the shop', ['Article', 'Shelf', 'Pieces', 'Price', 'Remark'], ['Garden hose 20 m', 'A 12', '34', '24.90', 'order in April'], ['Watering can', 'A 14', '8', '13.50', 'green only'], ['Flower pot, large', 'B 02', '120', '6.95', 'fragile'], ['Potting soil 40 l', 'C 01', '56', '8.99', 'outside'], ['Hedge shears', 'A 03', '11', '39.00', 'sharpened']],
  ['Results by quarter', ['Quarter', 'Revenue', 'Costs', 'Margin', 'Change'], ['First', '412,000', '305,200', '25.9 %', '+2.1'], ['Second', '438,500', '311,900', '28.9 %', '+3.0'], ['Third', '401,300', '309,700', '22.8 %', '-6.1'], ['Fourth', '466,100', '322,400', '30.8 %', '+8.0']],
  ['Fahrplan der Fähre', ['Abfahrt', 'Anleger', 'Dauer', 'Fahrräder', 'Hinweis'], ['06:40', 'Nord', '25 min', 'ja', 'nur werktags'], ['08:10', 'Nord', '25 min', 'ja', 'täglich'], ['11:30', 'Süd', '35 min', 'nein', 'bei Hochwasser nicht'], ['16:05', 'Nord', '25 min', 'ja', 'täglich']],
];
// prettier-ignore
const TERMINALS: readonly (readonly string[])[] = [
  ['$ npm run build', '> building 214 modules', 'warning: the file parser.ts is larger than 300 lines', 'compiled in 4.31 s', '$ npm test', '  parser', '    ✓ reads an empty file', '    ✓ reports the line of an error', '  128 passing (3 s)', '$ git status', 'nothing to commit, working tree clean'],
  ['$ df -h', 'Filesystem      Size  Used Avail Use%', '/dev/nvme0n1p2  468G  201G  244G  46%', 'tmpfs            16G  1.2M   16G   1%', '$ uptime', ' 11:02:41 up 16 days,  2 users,  load average: 0.41, 0.38, 0.36', '$ free -m', 'Mem:  31942  9120  14822'],
  ['export function sum(values) {', '  let total = 0;', '  for (const value of values) total += value;', '  return total;', '}', '', '// The mean of an empty list is not a number.', 'export const mean = (values) => sum(values) / values.length;', 'console.log(mean([1, 2, 3.5]));'],
];
// prettier-ignore
const LETTERS: readonly (readonly [subject: string, ...paragraphs: string[]])[] = [
  ['Notice to all residents', 'From Monday the lift will be renewed. The work takes about three weeks, and during this time only the stairs can be used.', 'Please keep the entrance free of bicycles and prams. Noise is to be expected between eight and five.', 'The heating is not affected. We thank you for your patience and will put up a new notice when the work is done.'],
  ['Allgemeine Hinweise zur Wartung', 'Die Anlage muss einmal im Jahr geprüft werden. Dabei werden die Filter gewechselt und die Dichtungen kontrolliert.', 'Vor der Prüfung ist der Hauptschalter auszuschalten. Das Gerät darf erst nach dem Abkühlen geöffnet werden.', 'Ersatzteile sind im Fachhandel erhältlich. Die Garantie gilt zwei Jahre ab dem Kauf.'],
  ['Règlement de la salle', 'La salle est ouverte de neuf heures à vingt heures. Les groupes doivent réserver au moins une semaine avant.', 'Il est interdit de fumer et de déplacer les tables sans accord. La vaisselle doit être lavée et rangée.', 'En cas de retard, la caution peut être retenue.'],
];
// prettier-ignore
const RECEIPTS: readonly (readonly (readonly string[])[])[] = [
  [['Bread', '3.20'], ['Butter 250 g', '2.49'], ['Tomatoes 1 kg', '3.98'], ['Olive oil', '8.90'], [], ['TOTAL', '18.57'], ['CASH', '20.00'], ['CHANGE', '1.43'], [], ['Thank you for your visit', '']],
  [['Espresso', '2,40'], ['Cappuccino', '3,60'], ['Apfelkuchen', '4,20'], [], ['SUMME', '10,20'], ['BAR', '11,00'], ['ZURÜCK', '0,80'], [], ['Vielen Dank für Ihren Besuch', '']],
];
// prettier-ignore
const SIGNS: readonly (readonly [title: string, ...lines: (readonly [string, string])[]])[] = [
  ['Visitor', ['Valid', 'today only'], ['Area', 'ground floor and canteen'], ['Please', 'return at the exit']],
  ['Cloakroom', ['Number', '317'], ['Open until', 'eleven in the evening'], ['Note', 'no liability for valuables']],
];
// prettier-ignore
const FOREIGN: readonly (readonly [face: Face, ...lines: string[]])[] = [
  ['inter', 'Когда начинается собрание?', 'В три часа, в большом зале', 'Нужно взять ноутбук?', 'Нет, там есть экран', 'Хорошо, спасибо', 'Не забудьте пропуск'],
  ['inter', 'Скільки часу варити суп?', 'Приблизно сорок хвилин', 'А коли додати сіль?', 'Наприкінці, разом із зеленню', 'Дякую за рецепт', 'Смачного'],
  ['kr', '회의가 몇 시에 시작하나요?', '세 시에 큰 회의실에서 시작합니다', '노트북을 가져가야 하나요?', '아니요, 화면이 있습니다', '알겠습니다, 감사합니다', '우산을 잊지 마세요'],
  ['kr', '이 요리는 얼마나 걸려요?', '약 사십 분 정도 걸립니다', '소금은 언제 넣나요?', '마지막에 조금만 넣으세요', '내일 해 볼게요', '맛있게 드세요'],
  ['cn', '会议几点开始？', '下午三点，在大会议室', '需要带电脑吗？', '不用，那里有屏幕', '好的，谢谢', '别忘了带伞'],
  ['cn', '这道菜要煮多久？', '大约四十分钟', '什么时候放盐？', '最后放一点就可以', '明天我试试', '祝你好胃口'],
  ['jp', '会議は何時からですか？', '三時から大きい会議室です', 'パソコンは必要ですか？', 'いいえ、画面があります', 'わかりました', '傘を忘れないでください'],
  ['jp', 'このスープは何分煮ますか？', '四十分くらいです', '塩はいつ入れますか？', '最後に少しだけ入れます', '明日作ってみます', 'おいしくなりますように'],
];

const chat = (bubbles: Bubbles): InnocentPageOf => (which) => layouts.chat('Group', at(CHATS, which), bubbles); // prettier-ignore
const mail =
  (theme: Theme): InnocentPageOf =>
  (which) => {
    const [subject, ...paragraphs] = at(MAILS, which);
    return layouts.mail(
      { subject, from: 'Newsletter', to: 'All subscribers', paragraphs, signature: ['The team'] },
      theme,
    );
  };
const form =
  (isAbove: boolean, theme: Theme): InnocentPageOf =>
  (which) => {
    const [title, ...fields] = at(FORMS, which);
    return layouts.form(title, fields, isAbove, theme);
  };
const table =
  (theme: Theme): InnocentPageOf =>
  (which) => {
    const [title, head, ...rows] = at(TABLES, which);
    return layouts.table(title, head, rows, theme);
  };

export const innocentPages = {
  'chat light': chat('light'),
  'chat green': chat('green'),
  'mail light': mail('light'),
  'mail dark': mail('dark'),
  'form above': form(true, 'light'),
  'form beside': form(false, 'dark'),
  'table light': table('light'),
  'table dark': table('dark'),
  terminal: (which) => layouts.terminal(at(TERMINALS, which)),
  letter: (which) => {
    const [subject, ...paragraphs] = at(LETTERS, which);
    return layouts.letter({ sender: 'Garden and House', address: ['To all residents'], reference: ['Notice'], subject, paragraphs, signature: ['The management'] });
  },
  receipt: (which) => layouts.receipt('MARKET HALL', at(RECEIPTS, which)),
  sign: (which) => {
    const [title, ...lines] = at(SIGNS, which);
    return layouts.badge(title, lines, '#445');
  },
  foreign: (which) => {
    const [face, ...lines] = at(FOREIGN, which);
    return layouts.chat('…', lines, which % 2 ? 'light' : 'green', face);
  },
} as const satisfies Record<string, InnocentPageOf>; // prettier-ignore
