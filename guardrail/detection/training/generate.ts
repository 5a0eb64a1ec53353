import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { TagKind } from '../ner/labels.ts';
import { Catalogues } from './catalogues.ts';
import { capitalized } from './words.ts';
import { readTemplates, type TextInLanguage } from './templates.ts';
import { Entities } from './entities.ts';
import { Fillers } from './fillers.ts';
import { foreignTexts, foreignWords, messages, namePools, wideWords, type Part } from './lexicon.ts';
import { type WordNet } from './wordNet.ts';
import { Random } from './random.ts';
import { languages, verbForms, vocabularyOf, type Language } from './vocabulary.ts';

export interface LabelledSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: TagKind;
}

export interface LabelledText {
  readonly text: string;
  readonly spans: readonly LabelledSpan[];
  /** The template of the text, for reports. */
  readonly source: string;
}

interface Piece {
  readonly text: string;
  readonly kind?: TagKind;
}

const lines = (set: string): string[] => readTemplates(set).map(({ text }) => text);

const kindOfPlaceholder: Readonly<Record<string, TagKind>> = {
  per: 'PERSON',
  given: 'PERSON',
  family: 'PERSON',
  name: 'PERSON',
  formal: 'PERSON',
  city: 'LOCATION',
  country: 'LOCATION',
  region: 'LOCATION',
  place: 'LOCATION',
  org: 'ORGANIZATION',
  adr: 'ADDRESS',
  street: 'ADDRESS',
  streetname: 'ADDRESS',
  postcode: 'ADDRESS',
};

interface Replacements {
  /** Lists of words that are lower case within a sentence. Each list is picked equally often. */
  readonly words: readonly (readonly string[])[];
  /** Lists of German nouns. */
  readonly nouns: readonly (readonly string[])[];
}

function replacements(): Map<string, Replacements> {
  return new Map(
    languages.map((language) => {
      const { nouns, adjectives } = vocabularyOf(language);
      const wide = wideWords[language];
      const small = language === 'de' ? [adjectives, verbForms(language)] : [nouns, adjectives, verbForms(language)];
      return [language, { words: [wide.words, wide.words, ...small], nouns: [wide.nouns, nouns] }];
    }),
  );
}

const givenNames: ReadonlySet<string> = new Set(
  namePools.flatMap(({ given }) => given.map((name) => name.toLowerCase())),
);

const languageOf = ({ language }: TextInLanguage): Language | undefined =>
  languages.find((known) => known === language);

/** Shifts spans by an offset. */
const shifted = (spans: readonly LabelledSpan[], by: number): LabelledSpan[] =>
  spans.map((span) => ({ ...span, start: span.start + by, end: span.end + by }));

/** Generates labelled texts from one part of the names and templates. The same seed generates the same texts. */
export class Generator {
  private readonly random: Random;
  private readonly entities: Entities;
  private readonly fillers: Fillers;
  private readonly wordNet: WordNet;
  private readonly ordinary: ReadonlySet<string> = foreignWords();
  private readonly replacements = replacements();

  constructor(seed: number, part: Part, wordNet: WordNet) {
    this.random = new Random(seed);
    this.entities = new Entities(this.random, part, wordNet);
    this.fillers = new Fillers(this.random, wordNet);
    this.wordNet = wordNet;
  }

  /** Fills each template of a file `times` times. */
  templates(file: string, times: number): LabelledText[] {
    return lines(file).flatMap((template) => Array.from({ length: times }, () => this.fill(template)));
  }

  /** Joins several sentences, forms or messages, as in a conversation. */
  passages(files: readonly string[], count: number): LabelledText[] {
    const { random } = this;
    const templates = files.flatMap(lines).filter((line) => line.length > 12 && line.length < 120);
    return Array.from({ length: count }, () => {
      let text = '';
      const spans: LabelledSpan[] = [];
      for (let left = random.int(2, 4); left > 0; left--) {
        const next = this.fill(random.pick(templates));
        const isSentence = /[.!?]$/.test(text) && !next.text.includes('\n');
        if (text !== '') text += isSentence && random.chance(0.75) ? ' ' : random.pick(['\n', '\n\n']);
        spans.push(...shifted(next.spans, text.length));
        text += next.text;
      }
      return { text, spans, source: 'passage' };
    });
  }

