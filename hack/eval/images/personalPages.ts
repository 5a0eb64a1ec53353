/** Pages with personal values. All people are invented, and drawn anew for each page. */
import type { Random } from '../../training/random.ts';
import * as layouts from './layouts.ts';
import type { Bubbles, Face, Layout, Theme } from './layouts.ts';
import { personOf, type Country, type Person, type ValueKind } from './people.ts';
import { phrasesOf, type Phrases } from './phrases.ts';

/** Makes a page with people of a country. */
export type PageOf = (country: Country, random: Random) => Layout;

type MarkedPerson = Readonly<Partial<Record<ValueKind, string>>>;

const faces: Partial<Record<Country, Face>> = { kr: 'kr', cn: 'cn', jp: 'jp' };
const marked = (kind: ValueKind, text: string): string => `<x-v k="${kind}">${text}</x-v>`;
const markedPerson = (person: Person): MarkedPerson =>
  Object.fromEntries(Object.entries(person).map(([kind, text]) => [kind, marked(kind as ValueKind, text)]));

/** The people of a page, marked. Their names differ. */
function drawn(country: Country, random: Random, count: number): MarkedPerson[] {
  const people = new Map<string, Person>();
  while (people.size < count) {
    const person = personOf(country, random);
    people.set(person.name, person);
  }
  return [...people.values()].map(markedPerson);
}

/** Replaces `{name}` by a value of the first person, `{name2}` by one of the second. */
const filled = (text: string, people: readonly MarkedPerson[]): string =>
  text.replace(
    /\{([a-z]+)(\d?)\}/g,
    (_, kind: ValueKind, which: string) => people[Number(which || '1') - 1]?.[kind] ?? '',
  );

const field = (phrases: Phrases, person: MarkedPerson, kind: ValueKind): (readonly [string, string])[] =>
  person[kind] === undefined ? [] : [[phrases.labels[kind], person[kind]]];
const fields = (phrases: Phrases, person: MarkedPerson, kinds: readonly ValueKind[]): (readonly [string, string])[] =>
  kinds.flatMap((kind) => field(phrases, person, kind));

const chat =
  (bubbles: Bubbles): PageOf =>
  (country, random) => {
    const { chat: lines, labels } = phrasesOf(country);
    const people = drawn(country, random, 4);
    const all = [
      ...lines.map((line) => filled(line, people)),
      ...lines.slice(1, 5).map((line) => filled(line, people.slice(2))),
    ];
    return layouts.chat(labels.phone, all, bubbles, faces[country]);
  };

const mail =
  (theme: Theme): PageOf =>
  (country, random) => {
    const {
      letter,
      words: [subject, closing],
    } = phrasesOf(country);
    const people = drawn(country, random, 2);
    const [one = {}, two = {}] = people;
    const address = ({ name, mail: box }: MarkedPerson): string => `${name ?? ''} &lt;${box ?? ''}&gt;`;
    const paragraphs = letter.map((text) => filled(text, people));
    return layouts.mail(
      {
        subject,
        from: address(two),
        to: address(one),
        paragraphs,
        signature: [closing, two.name ?? '', two.phone ?? ''],
      },
      theme,
      faces[country],
    );
  };

const form =
  (isAbove: boolean, theme: Theme): PageOf =>
  (country, random) => {
    const phrases = phrasesOf(country);
    const [person = {}] = drawn(country, random, 1);
    const kinds: readonly ValueKind[] = ['name', 'born', 'phone', 'mail', 'street', 'town', 'iban', 'id', 'card'];
    return layouts.form(phrases.words[2], fields(phrases, person, kinds), isAbove, theme, faces[country]);
  };

const STATES = ['open', 'paid', 'waiting', 'closed', 'sent'];
const table =
  (theme: Theme): PageOf =>
  (country, random) => {
    const phrases = phrasesOf(country);
    const kinds: readonly ValueKind[] = ['name', 'born', 'phone', 'mail'];
    const head = ['#', ...kinds.map((kind) => phrases.labels[kind as 'name']), 'EUR', 'Status'];
    const rows = drawn(country, random, 5).map((person, at) => [
      String(at + 1),
      ...kinds.map((kind) => person[kind] ?? ''),
      random.format('##.##'),
      random.pick(STATES),
    ]);
    return layouts.table(phrases.words[2], head, rows, theme, faces[country]);
  };

