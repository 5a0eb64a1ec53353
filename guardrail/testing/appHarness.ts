/**
 * Test support: runs the service in this process, and collects its log, metrics and errors. `stop` searches them for
 * {@link PLANTED} data.
 */
import { once } from 'node:events';
import { pino } from 'pino';
import { startApp, type App, type AppOptions } from '../app/app.ts';
import { repeatNow } from '../repeated.ts';
import { readSettings } from '../settings/settings.ts';

export const KEY = 'key-of-litellm';
export const SESSION_KEY = 'a session key of more than thirty-two characters';
export const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

/** Personal data for tests. It must not occur outside of checked texts. */
export const PLANTED = {
  email: 'anna.schmidt.9a935e@example.org',
  otherEmail: 'bob.miller.377d60@example.org',
  iban: 'DE89370400440532013000',
  card: '4111111111111111',
  phone: '+49 30 901820',
  endUser: 'planted-end-user-77',
} as const;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text of another content type. */
  readonly body: unknown;
}

export interface Harness {
  readonly app: App;
  readonly url: string;
  /** The base URL of the inline proxy. */
  readonly proxyUrl: string;
  /** The base URL of the metrics port. */
  readonly metricsUrl: string;
  readonly logs: readonly string[];
  /** Sends a request with the API key, and an optional JSON body. */
  call(method: string, path: string, body?: unknown, init?: RequestInit): Promise<Answer>;
  /** Sends a call as LiteLLM does. */
  guard(fields: Record<string, unknown>, init?: RequestInit): Promise<Answer>;
  /** The metrics in the text format of Prometheus. */
  metrics(): Promise<string>;
  /** Drains the service. Throws if a log line, a metric or an error contains planted data. */
  stop(): Promise<boolean>;
}

/** The settings of a service under test. */
export const HARNESS_ENV = {
  GUARDRAIL_PORT: '0',
  GUARDRAIL_METRICS_PORT: '0',
  GUARDRAIL_HOST: '127.0.0.1',
  GUARDRAIL_API_KEYS: `litellm:${KEY}`,
  GUARDRAIL_SESSION_KEY: SESSION_KEY,
  GUARDRAIL_ENCRYPTION_KEYS: ENCRYPTION_KEY,
} as const;

export interface HarnessOptions extends Partial<AppOptions> {
  readonly env?: NodeJS.ProcessEnv;
}

export async function startHarness({ env = {}, ...options }: HarnessOptions = {}): Promise<Harness> {
  const logs: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logs.push(line) });
  const config = readSettings({ ...HARNESS_ENV, ...env });
  const app = await startApp(config, { logger, ...options });
  const url = `http://127.0.0.1:${app.port}`;
  const proxyUrl = `http://127.0.0.1:${app.proxyPort ?? 0}`;
  const metricsUrl = `http://127.0.0.1:${app.metricsPort ?? 0}`;
  const published: string[] = [];

  const call: Harness['call'] = async (method, path, body, init = {}) => {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...init,
      headers: {
        'x-api-key': KEY,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
    const text = await response.text();
    if (response.status !== 200) published.push(text);
    published.push(JSON.stringify([...response.headers]));
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
  };

  return {
    app,
    url,
    proxyUrl,
    metricsUrl,
    logs,
    call,
    metrics: async () => (await fetch(`${metricsUrl}/metrics`)).text(),
    guard: (fields, init) => call('POST', '/beta/litellm_basic_guardrail_api', fields, init),
    async stop() {
      const metrics = await app.metrics.registry.metrics();
      const finished = await app.drain();
      const everything = [...logs, ...published, metrics].join('\n');
      for (const [name, value] of Object.entries(PLANTED)) {
        for (const spelling of [value, encodeURIComponent(value), Buffer.from(value).toString('base64').slice(0, -4)]) {
          if (everything.includes(spelling))
            throw new Error(`The planted ${name} was found in a log, metric or error.`);
        }
      }
      return finished;
    },
  };
}

/** Polls a condition until it is true. Files that are checked once a second are checked at each poll. */
export async function eventually(condition: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  while (!(await condition())) {
    if (signal.aborted) throw new Error(`The condition was not true within ${timeoutMs} ms.`);
    await Promise.all([repeatNow(), once(AbortSignal.timeout(10), 'abort')]);
  }
}