  /** @param language language of the template. Country names are in this language. */
  fill(template: string, language?: Language): LabelledText {
    const people = new Map<string, { given: string; family: string; full: string }>();
    const pieces: Piece[] = [];
    let last = 0;
    for (const match of template.matchAll(/\{(\w+)(?:#(\w+))?\}/g)) {
      const [whole, name = '', reference] = match;
      const kind = kindOfPlaceholder[name];
      const text = kind ? this.entity(name, reference, people, language) : this.fillers.fill(name);
      if (text === undefined) continue;
      pieces.push({ text: template.slice(last, match.index) }, kind ? { text, kind } : { text });
      last = match.index + whole.length;
    }
    pieces.push({ text: template.slice(last) });
    return this.join(this.augment(pieces), template);
  }

  private entity(
    name: string,
    reference: string | undefined,
    people: Map<string, { given: string; family: string; full: string }>,
    language?: Language,
  ): string {
    const { entities, random } = this;
    let person = reference === undefined ? undefined : people.get(reference);
    if (!person && ['per', 'given', 'family', 'name'].includes(name)) {
      person = entities.person();
      if (reference !== undefined) people.set(reference, person);
    }
    switch (name) {
      case 'per':
        return person?.full ?? '';
      case 'given':
        return person?.given ?? '';
      case 'family':
        return person?.family ?? '';
      case 'name': {
        const chance = random.next();
        return chance < 0.4 ? (person?.given ?? '') : chance < 0.75 ? (person?.full ?? '') : (person?.family ?? '');
      }
      case 'formal':
        return entities.formalPerson();
      case 'city':
        return entities.town();
      case 'country':
        return entities.country(language);
      case 'region':
        return entities.region();
      case 'place':
        return entities.place();
      case 'org':
        return entities.organization();
      case 'adr':
        return entities.address();
      case 'street':
        return entities.streetOnly();
      case 'streetname':
        return entities.streetName();
      default:
        return entities.postcode();
    }
  }

  /** Alters a text as people and systems do: lower case, names in capitals, other quotes, no full stops. */
  private augment(pieces: Piece[]): Piece[] {
    const { random } = this;
    const isLowerCase = !pieces.some(({ text, kind }) => !kind && /\p{Lu}/u.test(text)) && pieces.length > 1;
    // In a text without capitals, about half of the names are lower case too.
    const chance = isLowerCase && random.chance(0.45) ? 0 : random.next();
    const change = (make: (piece: Piece) => string): Piece[] =>
      pieces.map((piece) => ({ ...piece, text: make(piece) }));
    if (chance < 0.1) return change((piece) => this.lowerCased(piece));
    if (chance < 0.14) return change(({ text }) => text.toUpperCase());
    if (chance < 0.18) return change((piece) => (piece.kind ? this.lowerCased(piece) : piece.text));
    if (chance < 0.22) return change(({ text, kind }) => (kind ? text.toUpperCase() : text));
    if (chance < 0.25) return change(({ text, kind }) => (kind ? text : text.toLowerCase()));
    if (chance < 0.27)
      return change(({ text, kind }) => (kind === 'LOCATION' || kind === 'ADDRESS' ? text.toUpperCase() : text));
    if (chance < 0.3)
      return change(({ text }) => text.replaceAll("'", '’').replaceAll('"', random.pick(['“', '”', '„', '«'])));
    if (chance < 0.33) return change(({ text, kind }) => (kind ? text : text.replace(/[.,!?](?=\s|$)/g, '')));
    return pieces;
  }

  /**
   * Lower-cases a piece, except for place and family names that are also words. "bosco" means a wood far more often than the
   * town: if training had both, the tagger would find a town in every wood.
   */
  private lowerCased({ text, kind }: Piece): string {
    const lower = text.toLowerCase();
    const words = lower.split(/[ -]/);
    const isEach = (has: (word: string) => boolean): boolean => words.every(has);
    if (kind === 'LOCATION' && isEach((word) => this.ordinary.has(word) || this.wordNet.words.has(word))) return text;
    if (kind === 'PERSON' && isEach((word) => this.ordinary.has(word) && !givenNames.has(word))) return text;
    return lower;
  }

  private join(pieces: readonly Piece[], source: string): LabelledText {
    let text = '';
    const spans: LabelledSpan[] = [];
    for (const piece of pieces) {
      if (piece.kind)
        spans.push({
          start: text.length,
          end: text.length + piece.text.length,
          kind: piece.kind,
        });
      text += piece.text;
    }
    return { text, spans, source };
  }

  /** Dictionary examples in which a name replaces a pronoun or role. They supply many natural sentences. */
  examples(count: number): LabelledText[] {
    const { random, wordNet } = this;
    const usable = wordNet.examples.filter(
      (example) =>
        /\b(?:he|she|him|his|her|hers)\b|\bthe (?:city|town|village|country|company|firm)\b/i.test(example) &&
        !hasName(example),
    );
    const made: LabelledText[] = [];
    while (made.length < count) {
      const example = random.pick(usable);
      const pieces: Piece[] = [];
      let last = 0;
      let replaced = false;
      for (const match of example.matchAll(
        /\b(?:(he|she)|(him)|(his)|the (city|town|village|country|company|firm))\b/gi,
      )) {
        if (replaced && random.chance(0.6)) continue;
        replaced = true;
        const place = match[4]?.toLowerCase();
        const kind: TagKind = place ? (/company|firm/.test(place) ? 'ORGANIZATION' : 'LOCATION') : 'PERSON';
        const text = place
          ? /company|firm/.test(place)
            ? this.entities.organization()
            : place === 'country'
              ? this.entities.country()
              : this.entities.town()
          : this.entity('name', undefined, new Map());
        pieces.push({ text: example.slice(last, match.index) }, { text, kind }, { text: match[3] ? "'s" : '' });
        last = match.index + match[0].length;
      }
      if (!replaced) continue;
      pieces.push({
        text: example.slice(last) + (random.chance(0.6) && !/[.!?]$/.test(example) ? '.' : ''),
      });
      made.push(this.join(this.augment(pieces), 'carrier'));
    }
    return made;
  }

  /** Dictionary sentences without names, unchanged. */
  explanations(count: number): LabelledText[] {
    const { random, wordNet } = this;
    const usable = [...wordNet.examples, ...wordNet.glosses].filter((text) => !hasName(text));
    return Array.from({ length: count }, () => {
      const sentences = Array.from({ length: random.int(1, 3) }, () => {
        const sentence = random.pick(usable);
        return random.chance(0.8) ? `${capitalized(sentence)}${/[.!?]$/.test(sentence) ? '' : '.'}` : sentence;
      });
      return this.join(this.augment([{ text: sentences.join(' ') }]), 'prose');
    });
  }

  /** Messages, declarations, manuals and small talk in a dozen languages, without names. Some are lower case. */
  foreign(): LabelledText[] {
    return foreignTexts().flatMap((from) =>
      [from.text, this.withOtherWords(from)].map((text) => this.sometimesLowerCase(text)),
    );
  }

  /** Everyday sentences of a file, `times` times each, alone or joined. Most have some words replaced. */
  prose(file: string, times: number): LabelledText[] {
    const { random } = this;
    const byLanguage = Map.groupBy(readTemplates(file), ({ language }) => language);
    return [...byLanguage.values()].flatMap((sentences) =>
      Array.from({ length: sentences.length * times }, () => {
        const said = Array.from({ length: random.int(1, 3) }, () => {
          const sentence = random.pick(sentences);
          return random.chance(0.7) ? this.withOtherWords(sentence) : sentence.text;
        });
        return this.sometimesLowerCase(said.join(random.pick([' ', ' ', '\n'])));
      }),
    );
  }

  /** Everyday sentences of a file with names, `times` times each. Half have some words replaced. */
  carriers(file: string, times: number): LabelledText[] {
    return readTemplates(file).flatMap((sentence) =>
      Array.from({ length: times }, () =>
        this.fill(this.random.chance(0.5) ? this.withOtherWords(sentence) : sentence.text, languageOf(sentence)),
      ),
    );
  }

  private sometimesLowerCase(text: string): LabelledText {
    return { text: this.random.chance(0.2) ? text.toLowerCase() : text, spans: [], source: 'foreign prose' };
  }

  /** Replaces some words of a text by others of the same language. The grammar stays, the sense does not. */
  private withOtherWords({ text, language }: TextInLanguage): string {
    const { random } = this;
    const own = this.replacements.get(language);
    if (!own) return text;
    return text.replace(
      /(?<![\p{L}\p{M}\p{N}'’_{-])[\p{L}\p{M}]{4,}(?![\p{L}\p{M}\p{N}'’_}-])/gu,
      (word, at: number) => {
        if (!random.chance(0.3)) return word;
        if (/^\p{Ll}+$/u.test(word)) return random.pick(random.pick(own.words));
        const isNoun = language === 'de' && at > 0 && /^\p{Lu}\p{Ll}+$/u.test(word);
        return isNoun ? random.pick(random.pick(own.nouns)) : word;
      },
    );
  }

  /** Fills the templates of a file with the words of each language. */
  plain(times: number): LabelledText[] {
    const verbs = Object.fromEntries(languages.map((language) => [language, verbForms(language)]));
    return languages.flatMap((language) =>
      lines('plain').flatMap((template) =>
        Array.from({ length: times }, () => this.fill(this.inLanguage(template, language, verbs[language] ?? []))),
      ),
    );
  }

  /** Replaces placeholders for parts of speech by words of a language. Placeholders for names remain. */
  private inLanguage(template: string, language: Language, verbs: readonly string[]): string {
    const { random } = this;
    const { nouns, adjectives, small } = vocabularyOf(language);
    const wide = wideWords[language];
    const lists: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
      noun: [nouns, wide.nouns],
      adj: [adjectives, wide.words],
      small: [small, small],
      verb: [verbs, wide.words],
    };
    return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const list = lists[name.toLowerCase()];
      if (!list) return whole;
      const word = random.pick(list[random.chance(0.5) ? 0 : 1]);
      return name === name.toLowerCase() ? word : name === name.toUpperCase() ? word.toUpperCase() : capitalized(word);
    });
  }

  /** Program messages in the formats of catalogues, help texts and manuals. 15 % also have a sentence with names. */
  catalogues(count: number): LabelledText[] {
    const { random } = this;
    const catalogues = new Catalogues(random, this.fillers);
    const { examples, glosses } = this.wordNet;
    const english = [...examples, ...glosses].filter((text) => !hasName(text));
    const languages = [...messages().values(), english, english];
    const named = lines('foreign').filter((line) => line.includes('{') && line.length < 100 && !line.includes('\n'));
    return Array.from({ length: count }, () => {
      const from = random.pick(languages);
      const text = catalogues.write(Array.from({ length: random.int(2, 6) }, () => random.pick(from)));
      if (random.chance(0.85)) return this.join(this.augment([{ text }]), 'catalogue');
      const { text: sentence, spans } = this.fill(random.pick(named));
      return {
        text: `${text}\n${sentence}`,
        spans: shifted(spans, text.length + 1),
        source: 'catalogue',
      };
    });
  }

  /** Source code, configuration and technical documentation. They contain no names, although many words look like names. */
  code(): LabelledText[] {
    return gunzipSync(readFileSync(new URL('./corpus/code.txt.gz', import.meta.url)))
      .toString()
      .split('\0')
      .map((text) => ({ text, spans: [], source: 'code' }));
  }

  /** Dictionary texts whose capitalised words are all known: as names of one kind, or as other words. */
  encyclopedia(count: number): LabelledText[] {
    const texts = this.random.shuffle([...this.wordNet.glosses, ...this.wordNet.examples].filter(hasName));
    const made: LabelledText[] = [];
    for (const text of texts) {
      const pieces = this.labelled(text);
      if (pieces?.some(({ kind }) => kind)) made.push(this.join(this.augment(pieces), 'encyclopedia'));
      if (made.length >= count) break;
    }
    return made;
  }

  private labelled(text: string): Piece[] | undefined {
    const { named, proper, words } = this.wordNet;
    const pieces: Piece[] = [];
    let last = 0;
    const names = /\p{Lu}[\p{L}'.-]*(?: (?:of the|of|the|de|and) (?=\p{Lu})| ?\p{Lu}[\p{L}'.-]*)*/gu;
    for (const match of text.matchAll(names)) {
      let from = match.index;
      const end = from + match[0].length;
      while (from < end) {
        const rest = text.slice(from, end);
        const known = longestKnown(rest, (name) => named.has(name) || proper.has(name));
        const first = /^[\p{L}'.-]+ ?/u.exec(rest)?.[0] ?? rest.charAt(0);
        if (known === undefined) {
          const word = first.trim().replace(/['.].*$/, '');
          const isOrdinary =
            words.has(word.toLowerCase()) && (from === 0 || text.slice(0, from).trimEnd().endsWith('.'));
          if (!isOrdinary && !/^(?:I|of|the|de|and|A|An|The|In|On|He|She|It|We|They)$/.test(word)) return undefined;
          from += first.length;
          continue;
        }
        const kind = named.get(known);
        if (kind) {
          pieces.push({ text: text.slice(last, from) }, { text: known, kind });
          last = from + known.length;
        }
        from += known.length;
        if (text.charAt(from) === ' ') from++;
      }
    }
    pieces.push({ text: text.slice(last) });
    return pieces;
  }
}

function longestKnown(text: string, isKnown: (name: string) => boolean): string | undefined {
  const ends = [...text.matchAll(/ |$|'|\.$/g)].map(({ index }) => index).reverse();
  return ends.map((end) => text.slice(0, end)).find((name) => name !== '' && isKnown(name));
}

/** Whether a text has a capital letter that neither begins a sentence nor is the word "I". */
function hasName(text: string): boolean {
  return /(?<!^)(?<![.!?] )\b\p{Lu}(?!\b)/u.test(text) || /(?<!^)(?<![.!?] )\b[A-HJ-Z]\b/.test(text);
}
