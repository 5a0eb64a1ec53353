/** Forms of values, and of harmless ones that look the same. */
import type { ValueClass } from '../../../guardrail/detection/ner/tokenNetwork.ts';
import type { Random } from '../random.ts';
import type { Label } from './labels.ts';

const months = 'January February March April May June July August September October November December'.split(' ');
const monthsOf: readonly (readonly string[])[] = [
  months,
  months.map((month) => month.slice(0, 3)),
  'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' '),
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' '),
  'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(' '),
  'januari februari maart april mei juni juli augustus september oktober november december'.split(' '),
  'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia'.split(' '),
  'ledna února března dubna května června července srpna září října listopadu prosince'.split(' '),
  'Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık'.split(' '),
];
const words =
  'river stone maple tiger cloud pepper silver coffee winter garden rocket marble cherry falcon ginger copper shadow sunny turbo pixel mango panda storm ember frost lemon raven comet blaze cactus velvet dragon orbit sonne blume katze hund stern wald apfel regen fisch vogel chat soleil lune fleur ciel vert gato luna perro verde rojo flor playa queso sole mare pane vino gatto neve kaas fiets molen regen koek zon kot dom las zima lato sky sol hav snus kaffe talo kala meri pes mrak kedi deniz'.split(
    ' ',
  );
const nicks =
  'anna tom lena max julia ben sophie leon mia paul emma jan lisa nico sara finn eva tim nora luis marta diego pablo ines marco luca elena gio pierre chloe hugo lea bart sanne koen piotr kasia ola lars maja emil ida erik juha aino petr jana mehmet elif can zeynep wei ming yuki ken haru minho jisoo ali omar fatima priya raj dev amit kofi ama zola mike dave jess kate rob sam liz dan meg joe'.split(
    ' ',
  );

const two = (number: number): string => String(number).padStart(2, '0');

/** Draws values of a class. */
export class ValueForms {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  /** A value of one of the forms of a label, or of any form of its class. */
  ofLabel({ kind, forms }: Pick<Label, 'kind' | 'forms'>): string {
    const { random } = this;
    return forms.length > 0 && random.chance(0.75) ? this.ofForm(random.pick(forms)) : this.of(kind);
  }

  /** A value of a form: see the README of `../values/`. */
  private ofForm(form: string): string {
    const { random } = this;
    const signs: Readonly<Record<string, () => string>> = {
      '0': () => random.format('#'),
      A: () => random.format('?'),
      a: () => random.format('?').toLowerCase(),
      X: () => random.format(random.chance(0.5) ? '#' : '?'),
      x: () => random.format(random.chance(0.5) ? '#' : '?').toLowerCase(),
      '~': () => random.pick(Array.from('0123456789abcdef')),
    };
    return form.replace(
      /\\(.)|\{(\w+)\}|[0AaXx~]/g,
      (sign, literal?: string, name?: string) =>
        literal ?? (name === undefined ? (signs[sign]?.() ?? sign) : this.named(name)),
    );
  }

  private named(name: string): string {
    const { random } = this;
    switch (name) {
      case 'date':
        return this.date(1930, 2024);
      case 'day':
        return random.format('1#.0#').replace('00', '03');
      case 'year':
        return String(random.int(1960, 2026));
      case 'time':
        return `${two(random.int(0, 23))}:${two(random.int(0, 59))}`;
      case 'handle':
        return this.username().replace('@', '');
      case 'secret':
        return this.password();
      case 'phone':
        return this.phone();
      case 'plate':
        return this.plate();
      default:
        return random.pick(name === 'word' ? words : nicks);
    }
  }

  /** A value of a class; of `O`, a harmless one. */
  of(kind: ValueClass): string {
    switch (kind) {
      case 'ID':
        return this.id();
      case 'USERNAME':
        return this.username();
      case 'PASSWORD':
        return this.password();
      case 'DATE_OF_BIRTH':
        return this.date(1925, 2022);
      case 'PHONE_NUMBER':
        return this.phone();
      case 'LICENSE_PLATE':
        return this.plate();
      case 'O':
        return this.harmless();
    }
  }

