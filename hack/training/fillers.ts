import {
  columns,
  departments,
  fields,
  goods,
  groups,
  jobs,
  kin,
  levels,
  mathEnvironments,
  mathWords,
  months,
  orgWords,
  weekdays,
} from './languages/en/fillers.ts';
import { germanNouns } from './languages/de/nouns.ts';
import { ofLanguages, trainingLanguages } from './languages.ts';
import { capitalized, split } from './words.ts';
import { DictionaryWords } from './dictionaryWords.ts';
import {
  acronyms,
  architectures,
  base64,
  emailHosts,
  eponyms,
  gitDay,
  gitMonth,
  licenses,
  sqlWords,
  technologies,
  units,
} from './fillerWords.ts';
import { webWords } from './lexicon.ts';
import { SoftwareNames } from './softwareNames.ts';
import { type WordNet } from './wordNet.ts';
import type { Random } from './random.ts';

/** Labels of values that are recognizable by their form. They are never part of a name. */
const labels = [
  ...ofLanguages(
    'en:34 de:7 fr:6 es:6 it:6 nl:5 sv fi pl pt en de:2 fr:2 it:1 nl:1 de fr es it nl',
    (language) => language.labels,
  ),
  ...split('Card IBAN Iban IP Host Server Key Token Password Ticket Order Ref'),
];
const titles = ofLanguages('en:13 de fr es it en', (language) => language.titles);
const degrees = ofLanguages('en de fr it', (language) => language.degrees);
const phones = ofLanguages('en:5 de fr es it en da sv', (language) => language.phones);
const { months: germanMonths, weekdays: germanWeekdays } = trainingLanguages.de;
const usualLabels = split('Mail Email E-mail Call Phone Tel Tel. Fax Mobile Contact Telefon Kontakt Telephone Cell');

/** Functions that generate the text of a placeholder, by its name. */
type Makers = Readonly<Record<string, () => string>>;

/** Fills the template placeholders that are not names. */
export class Fillers {
  private readonly random: Random;
  private readonly wordNet: WordNet;
  private readonly nationalities: readonly string[];
  private readonly words: DictionaryWords;
  private readonly software: SoftwareNames;
  private readonly makers: ReadonlyMap<string, () => string>;

  constructor(random: Random, wordNet: WordNet) {
    this.random = random;
    this.wordNet = wordNet;
    this.words = new DictionaryWords(random, wordNet);
    this.software = new SoftwareNames(random, this.words, wordNet.verbs);
    this.nationalities = [...wordNet.proper].filter((name) => /^\p{Lu}\p{Ll}{3,}(?:an|ish|ese|ian|ic)$/u.test(name));
    this.makers = new Map(
      Object.entries({ ...this.wordMakers(), ...this.valueMakers(), ...this.softwareMakers(), ...this.peopleMakers() }),
    );
  }

  private date(): string {
    const { random } = this;
    const day = random.int(1, 28);
    const month = random.int(1, 12);
    const year = random.int(1920, 2026);
    const two = (number: number): string => String(number).padStart(2, '0');
    return random.pick([
      `${year}-${two(month)}-${two(day)}`,
      `${two(day)}/${two(month)}/${year}`,
      `${two(day)}.${two(month)}.${year}`,
      `${months[month - 1] ?? ''} ${day}, ${year}`,
      `${day} ${months[month - 1] ?? ''} ${year}`,
      `${day}. ${germanMonths[month - 1] ?? ''} ${year}`,
      `${month}/${day}/${year % 100}`,
      `${weekdays[day % 7] ?? ''}, ${months[month - 1] ?? ''} ${day}`,
    ]);
  }

  private phone(): string {
    return this.random.format(this.random.pick(phones));
  }

