// Mocha's spec reporter, which also writes the counts to a file for hack/test.ts. The file is updated after each test, so that
// an aborted run has counts; `ended` says that all tests have run. Mocha loads reporters with require, so this is plain
// JavaScript.
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
      // The beginning of the message says what failed, and for a property its seed.
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
