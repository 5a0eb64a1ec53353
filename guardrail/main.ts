// Checks the version first: newer syntax in the other files would fail with an unclear error.
const MINIMUM = 24;
if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  process.stderr.write(`The guardrail requires Node ${MINIMUM} or later; this is Node ${process.versions.node}.\n`);
  process.exit(1);
}
const { run } = await import('./commands.ts');
process.exitCode = await run(process.argv.slice(2), process.env);
