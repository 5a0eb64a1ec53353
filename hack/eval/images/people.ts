/** Invented people: plausible values for each country, with valid check digits. Their parts are drawn by a seed. */
import type { Random } from '../../training/random.ts';
import * as digits from './checkDigits.ts';

/** A kind of value that a picture shows. */
export type ValueKind = 'name' | 'mail' | 'phone' | 'street' | 'town' | 'born' | 'iban' | 'id' | 'card';

/** What is known of a person. A person has no IBAN or number in a country that has none. */
export type Person = Readonly<Record<Exclude<ValueKind, 'iban' | 'id'>, string>> & {
  readonly iban?: string;
  readonly id?: string;
};

export type Country =
  'us' | 'gb' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pl' | 'se' | 'br' | 'ru' | 'ua' | 'kr' | 'cn' | 'jp';

interface Pool {
  readonly given: string;
  readonly family: string;
  /** The order of a name. Default: the given name first. */
  readonly nameOf?: (given: string, family: string) => string;
  readonly streets: string;
  readonly towns: string;
  /** `#` is a digit. */
  readonly phones: string;
  /** `D`, `M`, `Y` as numbers. */
  readonly date: string;
  readonly mails: string;
  /** The name in Latin letters, for the mail address, where the script is another: given and family names in the same order. */
  readonly latin?: readonly [given: string, family: string];
  /** The country of the IBAN, and the form of its account. */
  readonly iban?: readonly [country: string, account: string];
  readonly id?: (random: Random, born: readonly [year: number, month: number, day: number]) => string;
}

const pad = (value: number): string => String(value).padStart(2, '0');

