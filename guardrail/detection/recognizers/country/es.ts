import { aroundDigits, contextBefore, digitsOf, type Match } from '../recognizer.ts';
import { directlyBefore, UNVERIFIED, type Country } from './country.ts';

const label = directlyBefore(/\b(?:dni|nif|nie)\b/);
/** The score of a number with a wrong check letter. */
const unverified = ({ text, start }: Match): number => (label.test(contextBefore(text, start)) ? UNVERIFIED : 0);

const checkLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';

export const spain: Country = {
  recognizers: [
    aroundDigits({
      type: 'ES_NIF',
      rule: 'nationalId.es',
      pattern: /(?<![\p{L}\p{N}])\d{8}[ -]?[A-HJ-NP-TV-Z](?![\p{L}\p{N}])/giu,
      mayMatch: (stats) => stats.solid >= 8,
      score: (value, match) =>
        checkLetters.charAt(Number(value.slice(0, 8)) % 23) === value.slice(-1).toUpperCase() ? 0.9 : unverified(match),
    }),
    aroundDigits({
      type: 'ES_NIE',
      rule: 'nationalId.es.foreigner',
      pattern: /(?<![\p{L}\p{N}])[XYZ][ -]?\d{7}[ -]?[A-HJ-NP-TV-Z](?![\p{L}\p{N}])/giu,
      mayMatch: (stats) => stats.solid >= 7,
      score: (value, match) => {
        const number = `${'XYZ'.indexOf(value.charAt(0).toUpperCase())}${digitsOf(value)}`;
        return checkLetters.charAt(Number(number) % 23) === value.slice(-1).toUpperCase() ? 0.9 : unverified(match);
      },
    }),
  ],
  vat: {
    pattern: String.raw`ES ?[A-Z]\d{7}[A-Z\d]|ES ?\d{8}[A-Z]`,
  },
};
