import { expect } from 'chai';
import fc from 'fast-check';
import { isValidPhoneNumber } from 'libphonenumber-js/min';
import { phonePlans } from '../../languages/languages.ts';
import { isGerman } from './phone.ts';

describe('isGerman', () => {
  it('is true only for numbers that the library finds valid in a plan that is always checked', () => {
    expect(phonePlans([]).withZero).to.include('DE');
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength: 8, maxLength: 14 });
    const separator = fc.constantFrom(' ', '-', '/', '.', '\u00a0', ') ');
    fc.assert(
      fc.property(digits, separator, fc.integer({ min: 1, max: 7 }), (rest, mark, at) => {
        const body = `0${rest.slice(0, at)}${mark}${rest.slice(at)}`;
        if (isGerman(body, `0${rest}`)) expect(isValidPhoneNumber(body, 'DE'), body).to.equal(true);
      }),
      { numRuns: 2000 },
    );
  });

  for (const [body, expected] of [
    ['089 1234567', true],
    ['0171/2345678', true],
    ['0049 89 123456', false],
    ['0421 123456', true],
    ['0491 123456', false],
    ['089 1234567 ext', false],
  ] as const) {
    it(`${expected ? 'accepts' : 'leaves to the library'} ${body}`, () => {
      expect(isGerman(body, body.replace(/\D/g, ''))).to.equal(expected);
    });
  }
});