// prettier-ignore
const pools: Readonly<Record<Country, Pool>> = {
  us: { given: 'Denise|Marcus|Latoya|Glenn|Priscilla|Darnell|Colleen|Hector', family: 'Whitfield|Okafor|Brandt|Castellanos|Pruitt|Nakagawa|Delacroix|Haskins',
    streets: '2184 Alder Creek Road|61 Foxglove Lane|907 Quarry Street Apt 4B|1450 Tamarack Drive|338 Old Mill Avenue', towns: 'Dayton, OH 45419|Flagstaff, AZ 86004|Bangor, ME 04401|Tacoma, WA 98405',
    phones: '(937) 555-01##|+1 207 555 01##|253-555-01##', date: 'M/D/Y', mails: 'example.com|mail.example.org', id: digits.ssn },
  gb: { given: 'Harriet|Callum|Imogen|Desmond|Bronwen|Rupert|Nadia|Alistair', family: 'Thackeray|Pemberton|Adeyemi|Gallowglass|Fairweather|Llewellyn|Hussain|Braithwaite',
    streets: '14 Larkspur Close|7 Canal Terrace|Flat 3, 88 Bishop Road|29 Heron Way|112 Station Road', towns: 'Leeds LS6 2QT|Cardiff CF24 3AB|Exeter EX4 6PN|Norwich NR2 4HS',
    phones: '07700 900###|+44 7700 900###|0113 496 0###', date: 'D/M/Y', mails: 'example.co.uk|post.example.net', iban: ['GB', 'NWBK##############'], id: digits.nino },
  de: { given: 'Annegret|Torben|Wiebke|Hartmut|Friederike|Jannis|Sieglinde|Malte', family: 'Oberländer|Kürschner|Brinkmann|Tiedemann|Weißhaupt|Rademacher|Lindqvist|Hoffstedt',
    streets: 'Lindenweg 14|Am Mühlbach 3a|Gartenstraße 52|Hohe Gasse 8|Kastanienallee 117', towns: '50733 Köln|04177 Leipzig|79102 Freiburg|24103 Kiel',
    phones: '0171 4####82|+49 221 55####1|0341 77####', date: 'D.M.Y', mails: 'example.de|post.example.org', iban: ['DE', '##################'] },
  fr: { given: 'Clémence|Thibault|Maëlle|Gaspard|Solène|Baptiste|Odile|Rémi', family: 'Vasseur|Delorme|Chauvet|Rocheteau|Lemercier|Bonnefoy|Quentin|Aubertin',
    streets: '18 rue des Tanneurs|4 bis impasse du Moulin|77 avenue Pasteur|23 chemin des Vignes', towns: '69003 Lyon|35000 Rennes|31400 Toulouse|54000 Nancy',
    phones: '06 39 98 ## ##|+33 6 39 98 ## ##|02 61 91 ## ##', date: 'D/M/Y', mails: 'example.fr|courriel.example.org', iban: ['FR', '#######################'], id: digits.nir },
  es: { given: 'Rocío|Álvaro|Inmaculada|Ignacio|Lourdes|Gonzalo|Nieves|Joaquín', family: 'Zamorano Ruiz|Echevarría|Quintana López|Monforte|Arellano|Vidal Peña|Carbajal|Solís Marín',
    streets: 'Calle del Olmo 27, 3.º B|Avenida de los Pinos 142|Calle Mayor 9|Plaza del Carmen 5', towns: '41003 Sevilla|46021 Valencia|50006 Zaragoza|28014 Madrid',
    phones: '612 34# ###|+34 655 12# ###|954 2# ## ##', date: 'D/M/Y', mails: 'example.es|correo.example.org', iban: ['ES', '####################'], id: digits.nif },
  it: { given: 'Ginevra|Tommaso|Loredana|Ettore|Mirella|Davide|Fiorella|Renzo', family: 'Baldassarri|Cattaneo|Mazzoleni|Fontanella|Sgarbi|Tedeschi|Venturelli|Pagnotta',
    streets: 'Via dei Mille 45|Corso Garibaldi 12|Via San Rocco 8/A|Viale della Libertà 201', towns: '40121 Bologna|10128 Torino|37122 Verona|16124 Genova',
    phones: '347 55# ####|+39 333 12# ####|051 65# ###', date: 'D/M/Y', mails: 'example.it|posta.example.org', iban: ['IT', '?0#####0####000000######'] },
  nl: { given: 'Fenna|Ruben|Marijke|Joost|Annelies|Sjoerd|Hanneke|Teun', family: 'van der Velden|Hoekstra|de Wit|Kuipers|Brouwer|Terpstra|van Leeuwen|Dekker',
    streets: 'Kerkstraat 41|Prinsengracht 318-II|Zonnebloemlaan 7|Dorpsweg 126', towns: '3512 JK Utrecht|9711 LM Groningen|6221 BT Maastricht|2611 GH Delft',
    phones: '06 123#####|+31 6 451#####|030 2## ## ##', date: 'D-M-Y', mails: 'example.nl|bericht.example.org', iban: ['NL', 'INGB##########'], id: digits.bsn },
  pl: { given: 'Agnieszka|Bartosz|Małgorzata|Zbigniew|Katarzyna|Łukasz|Grażyna|Mateusz', family: 'Wróblewska|Gajewski|Sobczak|Jabłoński|Kubiak|Zawadzka|Urban|Pietrzyk',
    streets: 'ul. Lipowa 12/4|ul. Kościuszki 88|al. Jana Pawła II 23 m. 7|ul. Ogrodowa 5', towns: '30-059 Kraków|80-233 Gdańsk|61-704 Poznań|50-370 Wrocław',
    phones: '512 3## ###|+48 601 22# ###|12 655 ## ##', date: 'D.M.Y', mails: 'example.pl|poczta.example.org', iban: ['PL', '########################'], id: digits.pesel },
  se: { given: 'Ingegerd|Anders|Ebba|Torsten|Lovisa|Håkan|Gunilla|Sixten', family: 'Lindström|Åkesson|Bergqvist|Norrman|Sjögren|Hallberg|Wiklund|Öberg',
    streets: 'Björkgatan 19|Storgatan 4 B|Ringvägen 133|Fiskaregränd 2', towns: '753 23 Uppsala|413 01 Göteborg|903 27 Umeå|211 22 Malmö',
    phones: '070-174 06 ##|+46 70 174 06 ##|018-46 5# ##', date: 'Y-M-D', mails: 'example.se|brev.example.org', iban: ['SE', '####################'], id: digits.personnummer },
  br: { given: 'Thaís|Rogério|Jussara|Everton|Mariana|Wagner|Luciene|Caio', family: 'Albuquerque|Nogueira|Teixeira Prado|Figueiredo|Bittencourt|Sampaio|Moreira Luz|Cavalcanti',
    streets: 'Rua das Acácias, 215|Avenida Brasil, 1804, apto. 32|Travessa do Sol, 41|Rua XV de Novembro, 670', towns: '01414-001 São Paulo – SP|80020-310 Curitiba – PR|40140-110 Salvador – BA',
    phones: '(11) 98765-4###|+55 41 99123-4###|(71) 3456-7###', date: 'D/M/Y', mails: 'example.com.br|correio.example.org', id: digits.cpf },
  ru: { given: 'Светлана|Аркадий|Людмила|Тимофей|Зинаида|Всеволод', family: 'Кравченко|Шаповал|Литвиненко|Седых|Дурново|Черных', latin: ['svetlana|arkady|lyudmila|timofey|zinaida|vsevolod', 'kravchenko|shapoval|litvinenko|sedykh|durnovo|chernykh'],
    streets: 'ул. Садовая, д. 18, кв. 42|проспект Мира, д. 105, кв. 7|ул. Гагарина, 33', towns: '620014 Екатеринбург|197022 Санкт-Петербург|603005 Нижний Новгород',
    phones: '+7 912 555-##-##|8 (921) 555-##-##', date: 'D.M.Y', mails: 'example.ru|pochta.example.org' },
  ua: { given: 'Оксана|Богдан|Мирослава|Тарас|Соломія|Остап', family: 'Гончаренко|Шевчук|Захарченко|Бондар|Левченко|Кушнір', latin: ['oksana|bohdan|myroslava|taras|solomiia|ostap', 'honcharenko|shevchuk|zakharchenko|bondar|levchenko|kushnir'],
    streets: 'вул. Шевченка, 27, кв. 12|вул. Лесі Українки, 8|просп. Свободи, 41', towns: '79005 Львів|65026 Одеса|61057 Харків',
    phones: '+380 67 555 ## ##|050 555 ## ##', date: 'D.M.Y', mails: 'example.ua|lyst.example.org' },
  kr: { given: '서연|민준|지우|현우|수빈|도윤', family: '김|박|이|최|정|윤', latin: ['seoyeon|minjun|jiwoo|hyunwoo|subin|doyun', 'kim|park|lee|choi|jung|yoon'], nameOf: (given, family) => family + given,
    streets: '테헤란로 152 삼성빌딩 803호|월드컵로 23길 41|해운대로 570번길 12 1204호', towns: '서울특별시 강남구|서울특별시 마포구|부산광역시 해운대구',
    phones: '010-2345-####|010-8812-####', date: 'Y년 M월 D일', mails: 'example.kr|mail.example.org', id: digits.rrn },
  cn: { given: '晓雯|建国|雅琴|志远|梦洁|海涛', family: '王|陈|刘|赵|周|林', latin: ['xiaowen|jianguo|yaqin|zhiyuan|mengjie|haitao', 'wang|chen|liu|zhao|zhou|lin'], nameOf: (given, family) => family + given,
    streets: '中山路128号5栋302室|人民南路66号|学院路15号院3号楼1单元501室', towns: '上海市徐汇区|四川省成都市武侯区|北京市海淀区',
    phones: '138 1234 ####|159-0021-####', date: 'Y年M月D日', mails: 'example.cn|mail.example.org' },
  jp: { given: '美咲|健太|由美子|翔太|直子|大輔', family: '佐藤|渡辺|小林|中村|松本|清水', latin: ['misaki|kenta|yumiko|shota|naoko|daisuke', 'sato|watanabe|kobayashi|nakamura|matsumoto|shimizu'], nameOf: (given, family) => `${family} ${given}`,
    streets: '神宮前3丁目14番8号|中央町2-5-11 サンハイツ203|本町1丁目7-4', towns: '〒150-0001 東京都渋谷区|〒530-0001 大阪府大阪市北区|〒460-0008 愛知県名古屋市中区',
    phones: '090-1234-####|03-5555-####', date: 'Y年M月D日', mails: 'example.jp|mail.example.org' },
};

