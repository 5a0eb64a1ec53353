import { isOneCharacter } from '../checksums.ts';
import { aroundDigits, contextBefore } from '../recognizer.ts';
import { directlyBefore, numberAt, UNVERIFIED, weightedModulo, type Country } from './country.ts';

const nino = /national insurance|\bni(?:no)?\b|insurance n/;
const label = directlyBefore(nino);
/** The prefixes that are given out: National Insurance Manual, NIM39110. */
const prefix = /^(?!bg|gb|kn|nk|nt|tn|zz)[a-ceghj-pr-tw-z][a-ceghj-npr-tw-z]/i;

export const unitedKingdom: Country = {
  numbers: [
    {
      type: 'UK_NHS',
      lengths: [10],
      valid: (d) => weightedModulo(d, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11) === 0 && !isOneCharacter(d),
      context: /\bnhs\b|national health|health service|patient (?:no|num|id)/,
    },
  ],
  recognizers: [
    aroundDigits({
      type: 'UK_NINO',
      rule: 'nationalId.gb',
      pattern: /(?<![\p{L}\p{N}])[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![\p{L}\p{N}])/giu,
      mayMatch: (stats) => stats.digits >= 6,
      mayContain: ({ text }) => /\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Z\d])/i.test(text),
      score: (value, { text, start }) => {
        const isValid = prefix.test(value);
        const before = contextBefore(text, start);
        if (isValid && nino.test(before)) return 0.98;
        if (isValid) return value === value.toUpperCase() ? 0.8 : 0;
        return label.test(before) ? UNVERIFIED : 0;
      },
    }),
  ],
  vat: {
    pattern: String.raw`GB ?\d{3} ?\d{4} ?\d{2}`,
    valid: (digits) => {
      const rest = weightedModulo(digits, [8, 7, 6, 5, 4, 3, 2], 97) + numberAt(digits, 7, 9);
      return rest % 97 === 0 || (rest + 55) % 97 === 0;
    },
  },
};
