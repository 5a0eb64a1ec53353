import type { TagKind } from '../../guardrail/detection/ner/labels.ts';
import type { Entities } from './entities.ts';
import { join, type LabelledText, type Piece } from './labelledText.ts';
import type { Random } from './random.ts';
import type { Variation } from './variation.ts';
import { capitalized } from './words.ts';
import type { WordNet } from './wordNet.ts';

/** Generates texts from the examples and explanations of WordNet. */
export class DictionaryTexts {
  private readonly random: Random;
  private readonly entities: Entities;
  private readonly variation: Variation;
  private readonly wordNet: WordNet;
  private readonly part: (count: number) => number;

  /** @param part how many texts to generate of a count. Default: all. */
  constructor(
    random: Random,
    entities: Entities,
    variation: Variation,
    wordNet: WordNet,
    part = (count: number): number => count,
  ) {
    this.random = random;
    this.entities = entities;
    this.variation = variation;
    this.wordNet = wordNet;
    this.part = part;
  }

  /** Examples in which names replace pronouns, or words such as "the city". They supply many natural sentences. */
  examples(count: number): LabelledText[] {
    const { random, wordNet } = this;
    const usable = wordNet.examples.filter(
      (example) =>
        /\b(?:he|she|him|his|her|hers)\b|\bthe (?:city|town|village|country|company|firm)\b/i.test(example) &&
        !hasName(example),
    );
    const made: LabelledText[] = [];
    const wanted = this.part(count);
    while (made.length < wanted) {
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
            ? this.entities.organizations.organization()
            : place === 'country'
              ? this.entities.places.country()
              : this.entities.places.town()
          : this.entities.people.anyName();
        pieces.push({ text: example.slice(last, match.index) }, { text, kind }, { text: match[3] ? "'s" : '' });
        last = match.index + match[0].length;
      }
      if (!replaced) continue;
      pieces.push({
        text: example.slice(last) + (random.chance(0.6) && !/[.!?]$/.test(example) ? '.' : ''),
      });
      made.push(join(this.variation.varied(pieces), 'carrier'));
    }
    return made;
  }

  /** One to three sentences without names. */
  explanations(count: number): LabelledText[] {
    const { random, wordNet } = this;
    const usable = [...wordNet.examples, ...wordNet.glosses].filter((text) => !hasName(text));
    return Array.from({ length: this.part(count) }, () => {
      const sentences = Array.from({ length: random.int(1, 3) }, () => {
        const sentence = random.pick(usable);
        return random.chance(0.8) ? `${capitalized(sentence)}${/[.!?]$/.test(sentence) ? '' : '.'}` : sentence;
      });
      return join(this.variation.varied([{ text: sentences.join(' ') }]), 'prose');
    });
  }

  /** Texts with names of which each capitalised word is known: as part of a name of one kind, or as another word. */
  encyclopedia(count: number): LabelledText[] {
    const texts = this.random.shuffle([...this.wordNet.glosses, ...this.wordNet.examples].filter(hasName));
    const made: LabelledText[] = [];
    for (const text of texts) {
      const pieces = this.labelled(text);
      if (pieces?.some(({ kind }) => kind)) made.push(join(this.variation.varied(pieces), 'encyclopedia'));
      if (made.length >= this.part(count)) break;
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
export function hasName(text: string): boolean {
  return /(?<!^)(?<![.!?] )\b\p{Lu}(?!\b)/u.test(text) || /(?<!^)(?<![.!?] )\b[A-HJ-Z]\b/.test(text);
}
