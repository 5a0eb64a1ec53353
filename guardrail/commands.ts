/** The guardrail's command line. */
import { createSecretKey } from 'node:crypto';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { SettingsError, DEFAULT_TENANT, describeSettings, readSecret, readSettings } from './settings/settings.ts';
import { deriveSession } from './pseudonymization/pseudonymization.ts';
import type { Tenant } from './ids.ts';

const USAGE = `Usage: node guardrail/main.ts [command] [options]

Commands
  serve         Runs the service (default).
  detect        Reads lines {"id","text"} from standard input and writes {"id","spans"} for each.
                [--team id] applies the policy of this team.
                [--trace] explains each find, and each candidate that is none;
                [--why word] explains only what touches this word; [--json] writes explanations as JSON.
  session-id    Prints the session id of a call with these identifiers:
                [--tenant name] [--team id] [--key-hash hash] [--user id] [--end-user id]
                [--trace-id id] [--call-id id]
  report        Sums up audit events, from files or standard input:
                [--from day] [--to day] [--customer id] [--subject hash] [--team name]
                [--tenant name] [--instance name] [--format text|json|csv] [file…]

Options
  --help        Prints this help.

Settings (environment variables)
`;

const SESSION_OPTIONS = {
  tenant: { type: 'string' },
  team: { type: 'string' },
  'key-hash': { type: 'string' },
  user: { type: 'string' },
  'end-user': { type: 'string' },
  'trace-id': { type: 'string' },
  'call-id': { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

const DETECT_OPTIONS = {
  team: { type: 'string' },
  trace: { type: 'boolean', default: false },
  why: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const satisfies ParseArgsConfig['options'];

/** Runs a command. @returns the exit code: 0 for success, 1 for a failure, 2 for wrong arguments or settings. */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  if (args.includes('--help') || args.includes('-h') || args[0] === 'help') {
    process.stdout.write(`${USAGE}${describeSettings()}\n`);
    return 0;
  }
  const [command = 'serve', ...rest] = args[0]?.startsWith('-') ? ['serve', ...args] : args;
  try {
    switch (command) {
      case 'serve':
        return await rejectArguments(rest, async () => {
          const settings = readSettings(env);
          // Loaded only here: the service takes long to load, and the other commands do not need it.
          const { serve } = await import('./serve.ts');
          return serve(settings, env);
        });
      case 'detect':
        return await detect(rest, env);
      case 'session-id':
        return sessionId(rest, env);
      case 'report':
        return await report(rest, env);
      default:
        return usageError(`Unknown command ${JSON.stringify(command)}: use serve, detect, session-id or report.`);
    }
  } catch (error) {
    if (error instanceof SettingsError) return usageError(error.message);
    process.stderr.write(`${error instanceof Error ? error.message : 'The guardrail failed.'}\n`);
    return 1;
  }
}

function rejectArguments(args: readonly string[], proceed: () => Promise<number>): Promise<number> {
  const [first] = args;
  if (first === undefined) return proceed();
  return Promise.resolve(
    usageError(`Unknown argument ${JSON.stringify(first)}: settings are environment variables, see --help.`),
  );
}

function sessionId(args: readonly string[], env: NodeJS.ProcessEnv): number {
  let options;
  try {
    options = parseArgs({ args: [...args], options: SESSION_OPTIONS, allowPositionals: false }).values;
  } catch {
    return usageError(
      `session-id accepts only these options, each with a value: ${Object.keys(SESSION_OPTIONS)
        .map((name) => `--${name}`)
        .join(', ')}.`,
    );
  }
  const settings = readSettings({ ...env, GUARDRAIL_INSECURE_NO_AUTH: 'true' });
  if (!settings.SESSION_KEY)
    return usageError(
      'GUARDRAIL_SESSION_KEY or GUARDRAIL_SESSION_KEY_FILE must be set: session ids are derived from it.',
    );
  const session = deriveSession(
    createSecretKey(readSecret(settings.SESSION_KEY)),
    {
      tenant: (options.tenant ?? DEFAULT_TENANT) as Tenant,
      team: options.team,
      keyHash: options['key-hash'],
      user: options.user,
      endUser: options['end-user'],
      traceId: options['trace-id'],
      callId: options['call-id'],
    },
    settings.SESSION_SCOPE,
  );
  if (session === undefined)
    return usageError('These identifiers do not determine a session: add --team, --end-user or another option.');
  process.stdout.write(`${session}\n`);
  return 0;
}

async function report(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { runReport } = await import('./audit/audit.ts');
  return runReport(args, {
    input: process.stdin as AsyncIterable<Buffer>,
    write: (text) => process.stdout.write(text),
    warn: (sentence) => process.stderr.write(`${sentence}\n`),
    key: () => {
      const { SESSION_KEY } = readSettings({ ...env, GUARDRAIL_INSECURE_NO_AUTH: 'true' });
      return SESSION_KEY && createSecretKey(readSecret(SESSION_KEY));
    },
  });
}

async function detect(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  let options;
  try {
    options = parseArgs({ args: [...args], options: DETECT_OPTIONS, allowPositionals: false }).values;
  } catch {
    return usageError(
      'detect accepts only the options --team and --why, each with a value, --trace and --json: it reads lines from standard input.',
    );
  }
  const settings = readSettings({ ...env, GUARDRAIL_INSECURE_NO_AUTH: 'true' });
  const { openAnalyzer, openPolicyOf } = await import('./app/app.ts');
  const { runDetect } = await import('./detection/detection.ts');
  const log = process.stderr;
  const analyzer = openAnalyzer(
    settings,
    openPolicyOf(settings, (problem) => log.write(`${problem}\n`)),
  );
  try {
    const { failed } = await runDetect(process.stdin, process.stdout, {
      ...{ analyzer, log, team: options.team, why: options.why },
      trace: options.json ? 'json' : options.trace || options.why !== undefined ? 'text' : undefined,
    });
    return failed === 0 ? 0 : 1;
  } finally {
    await analyzer.close();
  }
}

function usageError(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}
