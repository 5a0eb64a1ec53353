import { parseArgs } from 'node:util';
import { compareDocument, DOCUMENT, writeDocument } from './exposure/document.ts';
import type { Mutant } from './interceptor.ts';
import { MUTANTS } from './mutants.ts';
import { startService } from './service.ts';
import { type Gateway, GATEWAYS, type Testbed } from './testbed.ts';
import { type Result, table } from './suite.ts';

/** The name of the measurement, used like a case name. */
const TABLE = 'table';

const HELP = `Tests the guardrail behind real gateways: npm run conformance -- [gateway] [flags]

  gateway            ${GATEWAYS.map(({ name }) => name).join(', ')}: tests only those that begin with this. Default: all.
                     "inline" is LiteLLM behind the guardrail as a proxy; in "callback-and-inline", it calls the
                     guardrail too.
  --case <text>      Run only cases whose name contains this text. The case "${TABLE}" measures what
                     does not pass through the guardrail, and writes it to ${DOCUMENT}.
  --check            Write nothing. Fail if the table differs from the measurement.
  --mutant <name>    Inject a fault into the service, to see the suite fail: ${Object.keys(MUTANTS).join(', ')}

The cases for LiteLLM install the PyPI package pii-leak-benchmark, which needs Python 3.10 or later.

The cases for LiteLLM start the one in the folder LITELLM_LAB (venv/bin/litellm, prisma-shim).`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const FLAGS = {
  case: { type: 'string' },
  check: { type: 'boolean' },
  mutant: { type: 'string' },
  help: { type: 'boolean' },
} as const;

type Parsed = ReturnType<typeof parseArgs<{ options: typeof FLAGS; allowPositionals: true }>>;

function flags(): Parsed {
  try {
    return parseArgs({ options: FLAGS, allowPositionals: true });
  } catch (error) {
    throw new Error(`${(error as Error).message.split('. ')[0] ?? ''}. To list the flags, use --help.`, {
      cause: error,
    });
  }
}

/** Measures what a gateway lets pass. Writes the table, except with `--check` or with a mutant. */
async function runTable(
  { name: gateway, measured = [] }: Gateway,
  { measure }: Testbed,
  check: boolean,
  mutant?: Mutant,
): Promise<Result> {
  const result = { gateway, name: TABLE, limit: undefined };
  if (measure === undefined) throw new Error(`${gateway} is not measured.`);
  const findings = await measure(mutant === undefined ? {} : { mutant });
  const changes = await compareDocument(gateway, findings);
  for (const change of changes) say(`${DOCUMENT}: ${change}`);
  const faults = [...findings.faults, ...(check || mutant !== undefined ? changes : [])];
  if (faults.length > 0) return { ...result, fault: faults.join('; ') };
  if (changes.length > 0) await writeDocument(gateway, findings, measured);
  return { ...result, fault: undefined };
}

async function main(): Promise<void> {
  const { values, positionals } = flags();
  if (values.help === true) {
    say(HELP);
    return;
  }
  const [chosen = '', ...more] = positionals;
  const gateways = GATEWAYS.filter(({ name }) => name.startsWith(chosen));
  if (gateways.length === 0 || more.length > 0)
    throw new Error(`The gateway must be one of ${GATEWAYS.map(({ name }) => name).join(', ')}.`);
  const mutant =
    values.mutant === undefined ? undefined : Object.entries(MUTANTS).find(([name]) => name === values.mutant)?.[1];
  if (values.mutant !== undefined && mutant === undefined) {
    throw new Error(`--mutant must be one of ${Object.keys(MUTANTS).join(', ')}.`);
  }
  const service = await startService();
  const results: Result[] = [];
  try {
    for (const gateway of gateways) {
      const names = gateway.cases.filter((name) => name.includes(values.case ?? ''));
      const measured = gateway.measured !== undefined && TABLE.includes(values.case ?? '');
      if (names.length === 0 && !measured) continue;
      say(`Starting ${gateway.name} …`);
      const testbed = await gateway.start(service);
      try {
        for (const name of names) results.push(await testbed.run(name, mutant));
        if (measured) results.push(await runTable(gateway, testbed, values.check ?? false, mutant));
      } finally {
        await testbed.stop();
      }
    }
  } finally {
    await service.stop();
  }
  if (results.length === 0) throw new Error('No case matches --case.');
  say(table(results));
  if (results.some(({ fault }) => fault !== undefined)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