const terminal: PageOf = (country, random) => {
  const people = drawn(country, random, 4);
  const time = (at: number): string => `2026-03-0${1 + at} 1${at}:${random.format('4#:2#')}`;
  return layouts.terminal([
    '<span class="p">$</span> journalctl -u billing --since today | grep customer',
    ...people.flatMap(({ name, mail: box, phone, iban }, at) => [
      `${time(at)} INFO  billing: invoice ${random.format('20###')} sent to ${box ?? ''}`,
      `${time(at)} DEBUG customer={"name": "${name ?? ''}", "phone": "${phone ?? ''}"}`,
      ...(iban !== undefined && at === 0 ? [`${time(at)} WARN  payment refused for ${iban}`] : []),
      `${time(at)} INFO  retry in 30 s, queue length ${random.int(2, 90)}`,
    ]),
    '<span class="p">$</span> _',
  ]);
};

const SENDERS = [
  'North Harbour Housing',
  'Riverside Health Insurance',
  'Bridgewater Savings Bank',
  'Meadowbrook Utilities',
];
const letter: PageOf = (country, random) => {
  const phrases = phrasesOf(country);
  const people = drawn(country, random, 2);
  const [{ name = '', street = '', town = '', iban, id } = {}, { name: clerk = '' } = {}] = people;
  const lines = [...field(phrases, { iban: iban ?? '' }, 'iban'), ...field(phrases, { id: id ?? '' }, 'id')];
  return layouts.letter(
    {
      sender: random.pick(SENDERS),
      address: [name, street, town],
      reference: [`Ref. ${random.format('K-####/##')}`, '3 / 2026'],
      subject: phrases.words[0],
      paragraphs: [
        ...phrases.letter.map((text) => filled(text, people)),
        ...lines.flatMap(([label, value]) => (value === '' ? [] : [`${label}: ${value}`])),
      ],
      signature: [phrases.words[1], clerk],
    },
    faces[country] ?? 'serif',
  );
};

const badge: PageOf = (country, random) => {
  const phrases = phrasesOf(country);
  const [person = {}] = drawn(country, random, 1);
  const organisation = random.pick([
    'Harbour Library',
    'City Swimming Club',
    'Northgate Hospital',
    'University Sports',
  ]);
  const color = random.pick(['#1d4f91', '#7a1f3d', '#1f6b4a', '#3d3d46']);
  return layouts.badge(
    organisation,
    fields(phrases, person, ['name', 'born', 'phone', 'street', 'town', 'id']),
    color,
    faces[country],
  );
};

const receipt: PageOf = (country, random) => {
  const phrases = phrasesOf(country);
  const [{ name = '', phone = '', street = '', town = '', mail: box = '', card = '' } = {}] = drawn(country, random, 1);
  const items = ['Soap 250 ml', 'Batteries AA x4', 'Coffee 500 g', 'Notebook A5', 'Light bulb E27'].map((item) => [
    item,
    random.format('#.##'),
  ]);
  return layouts.receipt(
    'CORNER MARKET',
    [
      ...items,
      [],
      ['TOTAL', random.format('2#.##')],
      ['VISA', ''],
      [card, ''],
      [],
      [phrases.labels.name, ''],
      [name, ''],
      [street, ''],
      [town, ''],
      [`Tel. ${phone}`, ''],
      [box, ''],
    ],
    faces[country] ?? 'mono',
  );
};

export const personalPages = {
  'chat light': chat('light'),
  'chat green': chat('green'),
  'chat dark': chat('dark'),
  'mail light': mail('light'),
  'mail dark': mail('dark'),
  'form above light': form(true, 'light'),
  'form above dark': form(true, 'dark'),
  'form beside': form(false, 'light'),
  'form beside dark': form(false, 'dark'),
  'table light': table('light'),
  'table dark': table('dark'),
  terminal,
  letter,
  badge,
  receipt,
} as const satisfies Record<string, PageOf>;
