import { expect } from 'chai';
import { type Case, runCase, table } from './suite.ts';
import { newPerson } from './syntheticPerson.ts';

describe('the suite', () => {
  const outcome = async (run: Case<undefined>['run'], limit?: string) =>
    runCase('g', { name: 'n', run, ...(limit !== undefined && { limit }) }, undefined);

  it('reports passes, limits and failures in a table and a summary', async () => {
    const results = [
      await outcome(() => Promise.resolve()),
      await outcome(() => Promise.resolve(), 'cannot'),
      await outcome(() => Promise.reject(new Error('no route')), 'cannot'),
    ];
    expect(table(results).split('\n')).to.deep.equal([
      'g  n  pass',
      'g  n  limit  cannot',
      'g  n  FAIL   The check did not complete: Error: no route',
      '',
      '1 passed, 1 limits of the gateway confirmed, 1 failed.',
    ]);
  });

  it('creates people with valid check digits', () => {
    for (let round = 0; round < 50; round += 1) {
      const { card, iban } = newPerson();
      const sum = Array.from(card)
        .reverse()
        .map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
        .reduce((total, digit) => total + (digit > 9 ? digit - 9 : digit), 0);
      expect(sum % 10, card).to.equal(0);
      expect(BigInt(`${iban.slice(4)}1314${iban.slice(2, 4)}`) % 97n, iban).to.equal(1n);
    }
  });
});
