/** `npm start`: runs the operator, the guardrail and a development gateway on this machine until Ctrl-C. */
const MINIMUM_NODE_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE_MAJOR) {
  console.error(
    `This program requires Node ${MINIMUM_NODE_MAJOR} or newer, but runs on ${process.versions.node}. Run npm start, which installs the right version.`,
  );
  process.exit(1);
}

// Imported only now: an older Node cannot load these modules.
const { mkdirSync } = await import('node:fs');
const { join } = await import('node:path');
const { tryLockFor } = await import('../harness/lock.ts');
const { Progress } = await import('../harness/progress.ts');
const { HELP, readSettings } = await import('./start/settings.ts');
const { sentence, start } = await import('./start/start.ts');

const root = join(import.meta.dirname, '../..');
const home = join(root, '.local');
const LOCK_WAIT_MS = 7_000;
const SECOND_SIGNAL_AFTER_MS = 1_000;
/** The exit code for Ctrl-C: 130 before everything is ready, 0 afterwards. After a failure, the exit code is 1. */
const INTERRUPTED = 130;

try {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings === 'help') {
    process.stdout.write(HELP);
    process.exit(0);
  }
  mkdirSync(home, { recursive: true });
  const unlock = await tryLockFor(home, LOCK_WAIT_MS);
  if (!unlock) throw new Error('npm start is already running in this folder. Press Ctrl-C in its terminal first.');

  const stop = Promise.withResolvers<undefined>();
  let stopRequestedAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stopRequestedAt ??= performance.now();
      // A second Ctrl-C ends this process and its children at once. A signal that follows immediately does not count: for one
      // Ctrl-C, this process receives a signal from the terminal and another one from npm.
      if (performance.now() - stopRequestedAt > SECOND_SIGNAL_AFTER_MS) process.exit(1);
      stop.resolve(undefined);
    });
  }
  const progress = new Progress();
  const starting = start({ settings, progress, root, home });
  const early = await Promise.race([
    starting.then(() => 'started' as const),
    stop.promise.then(() => 'interrupted' as const),
  ]);
  // Nothing is usable yet. Ending this process ends its children.
  if (early === 'interrupted') process.exit(INTERRUPTED);
  const running = await starting;
  // Keeps this process alive: its children and servers do not.
  const alive = setInterval(() => undefined, 60_000);
  let exitCode = INTERRUPTED;
  let ending = false;
  const outcome = running.outcome.then(({ complete, text }) => {
    // A part that is stopped while it starts fails. This failure is not reported.
    if (ending) return;
    progress.line(`\n${text}\n`);
    exitCode = complete ? 0 : 1;
  });
  if (running.local !== undefined) progress.line(`\n${running.local}\n`);
  const failure = await Promise.race([
    stop.promise,
    running.failed,
    outcome.then(() => new Promise<never>(() => undefined)),
  ]);
  ending = true;
  clearInterval(alive);
  progress.line(failure === undefined ? '\nStopping all parts …' : `\n${failure}\nStopping all other parts …`);
  await running.stop();
  await unlock();
  process.exit(failure === undefined ? exitCode : 1);
} catch (error) {
  console.error(sentence(error));
  process.exit(1);
}
