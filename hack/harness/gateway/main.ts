import { startDevGateway } from './gateway.ts';
import { HELP, readSettings } from './settings.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function sentence(error: unknown): string {
  if (!(error instanceof Error)) return 'The development gateway could not start.';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'The port of --port is in use. Choose another port, or 0 for a free one.';
  return error.message;
}

try {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings === 'help') say(HELP);
  else {
    const gateway = await startDevGateway({ ...settings, print: say });
    say(`The development gateway listens on ${gateway.url}.`);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void gateway.stop());
  }
} catch (error) {
  process.stderr.write(`${sentence(error)}\n`);
  process.exitCode = 1;
}
