// Mocha's own report, and the same counts in a file for hack/test.ts: kept up to date, so that they
// survive a run that breaks off; `ended` says that all tests have run.
// Mocha loads reporters by require, so this is the one test file in plain JavaScript.
import { writeFileSync } from 'node:fs';
import { reporters, Runner } from 'mocha';

const { EVENT_RUN_BEGIN, EVENT_RUN_END, EVENT_TEST_PASS, EVENT_TEST_FAIL } = Runner.constants;

/** Takes the option `file`. */
export default class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { file } = options.reporterOptions;
    const counts = { ended: false, passed: 0, failed: 0, failures: [] };
    const write = () => {
      writeFileSync(file, JSON.stringify(counts));
    };
    runner.once(EVENT_RUN_BEGIN, write);
    runner.on(EVENT_TEST_PASS, () => {
      counts.passed += 1;
      write();
    });
    runner.on(EVENT_TEST_FAIL, (test, error) => {
      counts.failed += 1;
      // The beginning says what it is, and of a property which seed shows it.
      const why = String(error?.message ?? error)
        .split('\n')
        .slice(0, 3)
        .join(' ')
        .slice(0, 300);
      counts.failures.push(`${test.file ?? ''}: ${test.fullTitle()}: ${why}`);
      write();
    });
    runner.once(EVENT_RUN_END, () => {
      counts.ended = true;
      write();
    });
  }
}
