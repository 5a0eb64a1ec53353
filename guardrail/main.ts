// The one thing to do before anything newer is loaded: tell an old Node from a broken program.
const MINIMUM = 24;
if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  process.stderr.write(`The guardrail needs Node ${MINIMUM} or later; this is Node ${process.versions.node}.\n`);
  process.exit(1);
}
const { run } = await import('./commands.ts');
process.exitCode = await run(process.argv.slice(2), process.env);
