import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { RuleTester } from 'oxlint/plugins-dev';
import plugin, { sleepingTests } from '../sleeps.ts';

const root = join(import.meta.dirname, '../..');

RuleTester.describe = describe;
RuleTester.it = it;
new RuleTester().run('the rule against sleeps in tests', plugin.rules['no-sleep'], {
  invalid: [
    "import { setTimeout } from 'node:timers/promises';",
    "import { setTimeout as delay } from 'timers/promises';",
    'await new Promise((resolve) => setTimeout(resolve, 5));',
    'await new Promise((resolve) => { setTimeout(() => resolve(1), 5); });',
    "await once(AbortSignal.timeout(10), 'abort');",
  ].map((code) => ({ code, errors: 1 })),
  valid: [
    "import { setImmediate } from 'node:timers/promises';",
    "await once(child, 'exit', { signal: AbortSignal.timeout(10) });",
    "mock.timers.enable({ apis: ['setTimeout'] });",
  ],
});

describe('the list of tests that sleep', () => {
  it('has only tests that exist and sleep', () => {
    const sleeping = (file: string): boolean =>
      existsSync(join(root, file)) && /setTimeout|AbortSignal\.timeout/.test(readFileSync(join(root, file), 'utf8'));
    const obsolete = sleepingTests.filter((file) => !sleeping(file));
    expect(obsolete, 'remove from hack/sleeps.ts').to.deep.equal([]);
  });
});
