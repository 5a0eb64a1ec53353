/**
 * A tenant that continuously makes small ordinary calls. It is a separate process, so that its clock continues while the
 * attacks are prepared. Calls start at fixed times, whether or not earlier calls are answered: a service that blocks for a
 * second delays all calls of that second, not only one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { waitedMs } from '../memory.ts';
import { basic, BASIC } from './client.ts';

/** The victim's settings, as environment variables. */
export const SETTINGS = { url: 'VICTIM_URL', key: 'VICTIM_KEY', email: 'VICTIM_EMAIL' } as const;

/** Begins a new period with the process id of the guardrail, or orders the report of the current period. */
export type VictimOrder = { readonly pid: number } | 'report';

/** What the victim has seen in a period. */
export interface VictimReport {
  /**
   * The duration of each call in milliseconds, without the time in which the guardrail or the victim waited for a processor:
   * it depends on other programs. Infinity for a call that was not served, unless the guardrail sheds calls because other
   * programs use its processor.
   */
  readonly latencies: readonly number[];
  /** The faults, one sentence for each type. */
  readonly faults: readonly string[];
}

const EVERY_MS = 25;
/** The timeout of a call. */
const TIMEOUT_MS = 10_000;
/** Other programs use the processor of the guardrail if it has waited for this time in the last second. */
const STARVED_MS = 250;
const SECOND = 1000 / EVERY_MS;

async function run(): Promise<void> {
  const { [SETTINGS.url]: url = '', [SETTINGS.key]: key = '', [SETTINGS.email]: email = '' } = process.env;
  const victim = new Victim(url, key, email);
  process.once('disconnect', () => process.exit(0));
  process.on('message', (order: VictimOrder) => {
    if (order !== 'report') victim.begin(order.pid);
    else void victim.report().then((report) => process.send?.(report));
  });
  process.send?.('ready');
  for (let due = performance.now(), n = 0; ; due += EVERY_MS, n += 1) {
    await delay(Math.max(0, due - performance.now()));
    victim.tick();
    victim.exchange(`call-${n}`);
  }
}

/** Makes the calls, and collects their latencies and faults. */
class Victim {
  readonly #agent = new Agent({ connections: 64, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  readonly #url: string;
  readonly #key: string;
  readonly #email: string;
  readonly #text: string;
  readonly #open = new Set<Promise<void>>();
  #pid = 0;
  /** How long the guardrail had waited for a processor, at each tick of the last second. */
  #waited: number[] = [];
  #latencies: number[] = [];
  #faults = new Set<string>();

  constructor(url: string, key: string, email: string) {
    this.#url = url;
    this.#key = key;
    this.#email = email;
    this.#text = `Please write to ${email} about the invoice of last month, and ask her to call back on +49 30 901820.`;
  }

  begin(pid: number): void {
    if (pid !== this.#pid) this.#waited = [];
    this.#pid = pid;
    this.#latencies = [];
    this.#faults = new Set();
  }

  /** Waits for the answers to all calls that have begun. After an attack that was shorter than a turn, it makes one. */
  async report(): Promise<VictimReport> {
    if (this.#latencies.length === 0) this.exchange('call-report');
    await Promise.all(this.#open);
    return { latencies: this.#latencies, faults: [...this.#faults] };
  }

  tick(): void {
    this.#waited = [...this.#waited, waitedMs(this.#pid)].slice(-SECOND);
  }

  /** Sends a request and its answer through the guardrail, and checks both. */
  exchange(id: string): void {
    const exchange = this.#exchange(id).finally(() => this.#open.delete(exchange));
    this.#open.add(exchange);
  }

  async #exchange(id: string): Promise<void> {
    const masked = await this.#timed(() => this.#call('request', this.#text, id));
    if (masked === undefined) return;
    if (masked.includes(this.#email)) this.#faults.add('a request for the model contains a personal value');
    const restored = await this.#timed(() => this.#call('response', masked, id));
    if (restored !== undefined && restored !== this.#text) this.#faults.add('an answer was not restored');
  }

  async #call(phase: 'request' | 'response', text: string, id: string): Promise<string> {
    const request_data = { user_api_key_team_id: 'victims', user_api_key_end_user_id: 'victim' };
    const answer = await this.#agent.request({
      origin: this.#url,
      path: BASIC,
      method: 'POST',
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
      body: JSON.stringify(basic(phase, { texts: [text], request_data }, id)),
    });
    const body = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}: ${body.slice(0, 200)}`);
    return (JSON.parse(body) as { texts?: string[] }).texts?.[0] ?? '';
  }

  /** Records the latency of a call. Its failure becomes a fault. */
  async #timed(call: () => Promise<string>): Promise<string | undefined> {
    const [start, guardrail, own] = [performance.now(), waitedMs(this.#pid), waitedMs(process.pid)];
    try {
      const result = await call();
      const waited = Math.max(waitedMs(this.#pid) - guardrail, waitedMs(process.pid) - own);
      this.#latencies.push(Math.max(0, performance.now() - start - waited));
      return result;
    } catch (error) {
      const isStarved = waitedMs(this.#pid) - (this.#waited[0] ?? 0) > STARVED_MS;
      if (!isStarved) this.#latencies.push(Number.POSITIVE_INFINITY);
      this.#faults.add(error instanceof Error ? error.message.replaceAll(/"request_id":"[^"]*"/g, '') : String(error));
      return undefined;
    }
  }
}

if (import.meta.main) await run();
