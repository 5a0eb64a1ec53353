/** Texts without values, and sentences with names beside values: the corpora and the templates of the other trainings. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Random } from '../random.ts';
import { readTemplates } from '../templates.ts';
import { Draft, type MarkedText } from './draft.ts';
import { ValueForms } from './valueForms.ts';

const LONGEST = 900;

const corpus = (name: string, separator: string): string[] =>
  gunzipSync(readFileSync(new URL(`../corpus/${name}.txt.gz`, import.meta.url)))
    .toString()
    .split(separator)
    .map((line) => line.replace(/^\w\w\t/, ''))
    .filter((line) => line.length > 3);

const sets = {
  public: ['public', 'negatives', 'science', 'notices', 'knowledge'],
  personal: ['personal', 'english', 'everyday', 'foreign', 'small', 'work', 'carriers'],
} as const;

export class BackgroundTexts {
  /** Given and family names. */
  readonly names: readonly string[];
  private readonly random: Random;
  private readonly forms: ValueForms;
  private readonly public: readonly string[];
  private readonly personal: readonly string[];
  private readonly code = corpus('code', '\0');
  private readonly plain = [...corpus('foreign', '\0'), ...corpus('talk', '\0'), ...corpus('catalogues', '\0')];

  /** Everyday words, from the texts in several languages. */
  private readonly words = [
    ...new Set(this.plain.slice(0, 4000).flatMap((text) => text.toLowerCase().match(/\p{Ll}{3,9}/gu) ?? [])),
  ];
  private readonly technical = readFileSync(new URL('./technical.txt', import.meta.url), 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('\\n', '\n'));

  constructor(random: Random, names: readonly string[]) {
    this.random = random;
    this.names = names;
    this.forms = new ValueForms(random);
    this.public = sets.public.flatMap((set) => readTemplates(set).map(({ text }) => text));
    this.personal = sets.personal.flatMap((set) => readTemplates(set).map(({ text }) => text));
  }

  /** A whole text without values. */
  text(): MarkedText {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.3) return new Draft().put(this.piece(random.pick(this.code)));
    if (chance < 0.6) return this.machine(random.int(1, 6));
    if (chance < 0.66) return new Draft().put(this.piece(random.pick(this.plain)));
    const draft = new Draft();
    for (let left = random.int(1, 4); left > 0; left--)
      draft.add(this.filled(random.pick(this.public), 'O')).put(random.pick([' ', '\n', '\n\n']));
    return draft;
  }

  /** A sentence that can stand beside a value. */
  neighbour(): MarkedText {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.12) return this.machine(1);
    if (chance < 0.28) return new Draft().put(random.pick(this.plain).slice(0, 200));
    return chance < 0.5
      ? this.filled(random.pick(this.public), 'O')
      : this.filled(random.pick(this.personal), undefined);
  }

  /** Lines of machines and notes. Several lines of one sort are a log or a table. */
  private machine(count: number): MarkedText {
    const { random } = this;
    const draft = new Draft();
    let line = random.pick(this.technical);
    for (let left = count; left > 0; left--) {
      if (random.chance(0.5)) line = random.pick(this.technical);
      draft.put(`${this.machineLine(line)}${left > 1 ? random.pick(['\n', '\n', '\n', ' ']) : ''}`);
    }
    return draft;
  }

  private machineLine(line: string): string {
    const { random, names, forms } = this;
    const word = (): string => (random.chance(0.5) ? random.pick(names).toLowerCase() : random.pick(this.words));
    const signs: Readonly<Record<string, () => string>> = {
      '#': () => random.format('#'),
      '~': () => random.pick(Array.from('0123456789abcdef')),
      '^': () => random.format('?'),
      '{w}': word,
      '{W}': () => (random.chance(0.5) ? word().toUpperCase() : `${word()[0]?.toUpperCase() ?? ''}${word().slice(1)}`),
      '{n}': () => random.pick(names),
      '{d}': () => forms.date(1990, 2027),
      '{t}': () => random.format(random.pick(['1#:3#', '0#:2#:1#', '1#:4#:##'])),
    };
    return line.replace(/[#~^]|\{\w\}/g, (sign) => signs[sign]?.() ?? sign);
  }

  private piece(text: string): string {
    if (text.length <= LONGEST) return text;
    const from = this.random.int(0, text.length - LONGEST);
    return text.slice(from, from + LONGEST);
  }

  /**
   * Fills the placeholders of a template.
   * @param kind of its numbers. Undefined: nobody knows whether they are values.
   */
  private filled(template: string, kind: 'O' | undefined): MarkedText {
    const { random, names, forms } = this;
    const draft = new Draft();
    for (const piece of template.replace(/\[[PLO] ([^\]]+)\]/g, '$1').split(/(\{\w+(?:#\w+)?\})/)) {
      const [, name] = /^\{(\w+?)(?:#\w+)?\}$/.exec(piece) ?? [];
      if (name === undefined) {
        // A number in a text about private persons can be a value.
        if (kind === 'O') draft.put(piece);
        else for (const part of piece.split(/(\S*\d\S*)/)) draft.value(part, /\d/.test(part) ? undefined : 'O');
      } else if (name === 'per') draft.put(`${random.pick(names)} ${random.pick(names)}`);
      else if (/^(?:given|family|name|formal|city|home|country|region|place|org)$/.test(name))
        draft.put(random.pick(names));
      else if (name === 'date') draft.value(forms.date(1950, 2026), kind);
      else if (/^(?:adr|street|postcode|email|phone|handle|id|iban|ip|num9|num6)$/.test(name))
        draft.value(forms.id(), undefined);
      else if (name.startsWith('num')) draft.put(random.format('#'.repeat(Number(name.slice(3)) || 2)));
      else if (name === 'time') draft.put(random.format('1#:##'));
      else if (name === 'money') draft.put(random.format('$###'));
      else if (name === 'version') draft.put(random.format('#.#.##'));
      else draft.put(random.pick(names).toLowerCase());
    }
    return draft;
  }
}
