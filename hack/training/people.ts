import { CoinedNames } from './coinedNames.ts';
import { ofLanguages } from './languages.ts';
import { nicknames } from './nicknames.ts';
import { byPart, famousNames, webWords, type Part } from './lexicon.ts';
import { namePools, worldGiven, type NamePool } from './namePools.ts';
import type { PublicPeople } from './knownNames.ts';
import type { Random } from './random.ts';
import { languages } from './vocabulary.ts';
import { capitalized } from './words.ts';
import type { WordNet } from './wordNet.ts';

export interface Person {
  readonly given: string;
  readonly family: string;
  /** The full name, as written. */
  readonly full: string;
}

const particles = ofLanguages('nl:2 fr:1 de:1 fr:1 es it pt ar nl fr en sv de', (language) => language.particles);

/** Generates names of people from one part of the lists. */
export class People {
  private readonly random: Random;
  private readonly coined: CoinedNames;
  private readonly pools: readonly NamePool[];
  private readonly famous: readonly string[];
  private readonly english: readonly string[];
  /** Given names that are also words. */
  private readonly wordNames: readonly string[];
  private readonly publicPeople: PublicPeople;

  constructor(random: Random, part: Part, wordNet: WordNet, publicPeople: PublicPeople) {
    this.random = random;
    this.publicPeople = publicPeople;
    this.coined = new CoinedNames(random);
    // A short list may contain no name of a part. A name of another part must not replace it.
    this.pools = namePools
      .map((pool) => ({
        ...pool,
        given: byPart(pool.given, part, (name) => name),
        family: byPart(pool.family, part, (name) => name),
      }))
      .filter(({ given, family }) => given.length > 0 && family.length > 0);
    this.english = wordNet.usual.nouns.filter((noun) => noun.length > 2 && noun.length < 9);
    this.wordNames = byPart(
      worldGiven.filter((name) => wordNet.words.has(name.toLowerCase())),
      part,
      (name) => name,
    );
    this.famous = famousNames(wordNet, 'PERSON', part);
  }

  private pool(): NamePool {
    return this.random.weighted(this.pools);
  }

  given(pool = this.pool()): string {
    if (this.random.chance(0.03)) return this.wordName();
    if (this.random.chance(0.1) && pool.given.length > 60 && pool.key !== 'vi')
      return this.coined.coin(`${pool.key} given`, pool.given);
    return pool.key === 'us' ? this.random.pickUsual(pool.given) : this.random.pick(pool.given);
  }

  /** A name that is also a word: Autumn, Price. Only the text around it shows that it is a name. */
  private wordName(): string {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.5) return random.pick(this.wordNames);
    return capitalized(chance < 0.75 ? random.pick(this.english) : random.pick(webWords[random.pick(languages)].nouns));
  }

  family(pool = this.pool()): string {
    const { random } = this;
    if (random.chance(0.04)) return this.wordName();
    const plain =
      random.chance(0.14) && pool.family.length > 60
        ? this.coined.coin(`${pool.key} family`, pool.family)
        : pool.key === 'us' || pool.key === 'nick'
          ? random.pickUsual(pool.family)
          : random.pick(pool.family);
    if (random.chance(0.035)) {
      const particle = random.pick(particles);
      return /^(?:O'|Ma?c)$/.test(particle) ? particle + plain : `${particle} ${plain}`;
    }
    if (random.chance(0.04)) return `${plain}-${random.pick(pool.family)}`;
    if (/^(?:es|pt)/.test(pool.key) && random.chance(0.4)) return `${plain} ${random.pick(pool.family)}`;
    return plain;
  }

  person(): Person {
    const { random } = this;
    // A private person may bear a famous name.
    if (random.chance(0.02)) {
      const name = random.chance(0.5) ? random.pick(this.famous) : this.publicPeople.any();
      const [given = name, ...rest] = name.split(' ');
      return { given, family: rest.at(-1) ?? given, full: name };
    }
    // Some people have a family name from another country.
    const pool = this.pool();
    const given = this.given(pool) + (random.chance(0.03) ? `-${this.given(pool)}` : '');
    const family = this.family(random.chance(0.12) ? this.pool() : pool);
    const initial = String.fromCharCode(65 + random.int(0, 25));
    const middle = random.next();
    const between =
      middle < 0.12 ? ` ${initial}.` : middle < 0.17 ? ` ${initial}` : middle < 0.22 ? ` ${this.given(pool)}` : '';
    const nickname = random.chance(0.02) ? ` ${this.quoted(random.pick(nicknames))}` : between;
    const full = pool.familyFirst ? `${family} ${given}` : `${given}${nickname} ${family}`;
    return { given, family, full };
  }

  private quoted(nickname: string): string {
    return this.random.pick([`"${nickname}"`, `“${nickname}”`, `'${nickname}'`, `(${nickname})`]);
  }

  /** The given name, the full name or the family name of a person. */
  anyName({ given, full, family } = this.person()): string {
    const chance = this.random.next();
    return chance < 0.4 ? given : chance < 0.75 ? full : family;
  }

  /** A name as in a form or list: family name first, or initials. */
  formalPerson(): string {
    const { given, family } = this.person();
    const { random } = this;
    const initial = given.charAt(0).toUpperCase();
    return random.pick([
      `${family}, ${given}`,
      `${initial}. ${family}`,
      `${family}, ${initial}.`,
      `${initial}.${String.fromCharCode(65 + random.int(0, 25))}. ${family}`,
      `${family} ${initial}.`,
      `${family} ${given}`,
    ]);
  }
}
