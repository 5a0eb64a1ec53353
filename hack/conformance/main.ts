import { parseArgs } from 'node:util';
import { FAILS_OPEN } from './litellm.ts';
import { MUTANTS } from './mutants.ts';
import { POLICY, useService } from './service.ts';
import { GATEWAYS } from './stand.ts';
import { type Result, table } from './suite.ts';

const HELP = `Judges the guardrail behind real gateways: npm run conformance -- [flags]

  --gateway <name>   ${GATEWAYS.map(({ name }) => name).join(' or ')}; default: all
  --case <text>      only cases whose name holds this text
  --mutant <name>    makes the service wrong, to see the suite fail: ${Object.keys(MUTANTS).join(', ')}

LITELLM_LAB     folder with a LiteLLM to start (venv/bin/litellm, prisma-shim)
LITELLM_URL     a running LiteLLM instead, with LITELLM_MASTER_KEY and a database, configured as hack/samples/litellm
                says; its model must be http://127.0.0.1:9100/v1, its guardrail http://127.0.0.1:9300, with the key
                that GUARDRAIL_API_KEY tells; a second entry ${FAILS_OPEN}, not on by default, must fail open
GUARDRAIL_URL   a running guardrail, with GUARDRAIL_API_KEYS of two tenants; default: this project's own is started.
                Its GUARDRAIL_POLICY must be ${POLICY}`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const FLAGS = {
  gateway: { type: 'string' },
  case: { type: 'string' },
  mutant: { type: 'string' },
  help: { type: 'boolean' },
} as const;

function flags(): ReturnType<typeof parseArgs<{ options: typeof FLAGS }>>['values'] {
  try {
    return parseArgs({ options: FLAGS }).values;
  } catch (error) {
    throw new Error(`${(error as Error).message.split('. ')[0] ?? ''}; --help lists the flags.`, { cause: error });
  }
}

async function main(): Promise<void> {
  const values = flags();
  if (values.help === true) {
    say(HELP);
    return;
  }
  const gateways = GATEWAYS.filter(({ name }) => values.gateway === undefined || name.startsWith(values.gateway));
  if (gateways.length === 0)
    throw new Error(`--gateway must be one of ${GATEWAYS.map(({ name }) => name).join(', ')}.`);
  const mutant =
    values.mutant === undefined ? undefined : Object.entries(MUTANTS).find(([name]) => name === values.mutant)?.[1];
  if (values.mutant !== undefined && mutant === undefined) {
    throw new Error(`--mutant must be one of ${Object.keys(MUTANTS).join(', ')}.`);
  }
  const service = await useService();
  const results: Result[] = [];
  try {
    for (const gateway of gateways) {
      const names = gateway.cases.filter((name) => name.includes(values.case ?? ''));
      if (names.length === 0) continue;
      say(`Starting ${gateway.name} …`);
      const stand = await gateway.start(service);
      try {
        for (const name of names) results.push(await stand.run(name, mutant));
      } finally {
        await stand.stop();
      }
    }
  } finally {
    await service.stop();
  }
  if (results.length === 0) throw new Error('No case has a name like that of --case.');
  say(table(results));
  if (results.some(({ fault }) => fault !== undefined)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
