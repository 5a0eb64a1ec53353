import { parseArgs } from 'node:util';
import { compareDocument, DOCUMENT, writeDocument } from './exposure/document.ts';
import { startService } from './service.ts';
import { type Gateway, GATEWAYS, type Testbed } from './testbed.ts';
import { type Result, table } from './suite.ts';

/** The name of the measurement, used like a case name. */
const TABLE = 'table';
const NAMES = GATEWAYS.map(({ name }) => name).join(', ');

const HELP = `Tests the guardrail behind real gateways: npm run conformance -- [gateway] [--case <text>]

  gateway            ${NAMES}: tests only those that begin with this. Default: all.
                     "inline" is LiteLLM behind the guardrail as a proxy; in "callback-and-inline", it calls the
                     guardrail too.
  --case <text>      Run only cases whose name contains this text. The case "${TABLE}" measures what
                     does not pass through the guardrail, and writes it to ${DOCUMENT}.

The cases for LiteLLM install the PyPI package pii-leak-benchmark, which needs Python 3.10 or later. They start the LiteLLM in
the folder LITELLM_LAB (venv/bin/litellm, prisma-shim).`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Measures what a gateway lets pass, and writes the table if it differs. */
async function runTable({ name: gateway, measured = [] }: Gateway, { measure }: Testbed): Promise<Result> {
  if (measure === undefined) throw new Error(`${gateway} is not measured.`);
  const findings = await measure();
  const changes = await compareDocument(gateway, findings);
  for (const change of changes) say(`${DOCUMENT}: ${change}`);
  const fault = findings.faults.length > 0 ? findings.faults.join('; ') : undefined;
  if (fault === undefined && changes.length > 0) await writeDocument(gateway, findings, measured);
  return { gateway, name: TABLE, limit: undefined, fault };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { case: { type: 'string', default: '' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help === true) {
    say(HELP);
    return;
  }
  const [chosen = '', ...more] = positionals;
  const gateways = GATEWAYS.filter(({ name }) => name.startsWith(chosen));
  if (gateways.length === 0 || more.length > 0) throw new Error(`The gateway must be one of ${NAMES}.`);
  const service = await startService();
  const results: Result[] = [];
  try {
    for (const gateway of gateways) {
      const names = gateway.cases.filter((name) => name.includes(values.case));
      const measured = gateway.measured !== undefined && TABLE.includes(values.case);
      if (names.length === 0 && !measured) continue;
      say(`Starting ${gateway.name} …`);
      const testbed = await gateway.start(service);
      try {
        for (const name of names) results.push(await testbed.run(name));
        if (measured) results.push(await runTable(gateway, testbed));
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
