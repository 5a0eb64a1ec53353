import { mod1110 } from '../checksums.ts';
import { aroundDigits } from '../recognizer.ts';
import { withContext, type Country } from './country.ts';

export const germany: Country = {
  numbers: [
    {
      type: 'DE_TAX_ID',
      lengths: [11],
      valid: (d) => !d.startsWith('0') && mod1110(d),
      context: /steuer-?\s?id|steueridentifikation|\bidnr|\btin\b|tax id/,
    },
  ],
  recognizers: [
    aroundDigits({
      type: 'DE_SOCIAL_SECURITY',
      rule: 'nationalId.de',
      pattern: /(?<![\p{L}\p{N}])\d{2} ?\d{6} ?[A-Z] ?\d{3}(?![\p{L}\p{N}])/gu,
      mayMatch: ({ solid, hasCapital }) => solid >= 6 && hasCapital,
      score: withContext(/versicherungsn(?:umme)?r|\b[rs]v[ -]?n(?:umme)?r\b|rentenversicherung/),
    }),
  ],
  vat: {
    pattern: String.raw`DE ?\d{3} ?\d{3} ?\d{3}`,
    valid: (digits) => mod1110(digits),
  },
};
