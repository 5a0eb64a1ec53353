/**
 * A tenant that continuously makes small ordinary calls. It runs as a separate process, so that its clock continues while
 * the attacks are prepared. Calls begin at fixed times whether or not earlier ones are answered: a service that blocks for a
 * second delays all calls of that second, not just one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';

/** The victim's settings, as environment variables. */
export const SETTINGS = { url: 'VICTIM_URL', key: 'VICTIM_KEY', email: 'VICTIM_EMAIL' } as const;

/** One call: its scheduled time, in milliseconds since 1970, and its duration; null if it was not served. */
export type Sample = readonly [at: number, ms: number | null];

/** The victim's report. */
export interface VictimReport {
  readonly samples: readonly Sample[];
  /** The faults, one sentence for each type. */
  readonly faults: readonly string[];
  /** All calls scheduled before this time are among the samples. */
  readonly completeUntil: number;
}

const EVERY_MS = 25;
const REPORT_MS = 200;
const PATH = '/beta/litellm_basic_guardrail_api';
/** A longer call counts as not served. */
const PATIENCE_MS = 10_000;

if (import.meta.main) await run();

async function run(): Promise<void> {
  const { [SETTINGS.url]: url = '', [SETTINGS.key]: key = '', [SETTINGS.email]: email = '' } = process.env;
  const agent = new Agent({ connections: 64, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  const text = `Please write to ${email} about the invoice of last month, and ask her to call back on +49 30 901820.`;
  let samples: Sample[] = [];
  let faults = new Set<string>();
  const open = new Set<number>();
  process.once('disconnect', () => process.exit(0));

  const call = async (phase: 'request' | 'response', said: string, id: string): Promise<string> => {
    const answer = await agent.request({
      origin: url,
      path: PATH,
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({
        input_type: phase,
        texts: [said],
        litellm_call_id: id,
        request_data: { user_api_key_team_id: 'victims', user_api_key_end_user_id: 'victim' },
      }),
    });
    const body = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}: ${body.slice(0, 200)}`);
    return (JSON.parse(body) as { texts?: string[] }).texts?.[0] ?? '';
  };
  const timed = async (due: number, work: () => Promise<string>): Promise<string | undefined> => {
    open.add(due);
    try {
      const result = await work();
      samples.push([due, Date.now() - due]);
      return result;
    } catch (error) {
      samples.push([due, null]);
      faults.add(error instanceof Error ? error.message.replaceAll(/"request_id":"[^"]*"/g, '') : String(error));
      return undefined;
    } finally {
      open.delete(due);
    }
  };
  const exchange = async (due: number, id: string): Promise<void> => {
    const masked = await timed(due, () => call('request', text, id));
    if (masked === undefined) return;
    if (masked.includes(email)) faults.add('a value went on to the model');
    const restored = await timed(Date.now(), () => call('response', masked, id));
    if (restored !== undefined && restored !== text) faults.add('an answer was not restored');
  };

  setInterval(() => {
    process.send?.({
      samples,
      faults: [...faults],
      completeUntil: Math.min(Date.now(), ...open),
    } satisfies VictimReport);
    samples = [];
    faults = new Set();
  }, REPORT_MS);
  for (let due = Date.now(), n = 0; ; due += EVERY_MS, n += 1) {
    const wait = due - Date.now();
    if (wait > 0) await delay(wait);
    void exchange(due, `call-${n}`);
  }
}
