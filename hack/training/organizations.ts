import { companyWords, townOrganizationEndings } from './languages/en/organizations.ts';
import { knownOrganizations } from './knownOrganizations.ts';
import { ofLanguages } from './languages.ts';
import { byPart, famousNames, type Part } from './lexicon.ts';
import type { NounNames } from './nounNames.ts';
import type { People } from './people.ts';
import type { Places } from './places.ts';
import type { Random } from './random.ts';
import { capitalized, split } from './words.ts';
import type { WordNet } from './wordNet.ts';

const brandEndings = split(
  'ly ify io ix eo ia ora ity hub base wise soft tech ware net data cast point ico ex on us aro via lytics',
);
const brandBeginnings = split('e i my go get up un pro bio neo open cyber deep smart net info agri medi fin cloud');

const legalForms = ofLanguages(
  'en:12 de:5 fr es it nl sv da:1 nb da fi hu cs pl en:6 pt de en',
  (language) => language.legalForms,
);
const organizationKinds = ofLanguages('es fr it nl de', (language) => language.organizationKinds);
const townOrganizations = ofLanguages('es fr it nl de', (language) => language.townOrganizations);
const organizationPrefixes = ofLanguages(
  'en:2 de:1 fr es:1 de en:2 es en',
  (language) => language.organizationPrefixes,
);
const organizationAdjectives = ofLanguages('en de fr es it', (language) => language.organizationAdjectives);
const and = ofLanguages('en de fr es', (language) => language.and);

/** Generators of the names in names of organisations. */
interface NameSources {
  readonly people: People;
  readonly places: Places;
  readonly nouns: NounNames;
}

/** Generates names of organisations from one part of the lists. */
export class Organizations {
  private readonly random: Random;
  private readonly people: People;
  private readonly places: Places;
  private readonly nouns: NounNames;
  private readonly known: readonly string[];
  private readonly famous: readonly string[];

  constructor(random: Random, part: Part, wordNet: WordNet, { people, places, nouns }: NameSources) {
    this.random = random;
    this.people = people;
    this.places = places;
    this.nouns = nouns;
    this.known = byPart(knownOrganizations, part, (name) => name);
    this.famous = famousNames(wordNet, 'ORGANIZATION', part);
  }

  organization(): string {
    const { random } = this;
    const legal = (): string => random.pick(legalForms);
    const chance = random.next();
    if (chance < 0.06) return random.pick(this.known);
    if (chance < 0.08) return `${random.pick(organizationKinds)} ${this.people.family()}`;
    if (chance < 0.1) return `${random.pick(townOrganizations)} ${this.places.town()}`;
    if (chance < 0.14) return random.pick(this.famous);
    if (chance < 0.21) return `${this.people.family()} ${legal()}`;
    if (chance < 0.25) return `${this.people.family()}-${this.people.family()}`;
    if (chance < 0.3)
      return `${this.people.family()}, ${this.people.family()} ${random.pick(and)} ${this.people.family()}`;
    if (chance < 0.34)
      return `${this.people.family()} ${random.pick(['&', 'and'])} ${random.pick(['Sons', 'Co', 'Partners', this.people.family(), 'Associates', 'Daughters'])}${random.chance(0.3) ? ` ${legal()}` : ''}`;
    if (chance < 0.44)
      return `${this.nouns.nounName()} ${random.pick(companyWords)}${random.chance(0.45) ? ` ${legal()}` : ''}`;
    if (chance < 0.54) return `${this.brand()} ${random.chance(0.5) ? legal() : random.pick(companyWords)}`;
    if (chance < 0.68) return this.brand();
    if (chance < 0.73) return `${this.places.town()} ${random.pick(townOrganizationEndings)}`;
    if (chance < 0.76)
      return `${random.pick(organizationPrefixes)} ${random.chance(0.8) ? this.places.town() : this.nouns.nounName()}`;
    if (chance < 0.81)
      return `${this.nouns.nounName()} ${this.nouns.nounName()}${random.chance(0.5) ? ` ${legal()}` : ''}`;
    if (chance < 0.86)
      return `${this.people.family()} ${random.pick(companyWords)}${random.chance(0.3) ? ` ${legal()}` : ''}`;
    if (chance < 0.9) {
      const letters = Array.from({ length: random.int(2, 4) }, () => String.fromCharCode(65 + random.int(0, 25))).join(
        '',
      );
      return random.chance(0.5) ? letters : `${letters} ${random.chance(0.5) ? random.pick(companyWords) : legal()}`;
    }
    if (chance < 0.93) return `${random.int(1, 99)} ${this.nouns.nounName()} ${random.pick(companyWords)}`;
    if (chance < 0.96)
      return `${random.pick(organizationAdjectives)} ${random.chance(0.5) ? this.nouns.nounName() : random.pick(companyWords)} ${random.chance(0.5) ? random.pick(companyWords) : legal()}`;
    return `${this.nouns.nounName()} ${random.pick(['and', 'of', 'for', '&'])} ${this.nouns.nounName()}${random.chance(0.4) ? ` ${random.pick(companyWords)}` : ''}`;
  }

  /** A coined company name: joined, shortened or extended words. */
  brand(): string {
    const { random } = this;
    const noun = (): string => this.nouns.noun();
    const chance = random.next();
    if (chance < 0.35) return capitalized(noun() + noun());
    if (chance < 0.5) return this.nouns.nounName() + this.nouns.nounName();
    if (chance < 0.7) return capitalized(noun().replace(/[aeiouy]+$/, '') + random.pick(brandEndings));
    if (chance < 0.8) return capitalized(random.pick(brandBeginnings)) + noun();
    if (chance < 0.9) return this.nouns.coinedNoun();
    return this.nouns.nounName();
  }
}