const plain = (text: string): string =>
  text.normalize('NFD').replace(/[^\p{L}]/gu, '').toLowerCase().replaceAll('ł', 'l').replaceAll('ß', 'ss'); // prettier-ignore

/** Draws a person of a country. */
export function personOf(country: Country, random: Random): Person {
  const pool = pools[country];
  const [given, family] = [pool.given.split('|'), pool.family.split('|')];
  const [first, last] = [random.int(0, given.length - 1), random.int(0, family.length - 1)];
  const names = [given[first] ?? '', family[last] ?? ''] as const;
  const latin = pool.latin?.map((list, at) => list.split('|')[at === 0 ? first : last] ?? '') ?? names.map(plain);
  const [year, month, day] = [random.int(1948, 2004), random.int(1, 12), random.int(1, 28)];
  const date = {
    D: pool.date.includes('月') ? String(day) : pad(day),
    M: pool.date.includes('月') ? String(month) : pad(month),
    Y: String(year),
  };
  const [ibanCountry, account] = pool.iban ?? [];
  const some = (list: string): string => random.pick(list.split('|'));
  return {
    name: pool.nameOf?.(...names) ?? names.join(' '),
    mail: `${random.pick([latin.join('.'), `${latin[0]?.[0]}${latin[1]}`, `${latin[0]}${year % 100}`])}@${some(pool.mails)}`,
    phone: random.format(some(pool.phones)),
    street: some(pool.streets),
    town: some(pool.towns),
    born: pool.date.replace(/[DMY]/g, (part) => date[part as keyof typeof date]),
    card: digits.card(random),
    ...(ibanCountry && account && { iban: digits.iban(ibanCountry, random.format(account)) }),
    ...(pool.id && { id: pool.id(random, [year, month, day]) }),
  };
}
