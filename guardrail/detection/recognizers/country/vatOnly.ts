import { numberAt, type Country } from './country.ts';

/** Countries of the European Union with VAT numbers only. */
export const vatOnly: readonly Country[] = [
  { vat: { pattern: String.raw`CY\d{8}[A-Z]` } },
  { vat: { pattern: String.raw`HU\d{8}` } },
  { vat: { pattern: String.raw`LT(?:\d{9}|\d{12})` } },
  { vat: { pattern: String.raw`LU\d{8}`, valid: (digits) => numberAt(digits, 0, 6) % 89 === numberAt(digits, 6, 8) } },
  { vat: { pattern: String.raw`LV\d{11}` } },
  { vat: { pattern: String.raw`MT\d{8}` } },
  { vat: { pattern: String.raw`SI\d{8}` } },
  { vat: { pattern: String.raw`SK\d{10}` } },
];
