/** `npm run attack`: attacks on the guardrail and on the operator, as real programs. */
import { parseArgs } from 'node:util';
import { ATTACKS, defaultSeed, runAttacks } from './run.ts';
import { exitWith } from '../test/exitWith.ts';

const HELP = `Attacks the guardrail and the operator as real programs: npm run attack -- [flags] [NAME…]

  NAME…        only attacks whose names hold one of these texts
  --seed N     repeats the run that had this seed; default: PROPERTY_SEED, or else a random one
  --list       prints the names of all attacks

It needs Redis, and etcd, kube-apiserver and kubectl, which it fetches where they are not at hand. After each attack the
program must live and be healthy, its memory must be back within 20 %, the calls of others must have stayed within 3 times
their usual p99, and no planted personal value may stand in a log, a metric or an error. Exit code 0: all of that holds.
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { seed: { type: 'string' }, list: { type: 'boolean' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help === true || values.list === true) {
    process.stdout.write(values.help === true ? HELP : `${ATTACKS.join('\n')}\n`);
    return 0;
  }
  const unknown = positionals.find((name) => !ATTACKS.some((attack) => attack.includes(name)));
  if (unknown !== undefined) throw new Error(`No attack has a name like ${unknown}; --list prints all of them.`);
  const seed = values.seed === undefined ? defaultSeed() : Number(values.seed);
  if (!Number.isInteger(seed)) throw new Error('--seed must be a whole number.');

  // Children end with this process: see hack/testing/processes.ts.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  const { passed, failed, failures } = await runAttacks(positionals, seed);
  for (const failure of failures) console.log(`FAILED ${failure}`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

await exitWith(main);