  private germanNoun(): string {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.4) return random.pick(webWords.de.nouns);
    return random.pick(germanNouns) + (chance < 0.5 ? random.pick(germanNouns).toLowerCase() : '');
  }

  /** @returns the text for a placeholder, or undefined for an unknown one. */
  fill(name: string): string | undefined {
    return this.makers.get(name)?.();
  }

  /** English words and German nouns. */
  private wordMakers(): Makers {
    const { random } = this;
    return {
      noun: () => (random.chance(0.1) ? `${this.words.pick('adjectives')} ${this.words.noun()}` : this.words.noun()),
      Noun: () => capitalized(this.words.noun()),
      noun_de: () => this.germanNoun(),
      verb: () => this.words.pick('verbs'),
      Verb: () => capitalized(this.words.pick('verbs')),
      adj: () => this.words.pick('adjectives'),
      Adj: () => capitalized(this.words.pick('adjectives')),
      nat: () => random.pick(this.nationalities),
      Namesake: () => capitalized(this.words.namesake()),
      word8: () => this.words.noun(8),
      verbing: () => capitalized(`${this.words.pick('verbs').replace(/e$/, '')}ing`),
      NOUN: () => this.words.noun().toUpperCase(),
      ADJ: () => this.words.pick('adjectives').toUpperCase(),
      letters: () => this.software.letters(),
      tech: () => random.pick(technologies),
      acronym: () => random.pick(acronyms),
      eponym: () => random.pick(eponyms),
      mathword: () => random.pick(mathWords),
      mathenv: () => random.pick(mathEnvironments),
      Number: () => random.pick(['Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten', 'Twelve']),
    };
  }

  /** Dates, amounts and other values. */
  private valueMakers(): Makers {
    const { random } = this;
    return {
      month: () => random.pick(months),
      month_de: () => random.pick(germanMonths),
      weekday: () => random.pick(weekdays),
      weekday_de: () => random.pick(germanWeekdays),
      date: () => this.date(),
      time: () => random.format(random.pick(['1#:##', '0#:##', '1#:##:##', '#:## pm', '# am', '#:##'])),
      money: () =>
        random.chance(0.5)
          ? `${random.pick(units)}${this.random.digits(random.int(2, 4))}`
          : `${this.random.digits(random.int(1, 3))}.${random.format('##')} ${random.pick(units)}`,
      num1: () => this.random.digits(1),
      num2: () => this.random.digits(2),
      num3: () => this.random.digits(3),
      num4: () => (random.chance(0.5) ? String(random.int(1850, 2026)) : this.random.digits(random.int(4, 5))),
      num6: () => this.random.digits(6),
      num9: () => this.random.digits(9),
      phone: () => this.phone(),
      email: () =>
        `${this.words.noun(8)}${random.pick(['.', '_', '', ''])}${random.chance(0.4) ? this.random.digits(2) : this.words.noun(7)}@${random.chance(0.6) ? random.pick(emailHosts) : `${this.words.noun(8)}.com`}`,
      handle: () => this.words.noun(8) + (random.chance(0.5) ? this.random.digits(2) : ''),
      id: () =>
        random.format(
          random.pick(['??-####', 'INV-#####', '#######', '??######', '#####-##', 'ORD####', '?##?##', 'A-###/##']),
        ),
      iban: () => random.format('DE## #### #### #### #### ##'),
      ip: () => `${this.random.digits(2)}.${this.random.digits(3)}.${this.random.digits(2)}.${this.random.digits(1)}`,
    };
  }

  /** Identifiers, files and software packages. */
  private softwareMakers(): Makers {
    const { random } = this;
    const { nouns } = this.wordNet;
    return {
      ident: () => this.software.identifier(),
      Ident: () =>
        capitalized(this.words.noun(9)) +
        (random.chance(0.6)
          ? capitalized(
              random.pick([
                ...nouns.slice(0, 400),
                'manager',
                'service',
                'client',
                'factory',
                'handler',
                'controller',
                'error',
              ]),
            )
          : ''),
      CONST: () => `${this.words.noun(8)}_${this.words.noun(8)}`.toUpperCase(),
      file: () =>
        `${random.pick(['/usr/lib/', 'src/', './', 'C:\\', '/home/app/'])}${this.words.noun(8)}/${this.words.noun(8)}.${random.pick(['py', 'ts', 'go', 'java', 'rb', 'cs'])}`,
      version: () => `${this.random.digits(1)}.${this.random.digits(1)}.${this.random.digits(2)}`,
      license: () =>
        random.pick(licenses) +
        random.pick([
          '',
          '',
          '',
          ` ${this.random.digits(1)}.0`,
          `, Version ${this.random.digits(1)}`,
          ` v${this.random.digits(1)}`,
        ]),
      deb: () => this.software.packageName(),
      debver: () => this.software.packageVersion(),
      arch: () => random.pick(architectures),
      Word: () => this.software.program(),
      gitdate: () =>
        `${random.pick(gitDay)} ${random.pick(gitMonth)} ${random.int(1, 28)} ${random.format('1#:##:##')} ${random.int(2005, 2026)}${random.chance(0.7) ? ` ${random.pick(['+', '-'])}0${random.int(0, 9)}00` : ''}`,
      sql: () => random.pick(sqlWords),
      package: () =>
        `${random.chance(0.2) ? `@${this.words.noun(8)}/` : ''}${this.words.noun(8)}${random.chance(0.7) ? `-${this.words.noun(8)}` : ''}`,
      hash: () => Array.from({ length: random.int(20, 60) }, () => random.pick(base64)).join(''),
    };
  }

  /** Roles, labels and other words that occur near people. */
  private peopleMakers(): Makers {
    const { random } = this;
    const { nouns, roles } = this.wordNet;
    return {
      role: () => random.pick(roles),
      Role: () =>
        random.chance(0.5)
          ? capitalized(random.pick(roles))
          : `${random.pick(['Senior', 'Lead', 'Chief', 'Head of', 'Junior', 'Assistant', 'Sales', 'Deputy', 'Vice'])} ${capitalized(random.chance(0.4) ? random.pick(nouns) : random.pick(roles))}`,
      title: () => random.pick(titles),
      usual: () => random.pick(usualLabels),
      label: () => random.pick(random.chance(0.35) ? usualLabels : labels),
      column: () => {
        const column = random.pick(columns);
        return random.chance(0.5) ? column.toLowerCase() : column.replaceAll('_', random.pick([' ', '_', ' ']));
      },
      group: () => random.pick(groups),
      orgword: () => random.pick(orgWords),
      Orgword: () => capitalized(random.pick(orgWords)),
      ORGWORD: () => random.pick(orgWords).toUpperCase(),
      kin: () =>
        random.pick(['', '', '', 'great ', 'great great ', 'step', 'late ', 'older ', 'little ']) +
        random.pick(kin) +
        (random.chance(0.1) ? '-in-law' : ''),
      department: () => random.pick(departments),
      job: () =>
        `${random.chance(0.4) ? `${random.pick(levels)} ` : ''}${random.chance(0.6) ? `${random.pick(fields)} ` : ''}${random.pick(jobs)}`,
      degree: () => random.pick(degrees),
      product: () =>
        [random.pick(goods), capitalized(this.words.noun()), capitalized(this.words.noun(8))]
          .slice(0, random.int(2, 3))
          .join(' '),
    };
  }
}
