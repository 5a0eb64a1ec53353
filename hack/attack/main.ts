/** `npm run attack`: attacks the guardrail and the operator as real programs. */
import { parseArgs } from 'node:util';
import { ATTACKS, defaultSeed, runAttacks } from './run.ts';
import { exitWith, printCases } from '../runner/exitWith.ts';

const HELP = `Attacks the guardrail and the operator as real programs: npm run attack -- [flags] [NAME…]

  NAME…        Run only attacks whose name contains one of these texts.
  --seed N     Repeat the run with this seed. Default: PROPERTY_SEED, or a random number.
  --list       Print the names of all attacks.

Requires Redis. Downloads etcd, kube-apiserver and kubectl if they are missing. After each attack, the program must be
running and healthy, its memory must return to within 20 % of the initial value, other tenants must not have waited, and no
log, metric or error may contain a canary value, which is a unique personal value of the attack. How long others waited is
measured without the time in which other programs used the processor. The exit code is 0 if all attacks pass.
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
  if (unknown !== undefined) throw new Error(`No attack matches ${unknown}. --list prints the names of all attacks.`);
  const seed = values.seed === undefined ? defaultSeed() : Number(values.seed);
  if (!Number.isInteger(seed)) throw new Error('--seed must be an integer.');

  // Child processes end with this process, see hack/harness/processes.ts.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  return printCases(await runAttacks(positionals, seed));
}

await exitWith(main);
