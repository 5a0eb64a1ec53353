/** Writes texts with labels and values: sentences, forms, tables, JSON, SQL, logs, chats. Harmless values of the same forms stand between. */
import type { ValueClass } from '../../../guardrail/detection/ner/tokenNetwork.ts';
import type { Random } from '../random.ts';
import { Draft, type MarkedText } from './draft.ts';
import { allLabels, isKept, surroundingsOf, type Label } from './labels.ts';
import { ValueForms } from './valueForms.ts';

/** The share of values that are harmless. */
const HARMLESS = 0.48;
/** How often each class is drawn, among the values that are not harmless. */
const weights: readonly { readonly kind: ValueClass; readonly weight: number }[] = [
  { kind: 'ID', weight: 52 },
  { kind: 'USERNAME', weight: 13 },
  { kind: 'PASSWORD', weight: 14 },
  { kind: 'DATE_OF_BIRTH', weight: 10 },
  { kind: 'PHONE_NUMBER', weight: 5 },
  { kind: 'LICENSE_PLATE', weight: 6 },
];
const placeholders =
  'none|unknown|n/a|required|invalid|missing|null|undefined|true|false|changeme|xxxxxxxx|********|${VAR}|<your value>|{{value}}|REDACTED|string|optional|not found|incorrect|expired|see below|to follow|pending|%s|TODO|...'.split(
    '|',
  );
/** What is said of a label without its value. */
const mentions =
  'I lost my {L}|where do I find the {L}?|What is a {L}?|Please enter your {L}.|The {L} is missing.|The {L} must have # digits.|{L} (max ## characters)|{L} required|invalid {L}|Do you need my {L}?|# of ## {L} checked|we store the {L} for ## days|validate {L}: length ##|the {L} field is on page #|forgot {L}|reset {L} in step #|Error ###: {L} does not match|{L} ist falsch|{L} fehlt|{L} vergessen|quel {L} ?|falta {L}|manca {L}|{L} ontbreekt|brak {L}|{L} chybí'.split(
    '|',
  );

const chatSentences =
  'ok thanks|yes please|no idea|can you help?|one moment|sure|hi|hello|still there?|got it|sounds good|that is all|danke|merci|gracias|grazie|bedankt|obrigado|dzięki|tack|tak|kiitos|děkuji|teşekkürler'.split(
    '|',
  );

/** What the writer takes from elsewhere. */
export interface Supplies {
  /** Names of people and places. */
  readonly names: readonly string[];
  /** A sentence that stands beside values. */
  readonly neighbour: () => MarkedText;
}

export class ValueTexts {
  private readonly random: Random;
  private readonly forms: ValueForms;
  private readonly supplies: Supplies;
  private readonly labels: ReadonlyMap<string, readonly Label[]>;
  private readonly languages: readonly string[];
  private language = 'en';

  /** @param kept whether to use the labels that no network learns, or all others. */
  constructor(random: Random, supplies: Supplies, { kept = false } = {}) {
    this.random = random;
    this.forms = new ValueForms(random);
    this.supplies = supplies;
    const own = allLabels.filter((label) => isKept(label) === kept);
    this.labels = Map.groupBy(own, ({ kind, language }) => `${kind} ${language}`);
    this.languages = [...new Set(own.map(({ language }) => language))];
  }

  /** One text of any sort. */
  text(): MarkedText {
    const { random } = this;
    this.language = random.chance(0.4) ? 'en' : random.pick(this.languages);
    const chance = random.next();
    if (chance < 0.16) return this.sentence();
    if (chance < 0.46) return this.message();
    if (chance < 0.58) return this.form();
    if (chance < 0.68) return this.table();
    if (chance < 0.77) return this.json();
    if (chance < 0.84) return this.pairs();
    if (chance < 0.9) return this.sql();
    if (chance < 0.95) return this.chat();
    return this.log();
  }

  private kind(): ValueClass {
    return this.random.chance(HARMLESS) ? 'O' : this.random.weighted(weights).kind;
  }

  private label(kind: ValueClass): Label {
    const { random, labels, language } = this;
    const own = random.chance(0.88) ? labels.get(`${kind} ${language}`) : undefined;
    return random.pick(own ?? labels.get(`${kind} en`) ?? allLabels.filter((label) => label.kind === kind));
  }

