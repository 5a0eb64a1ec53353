import { aroundDigits } from '../recognizer.ts';
import { withContext, type Country } from './country.ts';

export const mexico: Country = {
  recognizers: [
    aroundDigits({
      type: 'MX_CURP',
      rule: 'nationalId.mx',
      pattern: /(?<![\p{L}\p{N}])[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z\d]\d(?![\p{L}\p{N}])/gu,
      mayMatch: (stats) => stats.token >= 18,
      score: () => 0.9,
    }),
    aroundDigits({
      type: 'MX_RFC',
      rule: 'nationalId.mx.tax',
      pattern: /(?<![\p{L}\p{N}])[A-ZÑ&]{3,4}-?\d{6}-?[A-Z\d]{3}(?![\p{L}\p{N}])/gu,
      mayMatch: (stats) => stats.solid >= 6,
      score: withContext(/\brfc\b|contribuyentes/),
    }),
  ],
};
