/**
 * The held-out set. Neither training nor the choice of the shipped model reads its templates and names. Its scores therefore
 * estimate the quality on unseen texts.
 */
import { readFileSync } from 'node:fs';
import type { TagKind } from '../../../guardrail/detection/ner/labels.ts';
import type { LabelledSpan } from '../labelledText.ts';
import { partOf, towns } from '../lexicon.ts';
import { namePools, type NamePool } from '../namePools.ts';
import { Random } from '../random.ts';
import { heldOutNames, type HeldOutLanguage } from './names.ts';

export interface HeldOutTemplate {
  readonly language: HeldOutLanguage;
  readonly register: string;
  readonly template: string;
}

export interface HeldOutText {
  readonly id: string;
  readonly language: HeldOutLanguage;
  readonly register: string;
  readonly text: string;
  readonly spans: readonly LabelledSpan[];
}

const seed = 77_310_429;
/** Number of texts for each template. */
const times = 20;
/** Share of people and towns of another country. */
const foreignShare = 0.15;

/**
 * Reads the templates of one language. A line has a register and a template, separated by a tab. `\n` breaks a line,
 * `{given#a}` and `{family#a}` name the same person, `|small` and `|caps` write a value in small letters or capitals. A
 * template without a placeholder for a name contains no name.
 * @throws Error with the number of a malformed line.
 */
export function parseHeldOutTemplates(language: HeldOutLanguage, content: string): HeldOutTemplate[] {
  return content.split('\n').flatMap((line, index) => {
    if (line === '') return [];
    const [register = '', ...rest] = line.split('\t');
    const template = rest.join('\t').replaceAll('\\n', '\n').replaceAll('\\t', '\t');
    if (register === '' || template === '')
      throw new Error(`Line ${index + 1} of the held-out templates of "${language}" is not "register, template".`);
    return [{ language, register, template }];
  });
}

/** The templates of all languages. */
export const readHeldOutTemplates = (): HeldOutTemplate[] =>
  (Object.keys(heldOutNames) as HeldOutLanguage[]).flatMap((language) => {
    const file = new URL(`../languages/${language}/heldOut/templates.txt`, import.meta.url);
    return parseHeldOutTemplates(language, readFileSync(file, 'utf8'));
  });

const kinds: Readonly<Record<string, TagKind>> = {
  per: 'PERSON',
  given: 'PERSON',
  family: 'PERSON',
  formal: 'PERSON',
  town: 'LOCATION',
  org: 'ORGANIZATION',
  adr: 'ADDRESS',
  street: 'ADDRESS',
};

interface Person {
  readonly given: string;
  readonly family: string;
}

const heldOut = (names: readonly string[]): string[] => names.filter((name) => partOf(name) === 'heldOut');
const isListed = new Set(namePools.flatMap(({ given, family }) => [...given, ...family]));
/** Names that are in no list, or are held out. */
const unseen = (names: readonly string[] = []): string[] =>
  names.filter((name) => !isListed.has(name) || partOf(name) === 'heldOut');

const pools: readonly NamePool[] = namePools
  .map((pool) => ({ ...pool, given: heldOut(pool.given), family: heldOut(pool.family) }))
  .filter(({ given, family }) => given.length > 0 && family.length > 0);
const heldOutTowns = towns.filter(({ name }) => partOf(name) === 'heldOut');
const townsOf = Map.groupBy(heldOutTowns, ({ country }) => country);

/** Fills templates with held-out names. The output is the same on every machine. */
class HeldOutFiller {
  private readonly random: Random;
  private readonly language: HeldOutLanguage;

  constructor(random: Random, language: HeldOutLanguage) {
    this.random = random;
    this.language = language;
  }

  fill(template: string): Pick<HeldOutText, 'text' | 'spans'> {
    const people = new Map<string, Person>();
    const spans: LabelledSpan[] = [];
    let text = '';
    let last = 0;
    for (const match of template.matchAll(/\{(\w+)(?:#(\w+))?(?:\|(small|caps))?\}/g)) {
      const [whole, name = '', reference, look] = match;
      text += template.slice(last, match.index);
      last = match.index + whole.length;
      const plain = this.value(name, reference, people);
      const value = look === 'small' ? plain.toLowerCase() : look === 'caps' ? plain.toUpperCase() : plain;
      const kind = kinds[name];
      if (kind) spans.push({ start: text.length, end: text.length + value.length, kind });
      text += value;
    }
    return { text: text + template.slice(last), spans };
  }

  private value(name: string, reference: string | undefined, people: Map<string, Person>): string {
    const { random } = this;
    const { organizations, streets, towns: forms, phones, dates } = heldOutNames[this.language];
    switch (name) {
      case 'per':
      case 'given':
      case 'family':
      case 'formal': {
        const person = (reference === undefined ? undefined : people.get(reference)) ?? this.person();
        if (reference !== undefined) people.set(reference, person);
        if (name === 'given' || name === 'family') return person[name];
        return name === 'per' ? `${person.given} ${person.family}` : `${person.family}, ${person.given}`;
      }
      case 'town':
        return this.town();
      case 'org':
        return random.pick(organizations);
      case 'street':
        return this.street(streets);
      case 'adr':
        return `${this.street(streets)}, ${random.pick(forms).replace('@', this.town())}`;
      case 'phone':
        return random.pick(phones);
      case 'date':
        return random.pick(dates);
      case 'time':
        return random.format(random.pick(['1#:4#', '0#:2#', '1#:0#:3#']));
      case 'num':
        return String(random.int(2, 98));
      default:
        throw new Error(`Unknown placeholder in the held-out templates: {${name}}.`);
    }
  }

  private street(streets: readonly string[]): string {
    return this.random.pick(streets).replace('#', String(this.random.int(1, 140)));
  }

  private person(): Person {
    const { random } = this;
    const pool = (): NamePool => {
      if (random.chance(foreignShare)) return random.pick(pools);
      const key = random.pick(heldOutNames[this.language].pools);
      const own = pools.find((one) => one.key === key);
      if (!own) throw new Error(`List "${key}" has no held-out name.`);
      const { given, family } = heldOutNames[this.language];
      return { ...own, given: [...own.given, ...unseen(given)], family: [...own.family, ...unseen(family)] };
    };
    const own = pool();
    return { given: random.pick(own.given), family: random.pick(random.chance(0.1) ? pool().family : own.family) };
  }

  private town(): string {
    const { country } = heldOutNames[this.language];
    const list = this.random.chance(foreignShare) ? heldOutTowns : (townsOf.get(country) ?? heldOutTowns);
    return this.random.pickUsual(list).name;
  }
}

/** All texts of the held-out set. */
export function heldOutTexts(templates: readonly HeldOutTemplate[] = readHeldOutTemplates()): HeldOutText[] {
  const random = new Random(seed);
  return templates.flatMap(({ language, register, template }, index) => {
    const filler = new HeldOutFiller(random, language);
    const count = template.includes('{') ? times : 1;
    return Array.from({ length: count }, (_, at) => ({
      id: `${language} ${register} ${index + 1}.${at + 1}`,
      language,
      register,
      ...filler.fill(template),
    }));
  });
}
