/**
 * Runs in a pod of the cluster, from a ConfigMap, on the image's own Node: makes the calls that its standard input asks
 * for, one JSON object a line, and answers each with one line.
 *
 *     {"url", "method"?, "headers"?, "body"?}   one call → {"status", "headers", "text"}
 *     {"load": {…a call…}, "expect": TEXT}      the call again and again, four at a time, with {{n}} in its body and in
 *                                               the expected text replaced by a number of its own, until the input ends
 *                                               → {"calls", "failures"}
 */
import { request } from 'node:http';
import { createInterface } from 'node:readline';

interface Call {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const WORKERS = 4;
const PAUSE_MS = 50;
const TIMEOUT_MS = 15_000;
const MOST_FAILURES = 5;

const lines = createInterface({ input: process.stdin });
const ended = new Promise<void>((resolve) => lines.once('close', resolve));
lines.on('line', (line) => {
  const asked = JSON.parse(line) as Call | { load: Call; expect: string };
  void ('load' in asked ? load(asked.load, asked.expect) : call(asked)).then((answer) => {
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  });
});

/** Each call has a connection of its own, as calls of many clients have. */
function call({ url, method = 'GET', headers = {}, body }: Call): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => {
      resolve({ status: 0, headers: {}, text: error.message });
    };
    const options = { method, headers, agent: false, timeout: TIMEOUT_MS };
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', fail).on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.on('error', fail).on('timeout', () => sent.destroy(new Error('The call took too long.')));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function load(template: Call, expected: string): Promise<{ calls: number; failures: unknown[] }> {
  let over = false;
  void ended.then(() => (over = true));
  let calls = 0;
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    while (!over) {
      const n = String(++calls);
      const one = JSON.parse(JSON.stringify(template).replaceAll('{{n}}', n)) as Call;
      const started = new Date().toISOString();
      const { status, text } = await call(one);
      if (status !== 200 || !text.includes(expected.replaceAll('{{n}}', n)))
        failures.push({ n, started, status, text });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return { calls, failures: failures.slice(0, MOST_FAILURES) };
}
