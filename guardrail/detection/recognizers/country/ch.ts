import { lastDigit, weightedModulo, type Country } from './country.ts';

export const switzerland: Country = {
  numbers: [
    {
      type: 'CH_AHV',
      lengths: [13],
      valid: (d) =>
        d.startsWith('756') && (10 - weightedModulo(d, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3], 10)) % 10 === lastDigit(d),
      format: /^756\.\d{4}\.\d{4}\.\d{2}$/,
      context: /\bahv|\bavs\b|sozialversicherung|social security/,
    },
  ],
  vat: {
    pattern: String.raw`CHE-?\d{3}\.?\d{3}\.?\d{3}`,
  },
};
