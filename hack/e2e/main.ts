/** `npm run e2e`: tests the project on a real cluster. */
import { CASES, runE2e } from './run.ts';
import { exitWith, printCases } from '../runner/exitWith.ts';

const HELP = `npm run e2e             builds the image, starts a one-node cluster on this machine, and tests the project on it
npm run e2e -- NAME…    runs only these cases: ${CASES.join(', ')}

Requires root on Linux. The cluster runs in its own namespaces, and leaves only logs in .local/e2e.
With KUBECONFIG and E2E_IMAGE, the cases use that cluster instead. Its nodes must be able to pull the image, which is an
image of this project. The cluster must provision volumes, and must not contain the operator. The cases remove the
objects that they create there.
`;

async function main(): Promise<number> {
  const names = process.argv.slice(2);
  if (names.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  const unknown = names.find((name) => !CASES.includes(name));
  if (unknown !== undefined) throw new Error(`Unknown cases: ${unknown}. Known cases: ${CASES.join(', ')}.`);
  const cases = CASES.filter((name) => names.length === 0 || names.includes(name));

  const aborted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!aborted.signal.aborted) console.log('\nEnding everything …');
      aborted.abort();
    });
  }
  const counts = await runE2e(cases, aborted.signal).catch((error: unknown) => {
    if (!aborted.signal.aborted) throw error;
    // Other child processes end with this process.
    process.exit(130);
  });
  const code = printCases(counts);
  return aborted.signal.aborted ? 130 : code;
}

await exitWith(main);
