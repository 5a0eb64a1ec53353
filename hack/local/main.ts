/** `npm start`: everything on this machine, until Ctrl-C. */
const MINIMUM_NODE_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE_MAJOR) {
  console.error(
    `This needs Node ${MINIMUM_NODE_MAJOR} or newer, and this is ${process.versions.node}: run npm start, which brings the right one.`,
  );
  process.exit(1);
}

// Only now: what these import does not load on an older Node.
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
/** Of a Ctrl-C before everything was there. After that it is 0; where something failed, 1. */
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

  const asked = Promise.withResolvers<undefined>();
  let askedAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      askedAt ??= performance.now();
      // Whoever insists does not want to wait; the children are ended with this process. At once it is no insisting:
      // npm hands a Ctrl-C on, which the terminal has sent here already.
      if (performance.now() - askedAt > INSIST_AFTER_MS) process.exit(1);
      asked.resolve(undefined);
    });
  }
  const progress = new Progress();
  const starting = start({ settings, progress, root, home });
  const early = await Promise.race([
    starting.then(() => 'started' as const),
    asked.promise.then(() => 'asked' as const),
  ]);
  // Nothing can be used yet: ending this process ends what has been started.
  if (early === 'asked') process.exit(INTERRUPTED);
  const running = await starting;
  // Children and servers here do not keep this process alive by themselves.
  const alive = setInterval(() => undefined, 60_000);
  let exitCode = INTERRUPTED;
  let ending = false;
  const outcome = running.outcome.then(({ complete, text }) => {
    // What is being ended on its way up fails, and that is no news.
    if (ending) return;
    progress.line(`\n${text}\n`);
    exitCode = complete ? 0 : 1;
  });
  if (running.local !== undefined) progress.line(`\n${running.local}\n`);
  const failure = await Promise.race([
    asked.promise,
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
