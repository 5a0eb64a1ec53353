/** `npm run e2e`: the project on a real cluster. */
import { CASES, runE2e } from './run.ts';
import { exitWith } from '../test/exitWith.ts';

const HELP = `npm run e2e             builds the image, brings up a one-node cluster on this machine, and tries the project on it
npm run e2e -- NAME…    these cases alone: ${CASES.join(', ')}

As root on Linux it needs nothing else: the cluster lives in namespaces of its own, and nothing of it stays but logs in
.local/e2e. With KUBECONFIG and E2E_IMAGE it uses that cluster instead, whose nodes can pull that image of this project.
The cluster must not have the operator yet, and has to make volumes; what the cases make there they remove again.
`;

async function main(): Promise<number> {
  const names = process.argv.slice(2);
  if (names.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  const unknown = names.find((name) => !CASES.includes(name));
  if (unknown !== undefined) throw new Error(`There are no cases ${unknown}; there are ${CASES.join(', ')}.`);
  const cases = CASES.filter((name) => names.length === 0 || names.includes(name));

  const aborted = new AbortController();
  let casesRun = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Before that there is nothing but children that end with this process.
      if (!casesRun) process.exit(130);
      if (!aborted.signal.aborted) console.log('\nEnding everything …');
      aborted.abort();
    });
  }
  const { passed, failed, failures } = await runE2e(cases, {
    abort: aborted.signal,
    casesBegin: () => {
      casesRun = true;
    },
  });
  for (const failure of failures) console.log(`FAILED ${failure}`);
  console.log(`${passed} passed, ${failed} failed`);
  return aborted.signal.aborted ? 130 : failed === 0 ? 0 : 1;
}

await exitWith(main);
