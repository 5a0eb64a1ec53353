/** Numbers with valid check digits, as people write them. */
import { decimalModulo, luhn, weightedSum } from '../../../guardrail/detection/recognizers/checksums.ts';
import type { Random } from '../../training/random.ts';

type Born = readonly [year: number, month: number, day: number];

const yearMonthDay = ([year, month, day]: Born): string =>
  [year % 100, month, day].map((part) => String(part).padStart(2, '0')).join('');

/** The digit that makes a number valid after Luhn. */
const luhnDigit = (digits: string): number =>
  Array.from({ length: 10 }, (_, at) => at).findIndex((at) => luhn(`${digits}${at}`));

/** In groups of four. */
export function iban(country: string, account: string): string {
  const check = String(98 - decimalModulo(`${account}${country}00`, 97)).padStart(2, '0');
  return `${country}${check}${account}`.replace(/.{4}(?=.)/g, '$& ');
}

export function card(random: Random): string {
  const number = `4${random.format('##############')}`;
  return `${number}${luhnDigit(number)}`.replace(/.{4}(?=.)/g, '$& ');
}

/** United States: no check digit. */
export const ssn = (random: Random): string =>
  `${random.int(101, 649)}-${random.int(11, 89)}-${random.int(1001, 9899)}`;

/** United Kingdom: no check digit. */
export const nino = (random: Random): string =>
  `${random.pick(['AB', 'JC', 'NP', 'WK'])} ${random.format('## ## ##')} ${random.pick(['A', 'B', 'C', 'D'])}`;

/** Spain. */
export function nif(random: Random): string {
  const number = random.digits(8);
  return number + ('TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23] ?? '');
}

/** France. */
export function nir(random: Random, [year, month]: Born): string {
  const [sex, date] = [random.pick(['1', '2']), yearMonthDay([year, month, 1]).slice(0, 4)];
  const [place, order] = [random.pick(['69123', '35238', '31555', '54395']), random.format('0##')];
  const key = String(97 - (Number(`${sex}${date}${place}${order}`) % 97)).padStart(2, '0');
  return `${sex} ${date.slice(0, 2)} ${date.slice(2)} ${place.slice(0, 2)} ${place.slice(2)} ${order} ${key}`;
}

/** The Netherlands. */
export function bsn(random: Random): string {
  for (;;) {
    const number = random.digits(8);
    const check = weightedSum(number, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    if (check < 10) return `${number}${check}`;
  }
}

/** Poland. */
export function pesel(random: Random, [year, month, day]: Born): string {
  const number = `${yearMonthDay([year, year < 2000 ? month : month + 20, day])}${random.format('####')}`;
  return `${number}${(10 - (weightedSum(number, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10}`;
}

/** Sweden. */
export function personnummer(random: Random, born: Born): string {
  const number = `${yearMonthDay(born)}${random.format('###')}`;
  return `${born[0] < 2000 ? 19 : 20}${number.slice(0, 6)}-${number.slice(6)}${luhnDigit(number)}`;
}

/** Brazil. */
export function cpf(random: Random): string {
  const digitOf = (digits: string): number => {
    const weights = Array.from(digits, (_, at) => digits.length + 1 - at);
    return ((weightedSum(digits, weights) * 10) % 11) % 10;
  };
  const start = random.digits(9);
  const first = `${start}${digitOf(start)}`;
  return `${first}${digitOf(first)}`.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4');
}

/** South Korea. */
export function rrn(random: Random, born: Born): string {
  const place = random.int(10, 89);
  const number = `${yearMonthDay(born)}${random.int(1, 2) + (born[0] < 2000 ? 0 : 2)}${place}${random.format('###')}`;
  const check = (11 - (weightedSum(number, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10;
  return `${number.slice(0, 6)}-${number.slice(6)}${check}`;
}
