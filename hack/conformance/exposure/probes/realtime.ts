import type { JsonObject } from '../../../harness/gateway/gateway.ts';
import type { RawAnswer } from '../../client.ts';
import { type Probe, type ProbeBench, sentBy } from '../probe.ts';

const ROUTE = '/v1/realtime';
const TIMEOUT_MS = 10_000;

const item = (text: string): JsonObject => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

/** Sends events, requests an answer, and waits for its end. */
async function converse({ client }: ProbeBench, events: readonly JsonObject[]): Promise<RawAnswer> {
  const socket = client.connect(`${ROUTE}?model=echo-realtime`);
  const got: string[] = [];
  let refused: number | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`The conversation did not end: ${got.join('\n')}`));
    }, TIMEOUT_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    socket.on('open', () => {
      for (const event of [...events, { type: 'response.create' }]) socket.send(JSON.stringify(event));
    });
    socket.on('message', (data) => {
      const text = (data as Buffer).toString('utf8');
      got.push(`data: ${text}`);
      if (/"type": ?"(response\.done|error)"/.test(text)) end();
    });
    socket.on('close', end);
    socket.on('unexpected-response', (_request, response) => {
      refused = response.statusCode;
      response.on('data', (data: Buffer) => got.push(data.toString('utf8')));
      response.on('end', end);
    });
    socket.on('error', reject);
  });
  try {
    await ended;
  } finally {
    socket.terminate();
  }
  return { status: refused ?? 200, text: got.join('\n') };
}

const probe = (field: string, events: (value: string) => readonly JsonObject[]): Probe =>
  sentBy(`\`${ROUTE}\``, field, 'request', (bench, value) => converse(bench, events(value)));

/** A text conversation over a WebSocket. */
export const REALTIME_PROBES: readonly Probe[] = [
  probe('`conversation.item.create`', (value) => [item(`Mail ${value}`)]),
  probe('`instructions` of `session.update`', (value) => [
    { type: 'session.update', session: { type: 'realtime', instructions: `You work for ${value}` } },
    item('Hello'),
  ]),
];
