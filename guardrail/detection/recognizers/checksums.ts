/** Check digits of identifiers: pure functions over strings of digits, some also of letters. */

const digit = (value: string, at: number): number => value.charCodeAt(at) - 48;

export function weightedSum(value: string, weights: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) sum += (weights[at] ?? 0) * digit(value, at);
  return sum;
}

/** The digits from `from` to `to` as a number. Faster than to parse a part of the text. */
export function numberAt(digits: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to && at < digits.length; at++) number = 10 * number + digit(digits, at);
  return number;
}

/** ISO/IEC 7812-1: payment cards, Swedish and Canadian ids and many more. */
export function luhn(value: string): boolean {
  let sum = 0;
  for (let at = value.length - 1, double = false; at >= 0; at--, double = !double) {
    const doubled = double ? digit(value, at) * 2 : digit(value, at);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Remainder of a long number of digits and letters (A = 10 … Z = 35), as in ISO/IEC 7064. */
export function decimalModulo(value: string, modulus: number): number {
  let rest = 0;
  for (const character of value) {
    const number = parseInt(character, 36);
    rest = (rest * (number > 9 ? 100 : 10) + number) % modulus;
  }
  return rest;
}

/** ISO/IEC 7064 MOD 11,10: German tax id and VAT, Croatian OIB. */
export function mod1110(value: string): boolean {
  let product = 10;
  for (let at = 0; at < value.length - 1; at++) {
    const sum = (digit(value, at) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digit(value, value.length - 1);
}

const dihedral = [
  '0123456789', '1234067895', '2340178956', '3401289567', '4012395678',
  '5987604321', '6598710432', '7659821043', '8765932104', '9876543210',
]; // prettier-ignore
const permutation = [
  '0123456789', '1576283094', '5803796142', '8916043527',
  '9453126870', '4286573901', '2793806415', '7046913258',
]; // prettier-ignore

/** Verhoeff's algorithm: Indian Aadhaar. */
export function verhoeff(value: string): boolean {
  let check = 0;
  for (let at = 0; at < value.length; at++) {
    const permuted = Number(permutation[at % 8]?.[digit(value, value.length - 1 - at)]);
    check = Number(dihedral[check]?.[permuted]);
  }
  return check === 0;
}

/** Whether a month and a day can be part of a date of birth. */
export function isDate(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

export const isOneCharacter = (value: string): boolean => /^(.)\1*$/.test(value);
