/** The guardrail as a child process of a benchmark. */
import { pino } from 'pino';
import { startApp, type App } from '../../guardrail/app/app.ts';
import { readSettings } from '../../guardrail/settings/settings.ts';

/** The API key of the calls of a benchmark. */
export const BENCH_KEY = 'key-for-the-bench';

/** Starts the guardrail on a free port, with its log written to nowhere. */
export async function startBenchService(): Promise<App> {
  const settings = readSettings({
    GUARDRAIL_PORT: '0',
    GUARDRAIL_METRICS_PORT: 'off',
    GUARDRAIL_HOST: '127.0.0.1',
    GUARDRAIL_API_KEYS: `bench:${BENCH_KEY}`,
  });
  return await startApp(settings, { logger: pino({ level: 'info' }, pino.destination('/dev/null')) });
}
