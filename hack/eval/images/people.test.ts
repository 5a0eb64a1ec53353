import { expect } from 'chai';
import { validatePerson } from 'stdnum';
import { Random } from '../../training/random.ts';
import { personOf, type Country } from './people.ts';

const CHECKED: Partial<Record<Country, string>> = {
  es: 'ES',
  fr: 'FR',
  nl: 'NL',
  pl: 'PL',
  se: 'SE',
  br: 'BR',
  kr: 'KR',
};
const ALL: readonly Country[] = ['us', 'gb', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'se', 'br', 'ru', 'ua', 'kr', 'cn', 'jp']; // prettier-ignore

/** ISO 13616. */
function remainderOf(iban: string): bigint {
  const [, start = '', rest = ''] = /^(.{4})(.*)$/.exec(iban.replaceAll(' ', '')) ?? [];
  return BigInt(Array.from(rest + start, (sign) => parseInt(sign, 36)).join('')) % 97n;
}

describe('people of pictures', () => {
  it('have valid numbers, and are the same for the same seed', () => {
    for (const country of ALL) {
      for (let seed = 0; seed < 30; seed += 1) {
        const person = personOf(country, new Random(seed));
        expect(personOf(country, new Random(seed))).to.deep.equal(person);
        expect(person.mail).to.match(/^[a-z0-9.]+@[a-z.]+$/);
        if (person.iban !== undefined) expect(remainderOf(person.iban), person.iban).to.equal(1n);
        const validator = CHECKED[country];
        if (validator !== undefined)
          expect(validatePerson(validator, person.id ?? '').isValid, `${country} ${person.id}`).to.equal(true);
      }
    }
  });
});