  /** An identifier of any form: also what harmless labels get. */
  id(): string {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.3) return random.format('#'.repeat(random.int(4, 12)));
    if (chance < 0.42) {
      const mark = random.pick([' ', ' ', '-', '.', '/']);
      return Array.from({ length: random.int(2, 5) }, () => random.format('#'.repeat(random.int(2, 4)))).join(mark);
    }
    if (chance < 0.57) {
      const mark = random.pick(['', '', '-', '-', ' ', '/', '_', '.']);
      const text = `${random.format('?'.repeat(random.int(1, 4)))}${mark}${random.format('#'.repeat(random.int(3, 9)))}`;
      return random.chance(0.15) ? text.toLowerCase() : text;
    }
    if (chance < 0.63)
      return `${random.format('#'.repeat(random.int(3, 9)))}${random.pick(['', '-', ' '])}${random.format('?'.repeat(random.int(1, 2)))}`;
    if (chance < 0.7) {
      const year = String(random.int(1998, 2026));
      const number = random.format('#'.repeat(random.int(3, 7)));
      const mark = random.pick(['/', '-', '-']);
      const prefix = random.chance(0.5) ? `${random.format('?'.repeat(random.int(1, 3)))}${mark}` : '';
      return prefix + (random.chance(0.5) ? `${year}${mark}${number}` : `${number}${mark}${year}`);
    }
    if (chance < 0.82) return this.mixed(random.int(5, 12));
    if (chance < 0.93) {
      const mark = random.pick(['-', '-', '/', ' ', '.']);
      const group = (): string =>
        random.format(
          random.pick(['#', '?', '#', '##', '??', '###', '???', '####', '#####', '?#', '#?', '?##', '######']),
        );
      return `${random.chance(0.5) ? random.format('??') : random.format('##')}${mark}${Array.from({ length: random.int(1, 3) }, group).join(mark)}`;
    }
    if (chance < 0.96)
      return Array.from({ length: random.int(8, 24) }, () => random.pick(Array.from('0123456789abcdef'))).join('');
    return random.format('???????').slice(0, random.int(5, 6));
  }

  private mixed(length: number): string {
    const { random } = this;
    const text = Array.from({ length }, () => random.format(random.chance(0.5) ? '#' : '?')).join('');
    const sure = /\d/.test(text) ? text : `${text}${random.int(0, 9)}`;
    return random.chance(0.15) ? sure.toLowerCase() : sure;
  }

  username(): string {
    const { random } = this;
    const word = (): string => random.pick(random.chance(0.5) ? words : nicks);
    const number = random.pick([
      '',
      '',
      '1',
      '7',
      '88',
      '99',
      '_x',
      '2000',
      '1987',
      random.format('##'),
      random.format('###'),
    ]);
    const joint = random.pick(['', '', '_', '.', '-', '__']);
    const text = random.pick([
      () => `${word()}${joint}${word()}${number}`,
      () => `${random.pick(nicks)}${random.pick(['_', '.', ''])}${random.format('?').toLowerCase()}${number}`,
      () =>
        `${random.format('?').toLowerCase()}${random.pick(['', '.', '_'])}${word()}${random.pick(['son', 'er', 'mann', 'ski', 'ez', 'ova', 'i', ''])}${number}`,
      () => `xX_${word()}_Xx`,
      () => `${word()}${random.format('##')}`,
      () => `the${random.pick(['_', '', 'real'])}${word()}${number}`,
      () => `${word().toUpperCase()}${random.format('##')}`,
      () => `${random.pick(['u', 's', 'ab', 'usr', 'x'])}${random.format('#####')}`,
      () => `${word()[0]?.toUpperCase() ?? ''}${word().slice(1)}${random.pick(words)}${number}`,
    ])();
    return random.chance(0.18) ? `@${text}` : text;
  }

  password(): string {
    const { random } = this;
    const word = (): string => {
      const text = random.pick(words);
      return random.chance(0.6) ? `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}` : text;
    };
    const mark = (): string => random.pick(Array.from('!#$%&*?+=@._-'));
    return random.pick([
      () => random.format('####'),
      () => random.format('#'.repeat(random.int(4, 8))),
      () => `${word()}${mark()}${random.format('##')}`,
      () => `${word()}${random.format('####')}`,
      () => `${word()}${random.format('##')}${mark()}`,
      () => `${word()}-${word()}-${word()}`,
      () => `${word()}${mark()}${word()}${random.format('##')}`,
      () => `${random.format('####')}${random.pick(['#', '*', '?', 'A', 'B'])}`,
      () => `${random.pick(['A', 'B', 'C', '#', '*'])}${random.format('####')}`,
      () =>
        Array.from({ length: random.int(8, 16) }, () =>
          random.pick(Array.from('abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!#$%')),
        ).join(''),
      () => word().replace('o', '0').replace('e', '3').replace('a', '4') + random.format('##'),
      () => random.format('### ###'),
    ])();
  }

  date(from: number, to: number): string {
    const { random } = this;
    const [day, month, year] = [random.int(1, 28), random.int(1, 12), random.int(from, to)];
    const name = random.pick(monthsOf)[month - 1] ?? '';
    const short = two(year % 100);
    return random.pick([
      `${two(day)}/${two(month)}/${year}`,
      `${two(month)}/${two(day)}/${year}`,
      `${two(day)}.${two(month)}.${year}`,
      `${day}.${month}.${year}`,
      `${day}.${month}.${short}`,
      `${two(day)}-${two(month)}-${year}`,
      `${year}-${two(month)}-${two(day)}`,
      `${two(day)}/${two(month)}/${short}`,
      `${month}/${day}/${short}`,
      `${day} ${name} ${year}`,
      `${day}. ${name} ${year}`,
      `${name} ${day}, ${year}`,
      `${day}${random.pick(['st', 'nd', 'rd', 'th'])} ${name} ${year}`,
      `${year}${two(month)}${two(day)}`,
      `${year}/${two(month)}/${two(day)}`,
      `${two(day)}${two(month)}${year}`,
      `${year}年${month}月${day}日`,
      `${year}년 ${month}월 ${day}일`,
      `${day} ${name}`,
      `${day} de ${name} de ${year}`,
      `${day} ${name} '${short}`,
    ]);
  }

  phone(): string {
    const { random } = this;
    return random.format(
      random.pick([
        '0#### ######', '0### #######', '+## ### ### ####', '(###) ###-####', '###-###-####', '### ### ####', '### ## ## ##',
        '0# ## ## ## ##', '0###/#######', '0###-######', '06-########', '### ### ###', '+###########', '0##########', '####-####',
        '## ## ## ##', '0#-####-####', '1## #### ####', 'x####', '####', '07### ######', '##-###-##-##',
      ]),
    ); // prettier-ignore
  }

  plate(): string {
    const { random } = this;
    const text = random.format(
      random.pick([
        '??## ???', '??##???', '?-?? ####', '?? ?? ###', '???-?? ##', '??-###-??', '#### ???', '?? ### ??', '##-??-##', '#-???-##',
        '??-##-??', '?? #####', '??? ###', '???###', '#???###', '## ? ###', '## ?? ####', '34 ??? ##', '???-####', '#?# ####', '?### ???',
        '??# ####', '##-?-####', '### ???', '??? ##?',
      ]),
    ); // prettier-ignore
    return random.chance(0.12) ? text.toLowerCase() : text;
  }

  /** A number, a code or a date that is nobody's. */
  harmless(): string {
    const { random } = this;
    const digits = (least: number, most: number): string => random.digits(random.int(least, most));
    const hex = (length: number): string =>
      Array.from({ length }, () => random.pick(Array.from('0123456789abcdef'))).join('');
    const unit = random.pick(
      'mm cm m km kg g mg ml l kW W V A Hz kHz MHz GB MB TB kB ms s min h % °C bar Pa px pt dB EUR USD € $ pcs Stk ks szt'.split(
        ' ',
      ),
    );
    const chance = random.next();
    if (chance < 0.36) return this.id();
    if (chance < 0.44) return this.date(1990, 2027);
    if (chance < 0.47) return this.password().replace(/[^\w-]/g, '');
    if (chance < 0.49) return this.plate();
    if (chance < 0.51) return this.phone();
    return random.pick([
      () => `${digits(1, 1)}.${random.int(0, 30)}.${random.int(0, 30)}`,
      () => `v${digits(1, 1)}.${random.int(0, 30)}`,
      () => digits(1, 3),
      () => digits(1, 5),
      () => `${digits(1, 4)} ${unit}`,
      () => `${digits(1, 3)}${unit}`,
      () => `${random.pick(['€', '$', '£', ''])}${digits(1, 4)}${random.pick(['.', ','])}${random.format('##')}`,
      () => `${digits(1, 2)}.${random.format('###')},${random.format('##')} €`,
      () => `978-${digits(1, 1)}-${digits(3, 5)}-${digits(3, 3)}-${digits(1, 1)}`,
      () => `ISO ${digits(4, 5)}:${random.int(1998, 2025)}`,
      () =>
        `${random.pick(['EN', 'DIN EN', 'RFC', 'IEEE', 'ASTM', 'IEC', 'CVE-2024-', 'PEP', 'BWV', 'KV', 'HRB', 'PR #', '#', '§'])} ${digits(2, 5)}`,
      () => hex(40),
      () => hex(7),
      () => hex(64),
      () => `0x${hex(8)}`,
      () =>
        `${random.format(random.pick(['?', '??', '???']))}${random.pick(['-', ' ', ''])}${digits(2, 4)}${random.pick(['', '', 'X', 's', ' Pro', 'i', '-B'])}`,
      () => `${random.int(1, 23)}:${two(random.int(0, 59))}`,
      () => String(random.int(1500, 2027)),
      () => `${random.int(1900, 2020)}–${random.int(2021, 2027)}`,
      () => `${random.int(1, 300)}-${random.int(301, 600)}`,
      () => `${random.int(1, 9)}/${random.int(10, 99)}`,
      () =>
        `${random.pick(['LH', 'BA', 'AF', 'KL', 'SK', 'TK', 'SQ', 'ICE', 'TGV', 'IC', 'RE', 'EC'])} ${digits(2, 4)}`,
      () =>
        `${random.pick(['ERR', 'E', 'ORA', 'TS', 'CS', 'INV', 'PO', 'SKU', 'JIRA', 'OPS', 'BUG', 'REQ', 'TC'])}-${digits(2, 6)}`,
      () => `10.${digits(4, 4)}/${random.format('?').toLowerCase()}.${digits(3, 6)}`,
      () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
      () => `sha256:${hex(12)}`,
      () => `${digits(3, 4)}x${digits(3, 4)}`,
      () => `${digits(1, 3)} ${random.format('###')} ${random.format('###')}`,
      () => `${random.int(0, 9)}.${random.format('####')}`,
      () => random.pick(words),
      () => `${random.pick(words)}-${digits(1, 2)}`,
      () => `${random.pick(words)}_${random.pick(words)}`,
      () =>
        random.pick([
          'true',
          'false',
          'null',
          'n/a',
          'none',
          'yes',
          'auto',
          'default',
          '-',
          'TBD',
          'changeme',
          'xxxx',
          '***',
          '${VAR}',
          '<id>',
          'string',
        ]),
    ])();
  }
}
