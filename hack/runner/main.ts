/**
 * `npm test`, `npm run test:unit`, `npm run test:all` and `npm run test:long`. The name of a test file says what it needs: see
 * suites.ts.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CHECKS } from './checks.ts';
import { exitWith, printCounts } from './exitWith.ts';
import { timesTable } from './outcome.ts';
import { isProgramRunning, PROGRAMS } from './programs.ts';
import { Run } from './run.ts';
import { realServers } from './servers.ts';
import { allTests, kindOf, testsIn } from './suites.ts';

const HELP = `npm test              lint, format, types, and all tests that need no programs of other projects
npm run test:unit     the tests that need neither Redis nor a control plane and are not slow, in a minute
npm run test:all      npm test, the attacks, the tests with programs of other projects (*.all.test.ts), and a real cluster
npm run test:long     npm run test:all with full counts of properties and objects, as before a release
npm test -- PATH…     the tests in these files or folders

  --times             prints the wall and processor time of each file and of each stage, slowest first

A test file that fails runs once more, alone, after all others. If it passes then, the run ends with a line FLAKY for it.
`;
/** Each property of a unit test run stops after this time. `npm test` tries all values. */
const UNIT_PROPERTY_MS = 1_500;

const root = join(import.meta.dirname, '../..');
const stopping = new AbortController();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      all: { type: 'boolean' },
      unit: { type: 'boolean' },
      long: { type: 'boolean' },
      times: { type: 'boolean' },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const started = performance.now();
  const run = new Run({
    root,
    env: {
      ...(values.unit === true && { PROPERTY_TIME_MS: String(UNIT_PROPERTY_MS) }),
      ...(values.long === true && { TEST_SCALE: 'long' }),
    },
    servers: realServers,
    signal: stopping.signal,
  });
  if (positionals.length > 0) {
    await run.oneByOne([...new Set(positionals.flatMap((path) => testsIn(root, path)))]);
  } else if (values.unit === true) {
    await run.together({ files: allTests(root).filter((file) => kindOf(file) === 'unit') });
  } else {
    const all = values.all === true || values.long === true;
    const files = allTests(root).filter((file) => all || kindOf(file) !== 'all');
    await run.together({ files, checks: CHECKS, programs: all ? PROGRAMS : [] });
  }
  if (values.times === true) console.log(`\n${timesTable(run.stages).join('\n')}`);
  console.log(`\nTook ${((performance.now() - started) / 60_000).toFixed(1)} minutes.`);
  const { passed, failed, lines } = run.verdict();
  return printCounts(lines, passed, failed);
}

// By default, a signal ends this process without its exit handlers, and the tests continue to run.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    stopping.abort(new Error('A signal ended the run.'));
    // The program of the real cluster takes it down in order. The run then ends with its outcome.
    if (!isProgramRunning()) process.exit(130);
  });
}
await exitWith(main);
