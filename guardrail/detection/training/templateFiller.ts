import type { TagKind } from '../ner/labels.ts';
import type { Entities } from './entities.ts';
import type { Fillers } from './fillers.ts';
import { join, type LabelledText, type Piece } from './labelledText.ts';
import type { Person } from './people.ts';
import type { Variation } from './variation.ts';
import type { Language } from './vocabulary.ts';

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

/**
 * Replaces the placeholders of templates: `{per}` by a person, `{noun}` by a noun. `{given#a}` and `{family#a}` name the same
 * person.
 */
export class TemplateFiller {
  private readonly entities: Entities;
  private readonly fillers: Fillers;
  private readonly variation: Variation;

  constructor(entities: Entities, fillers: Fillers, variation: Variation) {
    this.entities = entities;
    this.fillers = fillers;
    this.variation = variation;
  }

  /** @param language language of the template. Most country names are in this language. */
  fill(template: string, language?: Language): LabelledText {
    const people = new Map<string, Person>();
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
    return join(this.variation.varied(pieces), template);
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
