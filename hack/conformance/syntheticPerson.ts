import { randomInt } from 'node:crypto';
import { faker } from '@faker-js/faker';

/** A fictitious person, with values that a guardrail must find without a list of names. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly card: string;
  readonly iban: string;
  readonly ip: string;
}

const FIRST = 'Anna Bernd Carla David Elena Frank Greta Hassan Irina Jonas Karim Lena'.split(' ');
const LAST = 'Schmidt Okafor Rossi Novak Garcia Larsen Kowalski Meyer Dubois Silva Tanaka'.split(' ');

const digits = (count: number): string => Array.from({ length: count }, () => String(randomInt(10))).join('');

/** @returns a new, distinct person, so that no two cases share a mapping. */
export function newPerson(): Person {
  const first = FIRST[randomInt(FIRST.length)] ?? '';
  const last = LAST[randomInt(LAST.length)] ?? '';
  return {
    name: `${first} ${last}`,
    email: `${first}.${last}.${digits(6)}@example.org`.toLowerCase(),
    phone: `+49 30 ${randomInt(2, 10)}${digits(7)}`,
    card: faker.helpers.replaceCreditCardSymbols('4##############L'),
    iban: faker.finance.iban({ countryCode: 'DE' }),
    ip: `93.184.${randomInt(1, 255)}.${randomInt(1, 255)}`,
  };
}

/** A text that the policy in service.ts blocks. */
export const FORBIDDEN = 'Operation Conformance';

/** @returns the values that a model must never see. Excludes names, because finding them is a matter of quality. */
export function valuesOf(person: Person): string[] {
  return [person.email, person.phone, person.card, person.iban, person.ip];
}

/** @returns a text with each of a person's values, one of them twice. */
export function letter(person: Person): string {
  return (
    `Write to ${person.email} or call ${person.phone}. The card is ${person.card}, the account ${person.iban}, ` +
    `the server ${person.ip}; then confirm to ${person.email} again.`
  );
}
