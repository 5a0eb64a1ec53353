import type { Entities } from './entities.ts';
import type { Fillers } from './fillers.ts';
import { join, type LabelledText, type Labels, type Piece } from './labelledText.ts';
import type { Person } from './people.ts';
import type { Random } from './random.ts';
import type { Variation } from './variation.ts';
import type { Language } from './vocabulary.ts';

const person = { kind: 'PERSON', type: 'PERSON' } as const;
const location = { kind: 'LOCATION', type: 'LOCATION' } as const;
const address = { kind: 'ADDRESS', type: 'ADDRESS' } as const;
const organization = { kind: 'ORGANIZATION', type: 'ORGANIZATION' } as const;

const labelsOfPlaceholder: Readonly<Record<string, Labels>> = {
  per: person,
  given: person,
  family: person,
  name: person,
  formal: person,
  city: location,
  country: location,
  region: location,
  place: location,
  home: { kind: 'LOCATION', type: 'ADDRESS' },
  org: organization,
  adr: address,
  street: address,
  streetname: address,
  postcode: address,
};

const labelsOfMark = {
  P: { kind: 'PERSON', type: 'PUBLIC_PERSON' },
  L: location,
  O: organization,
} as const satisfies Readonly<Record<string, Labels>>;

/** The share of public people in templates that an unknown person replaces. */
const UNKNOWN = 0.3;

const values: ReadonlySet<string> = new Set(['email', 'handle', 'phone', 'id', 'iban', 'ip', 'num9']);
const valuePiece = (name: string, text: string | undefined): Piece | undefined =>
  text === undefined ? undefined : { text, isValue: values.has(name) };

/**
 * Replaces the placeholders of templates: `{per}` by a private person, `{home}` by a town where a private person lives, `{noun}`
 * by a noun. `{given#a}` and `{family#a}` name the same person. Names that are public stand in the template, marked: `[P Marie
 * Curie]` for a person, `[L Paris]` for a place, `[O Bosch]` for an organisation. Other public names replace many of them.
 */
export class TemplateFiller {
  private readonly entities: Entities;
  private readonly fillers: Fillers;
  private readonly variation: Variation;
  private readonly random: Random;

  constructor(entities: Entities, fillers: Fillers, variation: Variation, random: Random) {
    this.random = random;
    this.entities = entities;
    this.fillers = fillers;
    this.variation = variation;
  }

  /** @param language language of the template. Most country names are in this language. */
  fill(template: string, language?: Language): LabelledText {
    const people = new Map<string, Person>();
    const pieces: Piece[] = [];
    let last = 0;
    for (const match of template.matchAll(/\{(\w+)(?:#(\w+))?\}|\[([PLO]) ([^\]]+)\]/g)) {
      const [whole, name = '', reference, mark, marked = ''] = match;
      const labels = labelsOfPlaceholder[name];
      const filled: Piece | undefined =
        mark !== undefined
          ? this.publicName(mark as keyof typeof labelsOfMark, marked)
          : labels
            ? { text: this.entity(name, reference, people, language), ...labels }
            : valuePiece(name, this.fillers.fill(name));
      if (filled === undefined) continue;
      pieces.push({ text: template.slice(last, match.index) }, filled);
      last = match.index + whole.length;
    }
    pieces.push({ text: template.slice(last) });
    return join(this.variation.varied(pieces), template);
  }

  /**
   * The marked name, or another one of its sort. A name that nobody knows is private, wherever it stands: a text about a
   * novel does not make its author public.
   */
  private publicName(mark: keyof typeof labelsOfMark, marked: string): Piece {
    const { publicPeople, people, places, organizations } = this.entities;
    const { random } = this;
    const labels = labelsOfMark[mark];
    if (mark === 'P') {
      if (random.chance(UNKNOWN)) {
        const { full, given, family } = people.person();
        return { text: marked.includes(' ') ? full : random.pick([given, family]), ...person };
      }
      return { text: random.chance(0.5) ? marked : publicPeople.like(marked), ...labels };
    }
    if (random.chance(0.75)) return { text: marked, ...labels };
    return { text: mark === 'L' ? places.famousPlace() : organizations.organization(), ...labels };
  }

  private entity(
    name: string,
    reference: string | undefined,
    people: Map<string, Person>,
    language?: Language,
  ): string {
    const { entities } = this;
    let person = reference === undefined ? undefined : people.get(reference);
    if (!person && ['per', 'given', 'family', 'name'].includes(name)) {
      person = entities.people.person();
      if (reference !== undefined) people.set(reference, person);
    }
    switch (name) {
      case 'per':
        return person?.full ?? '';
      case 'given':
        return person?.given ?? '';
      case 'family':
        return person?.family ?? '';
      case 'name':
        return entities.people.anyName(person);
      case 'formal':
        return entities.people.formalPerson();
      case 'city':
      case 'home':
        return entities.places.town();
      case 'country':
        return entities.places.country(language);
      case 'region':
        return entities.places.region();
      case 'place':
        return entities.places.place();
      case 'org':
        return entities.organizations.organization();
      case 'adr':
        return entities.addresses.address();
      case 'street':
        return entities.addresses.streetOnly();
      case 'streetname':
        return entities.addresses.streetName();
      default:
        return entities.addresses.postcode();
    }
  }
}
