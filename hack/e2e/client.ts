/**
 * The main process of a pod in the cluster, from a ConfigMap, with the image's Node.js. It takes POST requests with JSON:
 *
 *     /call     {"url", "method"?, "headers"?, "body"?} → {"status", "headers", "text"}
 *     /connect  {"host", "port"} → "open" or "closed"
 *     /start    {"call", "expect"}: starts calls, four in parallel, and replaces {{n}} in the call and in the expected text by
 *               a number
 *     /stop     ends them after at least 200 calls → {"calls", "failures"}
 */
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';

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

interface Address {
  readonly host: string;
  readonly port: number;
}

interface Load {
  readonly call: Call;
  readonly expect: string;
}

const CONTROL_PORT = 9000;
const WORKERS = 4;
const PAUSE_MS = 50;
const TIMEOUT_MS = 15_000;
const CONNECT_MS = 5_000;
const MOST_FAILURES = 5;
/** The minimum number of calls of a load. */
const LEAST_CALLS = 200;

let stop: (() => Promise<unknown>) | undefined;
const actions: Readonly<Record<string, (body: unknown) => unknown>> = {
  '/call': (body) => call(body as Call),
  '/connect': (body) => portOf(body as Address),
  '/start': (body) => {
    stop = startLoad(body as Load);
    return 'started';
  },
  '/stop': () => stop?.(),
};

createServer((asked, response) => {
  void (async () => {
    const body: unknown = JSON.parse(await readText(asked));
    const result = await actions[asked.url ?? '']?.(body);
    response.end(JSON.stringify(result ?? 'nothing was done'));
  })();
}).listen(CONTROL_PORT);

/** Each call has its own connection, like the calls of many clients. */
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
    sent.on('error', fail).on('timeout', () => sent.destroy(new Error('The call timed out.')));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** @returns whether a port is `open`, or `closed`: network plugins refuse or drop what no policy admits */
function portOf(address: Address): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: CONNECT_MS });
    const end = (outcome: string): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.on('connect', () => {
      end('open');
    });
    socket.on('timeout', () => {
      end('closed');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      end(error.code === 'ECONNREFUSED' ? 'closed' : String(error.code));
    });
  });
}

/** @returns a function that ends the calls and returns their result */
function startLoad(load: Load): () => Promise<{ calls: number; failures: unknown[] }> {
  let over = false;
  let calls = 0;
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    while (!over) {
      const n = String(++calls);
      const one = JSON.parse(JSON.stringify(load.call).replaceAll('{{n}}', n)) as Call;
      const started = new Date().toISOString();
      const { status, text } = await call(one);
      if (status !== 200 || !text.includes(load.expect.replaceAll('{{n}}', n))) {
        failures.push({ n, started, status, text });
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const working = Promise.all(Array.from({ length: WORKERS }, work));
  return async () => {
    // A fast operation must still run under a minimum of load.
    while (calls < LEAST_CALLS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    over = true;
    await working;
    return { calls, failures: failures.slice(0, MOST_FAILURES) };
  };
}
