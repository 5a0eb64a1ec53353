/** `npm start`: runs everything on this machine, until Ctrl-C. */
const MINIMUM_NODE_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE_MAJOR) {
  console.error(
    `This needs Node ${MINIMUM_NODE_MAJOR} or newer, and this is ${process.versions.node}: run npm start, which installs the right one.`,
  );
  process.exit(1);
}

// Imported only now: an older Node cannot load these modules.
const { mkdirSync } = await import('node:fs');
const { join } = await import('node:path');
const { tryLockFor } = await import('../testing/lock.ts');
const { Progress } = await import('../testing/progress.ts');
const { HELP, readSettings } = await import('./start/settings.ts');
const { sentence, start } = await import('./start/start.ts');

const root = join(import.meta.dirname, '../..');
const home = join(root, '.local');
const LOCK_WAIT_MS = 7_000;
const INSIST_AFTER_MS = 1_000;
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
  if (!unlock) throw new Error('npm start already runs in this folder: end it first, with Ctrl-C in its terminal.');

  const stop = Promise.withResolvers<undefined>();
  let stopRequestedAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stopRequestedAt ??= performance.now();
      // A second Ctrl-C ends this process at once, and the children with it. A second signal that follows immediately is not
      // counted: the terminal sends Ctrl-C to this process, and npm forwards it once more.
      if (performance.now() - stopRequestedAt > INSIST_AFTER_MS) process.exit(1);
      stop.resolve(undefined);
    });
  }
  const progress = new Progress();
  const starting = start({ settings, progress, root, home });
  const early = await Promise.race([
    starting.then(() => 'started' as const),
    stop.promise.then(() => 'asked' as const),
  ]);
  // Nothing is usable yet. Ending this process ends its children.
  if (early === 'asked') process.exit(INTERRUPTED);
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
  progress.line(failure === undefined ? '\nEnding everything …' : `\n${failure}\nEnding everything else …`);
  await running.stop();
  await unlock();
  process.exit(failure === undefined ? exitCode : 1);
} catch (error) {
  console.error(sentence(error));
  process.exit(1);
}
