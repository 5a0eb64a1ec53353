/** The guardrail's command line. */
import { createSecretKey } from 'node:crypto';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { SettingsError, DEFAULT_TENANT, describeSettings, openSecret, readSettings } from './settings/settings.ts';
import { deriveSession } from './pseudonymization/pseudonymization.ts';
import type { Tenant } from './ids.ts';

const USAGE = `Usage: node guardrail/main.ts [command] [options]

Commands
  serve         Runs the service (default).
  detect        Reads lines {"id","text"} from standard input and writes {"id","spans"} for each;
                [--team id] applies that team's overrides of the policy.
  session-id    Prints the id of the session of a call, given its identifiers:
                [--tenant name] [--team id] [--key-hash hash] [--user id] [--end-user id]
                [--trace-id id] [--call-id id]

Options
  --help        Prints this text.

Settings come from the environment:
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

/** @returns the exit code: 0, 1 where it failed, 2 where it was called wrongly. */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  if (args.includes('--help') || args.includes('-h') || args[0] === 'help') {
    process.stdout.write(`${USAGE}${describeSettings()}\n`);
    return 0;
  }
  const [command = 'serve', ...rest] = args[0]?.startsWith('-') ? ['serve', ...args] : args;
  try {
    switch (command) {
      case 'serve':
        return await withoutArguments(rest, async () => {
          const config = readSettings(env);
          // Loaded where it is needed: the other commands answer at once.
          const { serve } = await import('./serve.ts');
          return serve(config, env);
        });
      case 'detect':
        return await detect(rest, env);
      case 'session-id':
        return sessionId(rest, env);
      default:
        return wrong(`There is no command ${JSON.stringify(command)}: it is serve, detect or session-id.`);
    }
  } catch (error) {
    if (error instanceof SettingsError) return wrong(error.message);
    process.stderr.write(`${error instanceof Error ? error.message : 'The guardrail failed.'}\n`);
    return 1;
  }
}

function withoutArguments(args: readonly string[], proceed: () => Promise<number>): Promise<number> {
  const [first] = args;
  if (first === undefined) return proceed();
  return Promise.resolve(
    wrong(`${JSON.stringify(first)} is not known here: settings come from the environment, see --help.`),
  );
}

function sessionId(args: readonly string[], env: NodeJS.ProcessEnv): number {
  let options;
  try {
    options = parseArgs({ args: [...args], options: SESSION_OPTIONS, allowPositionals: false }).values;
  } catch {
    return wrong(
      `session-id takes ${Object.keys(SESSION_OPTIONS)
        .map((name) => `--${name}`)
        .join(', ')}, each with a value.`,
    );
  }
  const config = readSettings({ ...env, GUARDRAIL_INSECURE_NO_AUTH: 'true' });
  if (!config.SESSION_KEY)
    return wrong('GUARDRAIL_SESSION_KEY or GUARDRAIL_SESSION_KEY_FILE must be set: ids come from it.');
  const live = openSecret(config.SESSION_KEY, () => undefined);
  live.close();
  const session = deriveSession(
    createSecretKey(live.current),
    {
      tenant: (options.tenant ?? DEFAULT_TENANT) as Tenant,
      team: options.team,
      keyHash: options['key-hash'],
      user: options.user,
      endUser: options['end-user'],
      traceId: options['trace-id'],
      callId: options['call-id'],
    },
    config.SESSION_SCOPE,
  );
  if (session === undefined) return wrong('These identifiers name no session: give --team, --end-user or another one.');
  process.stdout.write(`${session}\n`);
  return 0;
}

async function detect(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  let options;
  try {
    options = parseArgs({ args: [...args], options: { team: { type: 'string' } }, allowPositionals: false }).values;
  } catch {
    return wrong('detect takes --team, with a value, and nothing else: it reads lines from standard input.');
  }
  const config = readSettings({ ...env, GUARDRAIL_INSECURE_NO_AUTH: 'true' });
  const { openAnalyzer, openPolicyOf } = await import('./app/app.ts');
  const { runDetect } = await import('./detection/detection.ts');
  const log = process.stderr;
  const analyzer = openAnalyzer(
    config,
    openPolicyOf(config, (problem) => log.write(`${problem}\n`)),
  );
  try {
    const { failed } = await runDetect(process.stdin, process.stdout, { analyzer, log, team: options.team });
    return failed === 0 ? 0 : 1;
  } finally {
    await analyzer.close();
  }
}

function wrong(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}
