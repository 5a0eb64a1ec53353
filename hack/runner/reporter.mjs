// Mocha's spec reporter, which also writes the counts to a file for hack/runner/main.ts. The file is updated after each test, so that
// an aborted run has counts; `ended` says that all tests have run. Mocha loads reporters with require, so this is plain
// JavaScript.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout } from 'node:timers';
import { reporters, Runner } from 'mocha';

const { EVENT_RUN_BEGIN, EVENT_RUN_END, EVENT_TEST_PASS, EVENT_TEST_FAIL } = Runner.constants;

/** How long after the last test what still runs is written down. */
const LEFT_RUNNING_MS = 10_000;

/** What keeps the process running: processes, sockets and timers, each in a few words. */
function stillRunning() {
  process.report.excludeNetwork = true;
  const handles = process.report
    .getReport()
    .libuv.filter((handle) => handle.is_active && handle.is_referenced && !['loop', 'timer'].includes(handle.type))
    .map(({ type, pid, localEndpoint, remoteEndpoint }) => {
      const ends = [localEndpoint, remoteEndpoint].map((end) => end && `${end.host}:${end.port}`);
      return [type, pid, ...ends].filter(Boolean).join(' ');
    });
  // All timers share one handle.
  return [...handles, ...process.getActiveResourcesInfo().filter((name) => name === 'Timeout')];
}

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
      // Fires only if something else keeps the process running.
      setTimeout(() => {
        counts.running = stillRunning();
        write();
      }, LEFT_RUNNING_MS).unref();
    });
  }
}