  /** A label as it is written: with other capitals, with "new", with a possessive. */
  private written({ text, language }: Label): string {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.12) return text.toUpperCase();
    if (chance < 0.3) return text.toLowerCase();
    if (chance < 0.5) return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
    if (chance < 0.56 && language === 'en')
      return `${random.pick(['new', 'old', 'your', 'her', 'their', 'current', 'temporary', 'customer', 'spouse'])} ${text}`;
    if (chance < 0.6) return `${random.pick(this.supplies.names)} ${text}`;
    return text;
  }

  private value(draft: Draft, label: Label): void {
    const { random, forms } = this;
    if (label.kind !== 'O' && random.chance(0.07)) draft.put(random.pick(placeholders));
    else draft.value(forms.ofLabel(label), label.kind);
  }

  private sentence(): MarkedText {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.12) return this.mention();
    if (chance < 0.2) return this.unlabelled();
    const kind = this.kind();
    const own = surroundingsOf(this.language);
    const pattern = random.pick(own.length > 0 && random.chance(0.55) ? own : surroundingsOf('any'));
    return this.filled(pattern, kind);
  }

  private filled(pattern: string, kind: ValueClass): MarkedText {
    const draft = new Draft();
    let label = this.label(kind);
    let isUsed = false;
    for (const piece of pattern.split(/(\{[LV]\})/)) {
      if (piece === '{L}') {
        if (isUsed) label = this.label(this.random.chance(0.5) ? kind : this.kind());
        isUsed = true;
        draft.put(this.written(label));
      } else if (piece === '{V}') this.value(draft, label);
      else draft.put(piece);
    }
    return draft;
  }

  private mention(): MarkedText {
    const { random } = this;
    const label = this.written(this.label(random.chance(0.7) ? random.weighted(weights).kind : 'O'));
    return new Draft().put(
      random
        .format(random.pick(mentions).replace('{L}', '\u0000').replaceAll('?', '\u0001'))
        .replace('\u0000', label)
        .replaceAll('\u0001', '?'),
    );
  }

  /** A value that the words around it tell, and that has no label. */
  private unlabelled(): MarkedText {
    const { random, forms } = this;
    const name = random.pick(this.supplies.names);
    const draft = new Draft();
    return random.pick([
      () => draft.put(`${name}, born `).value(forms.date(1930, 2020), 'DATE_OF_BIRTH').put(`, ${random.pick(['lives here', 'was admitted today', 'applied for a loan', 'has signed'])}.`),
      () => draft.put(`${name} (`).value(forms.date(1930, 2020), 'DATE_OF_BIRTH').put(')'),
      () => draft.put(`${name} (${random.pick(['*', 'b. ', 'geb. ', 'né le ', 'nata il ', 'f. ', 'ur. ', 'nar. '])}`).value(forms.date(1930, 2020), 'DATE_OF_BIRTH').put(')'),
      () => draft.put(random.pick(['a silver BMW, ', 'der rote Golf, ', 'the blue van ', 'une Clio grise ', 'una Panda bianca, ', 'el Seat negro ', 'de zwarte Volvo, ', 'my Corolla (', 'Ford Focus, ', 'Toyota Prius '])).value(forms.plate(), 'LICENSE_PLATE').put(random.pick([', left at noon', ' was parked here', '', ')', ', 2 doors'])),
      () => draft.put(random.pick(['log in as ', 'connect as ', 'sudo -u ', 'su - ', 'ssh ', 'add ', 'follow ', 'dm ', 'message ', 'ping ', 'ask '])).value(forms.username(), 'USERNAME').put(random.pick([' on discord', ' on insta', ' on steam', '', ' please', ' on github', ' on telegram', ' in the game'])),
      () => draft.put('<').value(forms.username(), 'USERNAME').put(`> ${random.pick(chatSentences)}`),
      () => draft.put('@').value(forms.username().replace('@', ''), 'USERNAME').put(` ${random.pick(chatSentences)}`),
      () => draft.put(`-u ${random.pick(['', "'"])}`).value(forms.username().replace('@', ''), 'USERNAME').put(random.pick([' -p', ' -p ', ':', ' --password '])).value(forms.password(), 'PASSWORD'),
      () => draft.put('login("').value(forms.username(), 'USERNAME').put('", "').value(forms.password(), 'PASSWORD').put('")'),
      () => draft.put(random.pick(['try ', 'it is still ', 'it was something like ', 'I think it was ', 'I set it to '])).value(forms.password(), 'PASSWORD').put(random.pick([' but the login fails', ', but it says wrong password', ' as the password', ' for the wifi', ' for the door'])),
      () => draft.put(`${random.pick(['The meeting is on ', 'published on ', 'since ', 'on ', 'Stand: ', 'le ', 'am ', 'il ', 'el '])}${forms.date(1990, 2027)}.`),
      () => draft.put(`${forms.harmless()} ${random.pick(['and', 'or', 'vs', ',', 'to', '-'])} ${forms.harmless()}`),
      () => draft.put(`${random.pick(['@media', '@override', '@types/node', '@param', '@param id', '@Test', '@acme/platform', '@babel/core@7.2'])} ${random.pick(chatSentences)}`),
      () => draft.put(`${random.pick(['Use', 'Buy', 'Install', 'The', 'Compare', 'Upgrade to', 'Boeing', 'Airbus', 'Galaxy', 'Route'])} ${forms.harmless()} ${random.pick(['now', 'today', 'with care', 'is out', 'is better'])}`),
    ])(); // prettier-ignore
  }

  /** Several sentences, of which some have no values. */
  private message(): MarkedText {
    const { random, supplies } = this;
    const draft = new Draft();
    for (let left = random.int(2, 6); left > 0; left--) {
      if (draft.text !== '') draft.put(random.pick([' ', ' ', '. ', '\n', '\n', '\n\n', ', ', ' · ', '; ', '  ']));
      const chance = random.next();
      if (chance < 0.4) draft.add(supplies.neighbour());
      else if (chance < 0.52)
        draft.put(
          `${random.pick(['', 'Name: ', 'Hi ', 'Dear ', 'Thanks, ', 'From: ', ''])}${random.pick(supplies.names)} ${random.pick(supplies.names)}`,
        );
      else draft.add(this.sentence());
    }
    return draft;
  }

  private form(): MarkedText {
    const { random, supplies } = this;
    const draft = new Draft();
    if (random.chance(0.4))
      draft.put(
        `${random.pick(supplies.names).toUpperCase()} ${random.pick(['GmbH', 'LTD', 'FORM', 'CARD', 'RECORD', 'SHEET', 'SPA', 'NV'])}\n`,
      );
    const joint = random.pick([
      ': ',
      ': ',
      ':',
      ' ',
      '  ',
      '\t',
      ' = ',
      ' - ',
      ':\n',
      '\n',
      ' | ',
      ' ..... ',
      ': **',
      ' / ',
    ]);
    const between = random.pick(['\n', '\n', '\n', '\n\n', ', ', ' | ', '; ', '   ', '\n- ']);
    for (let left = random.int(3, 9); left > 0; left--) {
      if (random.chance(0.2))
        draft.put(
          `${random.pick(['Name', 'Nom', 'Nome', 'Nombre', 'Patient', 'City', 'Ort', 'Contact'])}${joint}${random.pick(supplies.names)} ${random.pick(supplies.names)}`,
        );
      else {
        const label = this.label(this.kind());
        draft.put(`${this.written(label)}${joint}`);
        this.value(draft, label);
      }
      if (left > 1) draft.put(between);
    }
    return draft;
  }

  /** A label as the name of a column or a key. */
  private key(label: Label): string {
    const { random } = this;
    const words = label.text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? ['id'];
    const capitals = (word: string): string => `${word[0]?.toUpperCase() ?? ''}${word.slice(1).toLowerCase()}`;
    return random.pick([
      () => words.join('_').toLowerCase(),
      () => words.map((word, at) => (at === 0 ? word.toLowerCase() : capitals(word))).join(''),
      () => words.map(capitals).join(''),
      () => words.join('_').toUpperCase(),
      () => words.join('-').toLowerCase(),
      () => label.text.replaceAll('|', ''),
    ])();
  }

  private columns(): Label[] {
    return Array.from({ length: this.random.int(2, 5) }, () => this.label(this.kind()));
  }

  private table(): MarkedText {
    const { random, supplies } = this;
    const mark = random.pick([',', ',', ';', '\t', ' | ', ' | ', '  ', ', ']);
    const labels = this.columns();
    const nameAt = random.int(-1, labels.length);
    const draft = new Draft();
    const edge = mark === ' | ' && random.chance(0.6);
    const row = (cell: (label: Label, at: number) => void, name: () => string): void => {
      if (edge) draft.put('| ');
      for (let at = 0; at <= labels.length; at++) {
        const label = labels[at];
        if (at === nameAt) draft.put(name()).put(at < labels.length ? mark : '');
        if (label === undefined) continue;
        cell(label, at);
        if (at + 1 < labels.length || nameAt === labels.length) draft.put(mark);
      }
      if (edge) draft.put(' |');
      draft.put('\n');
    };
    const headless = random.chance(0.06);
    if (!headless)
      row(
        (label) => draft.put(this.key(label)),
        () => random.pick(['name', 'Name', 'customer', 'full_name', 'Nachname', 'nom']),
      );
    if (edge) draft.put(`|${'---|'.repeat(labels.length + (nameAt >= 0 ? 1 : 0))}\n`);
    const makers = labels.map((label) => this.alike(label));
    for (let left = random.int(1, 6); left > 0; left--)
      row(
        ({ kind }, at) => draft.value(makers[at]?.() ?? '', headless && kind !== 'O' ? undefined : kind),
        () => `${random.pick(supplies.names)} ${random.pick(supplies.names)}`,
      );
    return draft;
  }

  /** Values of one form: the rows of a column look alike. */
  private alike(label: Label): () => string {
    const { random, forms } = this;
    const { kind } = label;
    if (kind === 'USERNAME' || kind === 'PASSWORD' || kind === 'DATE_OF_BIRTH') return () => forms.of(kind);
    const first = forms.ofLabel(label).replace(/["',;|\t]/g, '');
    return () => this.sameForm(first, random);
  }

  /** Another value of the form of one. */
  private sameForm(value: string, random: Random): string {
    return value
      .replace(/\d/g, () => random.format('#'))
      .replace(/[A-Z](?![a-z])/g, (letter) => (random.chance(0.3) ? random.format('?') : letter));
  }

  private json(): MarkedText {
    const { random, supplies } = this;
    const draft = new Draft();
    const indent = random.pick(['', '', '\n  ']);
    const quote = random.chance(0.12) ? "'" : random.chance(0.1) ? '\\"' : '"';
    const space = random.pick(['', ' ', ' ']);
    const object = (depth: number): void => {
      draft.put('{').put(indent);
      const size = random.int(2, 6);
      for (let at = 0; at < size; at++) {
        if (depth < 2 && random.chance(0.15)) {
          draft.put(
            `${quote}${random.pick(['customer', 'user', 'data', 'account', 'meta', 'config', 'order', 'person', 'package', 'params'])}${quote}:${space}`,
          );
          object(depth + 1);
        } else if (random.chance(0.15))
          draft.put(
            `${quote}name${quote}:${space}${quote}${random.pick(supplies.names)} ${random.pick(supplies.names)}${quote}`,
          );
        else {
          const label = this.label(this.kind());
          const { kind } = label;
          draft.put(`${quote}${this.key(label)}${quote}:${space}`);
          const bare = random.chance(0.2);
          if (bare) draft.value(random.format('#'.repeat(random.int(kind === 'O' ? 1 : 5, 9))), kind);
          else {
            draft.put(quote);
            this.value(draft, label);
            draft.put(quote);
          }
        }
        if (at + 1 < size) draft.put(`,${space}${indent}`);
      }
      draft.put(indent.replace('  ', '')).put('}');
    };
    if (random.chance(0.3))
      draft.put(random.pick(['payload=', 'body: ', 'const user = ', 'response = ', 'Here is the JSON:\n', 'INFO ']));
    object(0);
    return draft;
  }

  /** Lines of an environment, YAML, a query or XML. */
  private pairs(): MarkedText {
    const { random } = this;
    const draft = new Draft();
    const [before, joint, after] = random.pick([
      ['', '=', '\n'],
      ['export ', '=', '\n'],
      ['', ': ', '\n'],
      ['  ', ': "', '"\n'],
      ['&', '=', ''],
      ['<', '>', '</x>\n'],
      ['', '=', ' '],
      ['', '="', '" '],
      ['--', ' ', ' '],
      ['--', '=', ' '],
      ['$', " = '", "';\n"],
      ['', ': ', ', '],
      ['', '=', ';'],
      ['const ', ' = "', '";\n'],
    ]); // prettier-ignore
    if (before === '&') draft.put('https://shop.example/form?x=1');
    for (let left = random.int(2, 7); left > 0; left--) {
      const label = this.label(this.kind());
      draft.put(before).put(this.key(label).replaceAll(' ', '_')).put(joint);
      this.value(draft, label);
      draft.put(after);
    }
    return draft;
  }

  private sql(): MarkedText {
    const { random, supplies } = this;
    const draft = new Draft();
    const labels = this.columns();
    if (random.chance(0.35)) {
      draft.put(
        random.pick([
          'SELECT * FROM users WHERE ',
          'UPDATE accounts SET active = 1 WHERE ',
          'DELETE FROM members WHERE ',
        ]),
      );
      labels.slice(0, 2).forEach((label, at) => {
        draft
          .put(`${at > 0 ? ' AND ' : ''}${this.key(label).replaceAll(/[^\p{L}\p{N}]/gu, '_')} = '`)
          .value(this.forms.ofLabel(label), label.kind)
          .put("'");
      });
      return draft.put(';');
    }
    const makers = labels.map((label) => this.alike(label));
    const keys = labels.map((label) => this.key(label).replaceAll(/[^\p{L}\p{N}]/gu, '_'));
    draft.put(
      `INSERT INTO ${random.pick(['customers', 'users', 'members', 'orders', 'products', 'patients', 'staff'])} (name, ${keys.join(', ')}) VALUES`,
    );
    for (let left = random.int(1, 4); left > 0; left--) {
      draft.put(`${random.pick([' ', '\n'])}('${random.pick(supplies.names)} ${random.pick(supplies.names)}'`);
      labels.forEach(({ kind }, at) =>
        draft
          .put(", '")
          .value(makers[at]?.() ?? '', kind)
          .put("'"),
      );
      draft.put(left > 1 ? '),' : ');');
    }
    return draft;
  }

  private chat(): MarkedText {
    const { random, supplies, forms } = this;
    const draft = new Draft();
    const handles = [forms.username().replace('@', ''), forms.username().replace('@', '')];
    const isNick = random.chance(0.5);
    const people = [random.pick(supplies.names), random.pick(supplies.names)];
    const form = random.pick(['<>', '[]', ':', '-']);
    for (let left = random.int(2, 6); left > 0; left--) {
      if (random.chance(0.4)) draft.put(`[${random.format('1#:##')}] `);
      const at = left % 2;
      if (form === '<>' || form === '[]') draft.put(form.slice(0, 1));
      if (isNick) draft.value(handles[at] ?? '', 'USERNAME');
      else draft.put(people[at] ?? '');
      draft.put(form === '<>' || form === '[]' ? `${form.slice(1)} ` : form === ':' ? ': ' : ' - ');
      const chance = random.next();
      if (chance < 0.5) draft.add(this.sentence());
      else if (chance < 0.75) draft.put(random.pick(chatSentences));
      else draft.add(supplies.neighbour());
      draft.put('\n');
    }
    return draft;
  }

  private log(): MarkedText {
    const { random } = this;
    const draft = new Draft();
    for (let left = random.int(1, 4); left > 0; left--) {
      draft.put(
        `${random.format('2025-0#-1# 1#:##:##')} ${random.pick(['INFO', 'WARN', 'ERROR', 'DEBUG', 'host1 app[####]:'])} ${random.pick(['', 'login ok ', 'payment failed ', 'request done ', 'sync ', 'job started '])}`,
      );
      for (let pairs = random.int(1, 4); pairs > 0; pairs--) {
        const label = this.label(this.kind());
        draft.put(`${this.key(label).replaceAll(' ', '_')}=`);
        this.value(draft, label);
        draft.put(' ');
      }
      draft.put('\n');
    }
    return draft;
  }
}
