/** Compares the check digits of national identifiers and IBANs with two libraries that others maintain. */
import { expect } from 'chai';
import fc from 'fast-check';
import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import { stdnum } from 'stdnum';
import { isDate } from '../checksums.ts';
import { recognizersFor } from '../recognizers.ts';
import { textStatsOf } from '../textStats.ts';
import { numberIds as numbers } from './numbers.ts';

interface OracleOptions {
  /** Whether a number can be issued, where the library checks less. */
  readonly plausible?: (digits: string) => boolean;
  /** The notation that the library requires. */
  readonly write?: (digits: string) => string;
}

/** Whether a date as YYMMDD begins at an offset. Some countries add 20 or 40 to the month. */
const hasDate =
  (at: number, added = 20) =>
  (digits: string): boolean =>
    isDate(Number(digits.slice(at + 2, at + 4)) % added, Number(digits.slice(at + 4, at + 6)));

/** The validator of the library for a type. */
const ORACLES: Readonly<Record<string, readonly [country: string, name: string, options?: OracleOptions]>> = {
  AU_ABN: ['AU', 'abn'],
  AU_TFN: ['AU', 'tfn'],
  BE_NATIONAL_NUMBER: ['BE', 'nn', { plausible: (digits) => hasDate(0)(digits) && !/(?:00|98|99)$/.test(digits) }],
  BG_EGN: ['BG', 'egn', { plausible: hasDate(0) }],
  BR_CNPJ: ['BR', 'cnpj'],
  BR_CPF: ['BR', 'cpf'],
  // Numbers that begin with 0 or 8 are not issued.
  CA_SIN: ['CA', 'sin', { plausible: (digits) => /^[^08]/.test(digits) }],
  CH_AHV: ['CH', 'ssn'],
  CZ_RODNE_CISLO: ['CZ', 'rc'],
  DE_TAX_ID: ['DE', 'idnr'],
  DK_CPR: ['DK', 'cpr'],
  EE_LT_PERSONAL_CODE: ['EE', 'ik', { plausible: (digits) => /^[3-6]/.test(digits) && hasDate(1, 100)(digits) }],
  FR_NIR: ['FR', 'nir', { plausible: (digits) => /^[12]\d\d(?:0[1-9]|1[0-2])/.test(digits) }],
  GR_AMKA: ['GR', 'amka'],
  HR_OIB: ['HR', 'oib'],
  IL_ID: ['IL', 'idnr'],
  IN_AADHAAR: ['IN', 'aadhaar'],
  KR_RRN: ['KR', 'rrn', { plausible: (digits) => /^\d{6}[1-8]/.test(digits) && hasDate(0)(digits) }],
  NL_BSN: ['NL', 'bsn'],
  NO_FODSELSNUMMER: ['NO', 'fodselsnummer'],
  PL_PESEL: ['PL', 'pesel'],
  PT_NIF: ['PT', 'nif', { plausible: (digits) => /^[1235-9]/.test(digits) }],
  RO_CNP: ['RO', 'cnp'],
  SE_PERSONNUMMER: ['SE', 'personnummer', { write: (digits) => digits.replace(/(?=\d{4}$)/, '-') }],
  TR_NATIONAL_ID: ['TR', 'tckimlik'],
  US_SSN: ['US', 'ssn', { plausible: (digits) => !/^...00|0000$/.test(digits) }],
  ZA_ID: ['ZA', 'idnr'],
};

interface Validator {
  readonly validate: (value: string) => { readonly isValid: boolean };
}

/** Beginnings that many identifiers share: a date as YYMMDD, DDMMYY or YYYYMMDD, perhaps behind a digit, or any digits. */
const dates = fc.date({ min: new Date('1930-01-01'), max: new Date('1999-12-31'), noInvalidDate: true });
const beginnings = fc
  .tuple(dates, fc.integer({ min: 0, max: 5 }), fc.stringMatching(/^\d{15}$/))
  .map(([date, shape, rest]) => {
    const [year = '', month = '', day = ''] = date.toISOString().slice(0, 10).split('-');
    const yy = year.slice(2);
    const sex = String(1 + (Number(rest[0]) % 2));
    return [rest, `${yy}${month}${day}${rest}`, `${day}${month}${yy}${rest}`, `${sex}${yy}${month}${day}${rest}`, `3${yy}${month}${day}${rest}`, `756${rest}`][shape] ?? rest; // prettier-ignore
  });

describe('check digits of national identifiers', () => {
  for (const [
    type,
    [country, name, { plausible = () => true, write = (digits: string) => digits } = {}],
  ] of Object.entries(ORACLES)) {
    it(`of ${type} accept what the library stdnum accepts`, () => {
      const own = numbers.filter((number) => number.type === type);
      expect(own, type).to.have.length.above(0);
      const oracle = (stdnum as unknown as Record<string, Record<string, Validator> | undefined>)[country]?.[name];
      if (oracle === undefined) throw new Error(`stdnum has no validator ${country}.${name}.`);
      const lengths = [...new Set(own.flatMap((number) => number.lengths))];
      const missed: string[] = [];
      let valid = 0;
      for (const beginning of fc.sample(beginnings, { numRuns: 300, seed: 7 })) {
        for (const length of lengths) {
          for (let end = 0; end < 100; end += 1) {
            const digits = `${beginning.slice(0, length - 2)}${String(end).padStart(2, '0')}`;
            if (!plausible(digits) || !oracle.validate(write(digits)).isValid) continue;
            valid += 1;
            if (!own.some((number) => number.lengths.includes(length) && number.valid(digits))) missed.push(digits);
          }
        }
      }
      expect(valid, 'valid numbers that were tried').to.be.above(20);
      expect(missed.slice(0, 5)).to.deep.equal([]);
    });
  }
});

describe('check digits of IBANs', () => {
  it('accept what the library ibantools accepts, and nothing else', () => {
    const recognizers = recognizersFor();
    const isFound = (text: string): boolean => {
      const stats = textStatsOf(text);
      const found: string[] = [];
      for (const { type: own, find } of recognizers) {
        find(stats.text, (start, end, _score, type = own) => found.push(`${type} ${text.slice(start, end)}`), stats);
      }
      return found.includes(`IBAN_CODE ${text}`);
    };
    const lengths: Readonly<Record<string, number>> = { DE: 22, NL: 18, FR: 27, ES: 24, IT: 27, PT: 25, PL: 28, SE: 24, CH: 21, AT: 20 }; // prettier-ignore
    let valid = 0;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(lengths)), fc.stringMatching(/^\d{26}$/), (country, digits) => {
        const account = digits.slice(0, (lengths[country] ?? 0) - 4);
        for (let check = 2; check < 99; check += 1) {
          const iban = electronicFormatIBAN(`${country}${String(check).padStart(2, '0')}${account}`) ?? '';
          if (isValidIBAN(iban)) {
            valid += 1;
            expect(isFound(iban), iban).to.equal(true);
          }
        }
      }),
      { numRuns: 60, seed: 7 },
    );
    expect(valid).to.be.above(5);
  });
});
