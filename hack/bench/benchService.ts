/** The guardrail as a child process of a benchmark. */
import { openSync } from 'node:fs';
import { pino } from 'pino';
import { startApp, type App } from '../../guardrail/app/app.ts';
import { openLogDestination } from '../../guardrail/logDestination.ts';
import { readSettings } from '../../guardrail/settings/settings.ts';

/** The API key of the calls of a benchmark. */
export const BENCH_KEY = 'key-for-the-bench';

/**
 * Starts the guardrail on a free port. Writing its log is part of what is measured: it goes to /dev/null.
 * @param settings further environment variables
 */
export async function startBenchService(settings: Readonly<Record<string, string>> = {}): Promise<App> {
  const read = readSettings({
    GUARDRAIL_PORT: '0',
    GUARDRAIL_METRICS_PORT: 'off',
    GUARDRAIL_HOST: '127.0.0.1',
    GUARDRAIL_API_KEYS: `bench:${BENCH_KEY}`,
    ...settings,
  });
  return await startApp(read, { logger: pino({ level: 'info' }, openLogDestination(openSync('/dev/null', 'w'))) });
}
