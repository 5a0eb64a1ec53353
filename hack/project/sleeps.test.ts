import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Linter } from 'eslint';

const root = join(import.meta.dirname, '../..');

interface Sleeps {
  readonly noSleep: readonly { readonly selector: string; readonly message: string }[];
  readonly sleepingTests: readonly string[];
}

describe('the rule against sleeps in tests', () => {
  let sleeps: Sleeps;
  before(async () => {
    sleeps = (await import(join(root, 'hack/sleeps.config.mjs'))) as Sleeps;
  });

  for (const [code, isSleep] of [
    ["import { setTimeout } from 'node:timers/promises';", true],
    ["import { setTimeout as delay } from 'timers/promises';", true],
    ['await new Promise((resolve) => setTimeout(resolve, 5));', true],
    ['await new Promise((resolve) => { setTimeout(() => resolve(1), 5); });', true],
    ["await once(AbortSignal.timeout(10), 'abort');", true],
    ["import { setImmediate } from 'node:timers/promises';", false],
    ["await once(child, 'exit', { signal: AbortSignal.timeout(10) });", false],
    ["mock.timers.enable({ apis: ['setTimeout'] });", false],
  ] as const) {
    it(`${isSleep ? 'finds' : 'allows'} ${code}`, () => {
      const messages = new Linter().verify(code, { rules: { 'no-restricted-syntax': ['error', ...sleeps.noSleep] } });
      expect(messages.map(({ ruleId }) => ruleId)).to.deep.equal(isSleep ? ['no-restricted-syntax'] : []);
    });
  }

  it('makes exceptions only for tests that exist and sleep', () => {
    const sleeping = (file: string): boolean =>
      existsSync(join(root, file)) && /setTimeout|AbortSignal\.timeout/.test(readFileSync(join(root, file), 'utf8'));
    const obsolete = sleeps.sleepingTests.filter((file) => !sleeping(file));
    expect(obsolete, 'remove from hack/sleeps.config.mjs').to.deep.equal([]);
  });
});
