/**
 * A tenant that continuously makes small ordinary calls. It is a separate process, so that its clock continues while the
 * attacks are prepared. Calls start at fixed times, whether or not earlier calls are answered: a service that blocks for a
 * second delays all calls of that second, not only one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { type Pause, PauseWatch, READ_EVERY_MS } from '../pauses.ts';

/** The victim's settings, as environment variables. */
export const SETTINGS = { url: 'VICTIM_URL', key: 'VICTIM_KEY', email: 'VICTIM_EMAIL' } as const;

/** One call: its scheduled time, in milliseconds since 1970, its duration, and whether it was served. */
export interface Sample {
  readonly at: number;
  readonly ms: number;
  readonly isServed: boolean;
}

/** Tells the victim the process id of the guardrail. */
export interface VictimOrder {
  readonly pid: number;
}

/** The victim's report. */
export interface VictimReport {
  readonly samples: readonly Sample[];
  /** The faults, one sentence for each type. */
  readonly faults: readonly string[];
  /** The pauses of the guardrail. */
  readonly pauses: readonly Pause[];
  /** All calls scheduled before this time are among the samples. */
  readonly completeUntil: number;
}

const EVERY_MS = 25;
const REPORT_MS = 200;
const PATH = '/beta/litellm_basic_guardrail_api';
/** The timeout of a call. */
const TIMEOUT_MS = 10_000;

async function run(): Promise<void> {
  const { [SETTINGS.url]: url = '', [SETTINGS.key]: key = '', [SETTINGS.email]: email = '' } = process.env;
  const victim = new Victim(url, key, email);
  process.once('disconnect', () => process.exit(0));
  process.on('message', (order) => {
    victim.pauses.watch((order as VictimOrder).pid);
  });
  setInterval(() => {
    victim.pauses.read();
  }, READ_EVERY_MS);
  setInterval(() => process.send?.(victim.report()), REPORT_MS);
  for (let due = Date.now(), n = 0; ; due += EVERY_MS, n += 1) {
    const wait = due - Date.now();
    if (wait > 0) await delay(wait);
    void victim.exchange(due, `call-${n}`);
  }
}

/** Makes the calls, and collects the samples and faults since the last report. */
class Victim {
  readonly pauses = new PauseWatch();
  readonly #agent = new Agent({ connections: 64, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  readonly #url: string;
  readonly #key: string;
  readonly #email: string;
  readonly #text: string;
  /** The scheduled times of the calls without an answer. */
  readonly #open = new Set<number>();
  #samples: Sample[] = [];
  #faults = new Set<string>();

  constructor(url: string, key: string, email: string) {
    this.#url = url;
    this.#key = key;
    this.#email = email;
    this.#text = `Please write to ${email} about the invoice of last month, and ask her to call back on +49 30 901820.`;
  }

  report(): VictimReport {
    const report = {
      samples: this.#samples,
      faults: [...this.#faults],
      pauses: this.pauses.take(),
      completeUntil: Math.min(Date.now(), ...this.#open),
    };
    this.#samples = [];
    this.#faults = new Set();
    return report;
  }

  /** Sends a request and its answer through the guardrail, and checks both. */
  async exchange(due: number, id: string): Promise<void> {
    const masked = await this.#timed(due, () => this.#call('request', this.#text, id));
    if (masked === undefined) return;
    if (masked.includes(this.#email)) this.#faults.add('a request for the model contains a personal value');
    const restored = await this.#timed(Date.now(), () => this.#call('response', masked, id));
    if (restored !== undefined && restored !== this.#text) this.#faults.add('an answer was not restored');
  }

  async #call(phase: 'request' | 'response', text: string, id: string): Promise<string> {
    const answer = await this.#agent.request({
      origin: this.#url,
      path: PATH,
      method: 'POST',
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
      body: JSON.stringify({
        input_type: phase,
        texts: [text],
        litellm_call_id: id,
        request_data: { user_api_key_team_id: 'victims', user_api_key_end_user_id: 'victim' },
      }),
    });
    const body = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}: ${body.slice(0, 200)}`);
    return (JSON.parse(body) as { texts?: string[] }).texts?.[0] ?? '';
  }

  /** Records the duration of a call. Its failure becomes a fault. */
  async #timed(due: number, call: () => Promise<string>): Promise<string | undefined> {
    this.#open.add(due);
    try {
      const result = await call();
      this.#samples.push({ at: due, ms: Date.now() - due, isServed: true });
      return result;
    } catch (error) {
      this.#samples.push({ at: due, ms: Date.now() - due, isServed: false });
      this.#faults.add(error instanceof Error ? error.message.replaceAll(/"request_id":"[^"]*"/g, '') : String(error));
      return undefined;
    } finally {
      this.#open.delete(due);
    }
  }
}

if (import.meta.main) await run();
