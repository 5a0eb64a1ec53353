/** The way of a server's answer to the client: as a whole, or event by event. */
import { SseFramer, type Frame } from '../bodies/bodies.ts';
import {
  ClientGoneError,
  decodedBy,
  leadsAway,
  problemOf,
  ProxyError,
  withWholeAnswer,
  type AnswerHead,
  type UpstreamAnswer,
} from '../proxy/proxy.ts';
import type { McpCall, McpOptions } from './call.ts';
import { Arrivals, momentOf, type Moment } from './moment.ts';
import { errorMessage } from './rpc.ts';
import { MessageCheck, type CheckedBody } from './toClient.ts';

/** Sends an answer to a request of the server, in place of the client. */
export type Refuse = (message: string) => Promise<void>;

/**
 * Sends an answer to the client. An error before its first byte is thrown; a later one ends the stream with a message.
 * @throws ProxyError, ServiceError, ClientGoneError, and the errors of the guard
 */
export async function relayAnswer(
  call: McpCall,
  answer: UpstreamAnswer,
  refuse: Refuse,
  options: McpOptions,
): Promise<void> {
  const { status, headers } = answer;
  const { context, upstream } = call;
  const check = new MessageCheck(call, options);
  try {
    if (leadsAway(status, headers, upstream.base)) throw new ProxyError('redirect_refused');
    if (status === 204 || status === 304) await relayHead(call, answer);
    else if (/^\s*text\/event-stream\b/i.test(headers['content-type'] ?? '')) {
      // A stream by GET has messages of many calls: nothing tells when the server began to write them.
      const arrivals = context.method === 'GET' ? new Arrivals(() => momentOf(options)) : undefined;
      const momentIn: MomentIn = (length, frames) => arrivals?.add(length, frames) ?? call.begun;
      await relayEvents(call, answer, { check, refuse, momentIn });
    } else {
      await withWholeAnswer(context, answer, options, async (bytes) => {
        const { body, refusals } =
          bytes.length === 0 ? NOTHING : await check.whole(bytes, headers['content-type'], status >= 300);
        for (const refusal of refusals) await refuse(refusal);
        await sendWhole(call, answer, body);
      });
    }
  } finally {
    answer.cancel();
  }
}

const NOTHING: CheckedBody = { body: Buffer.alloc(0), refusals: [] };

/** @param body undefined: nothing is left of the messages of the server, as if it had accepted those of the client */
async function sendWhole({ client }: McpCall, answer: UpstreamAnswer, body: Buffer | undefined): Promise<void> {
  const head = headOf(answer);
  const { 'content-type': _, ...headers } = head.headers;
  const status = head.status < 300 ? 202 : head.status;
  client.begin(body ? head : { status, headers }, true, body?.length ?? 0);
  await client.end(body);
}

/** Sends an answer without a body. */
export async function relayHead({ client }: Pick<McpCall, 'client'>, answer: UpstreamAnswer): Promise<void> {
  client.begin(headOf(answer), true);
  answer.cancel();
  await client.end();
}

/** Headers of answers that clients of the protocol read. Nothing checks the others. */
const HEADERS =
  /^(?:content-type|mcp-.*|www-authenticate|retry-after|cache-control|allow|location|vary|set-cookie|access-control-.*|x-request-id|content-length|content-encoding|connection|transfer-encoding|keep-alive)$/;

export function headOf({ status, headers }: UpstreamAnswer): AnswerHead {
  return { status, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => HEADERS.test(name))) };
}

/** When the events began that a part of a stream completes. */
type MomentIn = (length: number, frames: readonly Frame[]) => Moment;

interface EventOptions {
  readonly check: MessageCheck;
  readonly refuse: Refuse;
  readonly momentIn: MomentIn;
}

async function relayEvents({ client }: McpCall, answer: UpstreamAnswer, options: EventOptions): Promise<void> {
  const framer = new SseFramer();
  const decoded = decodedBy(answer);
  client.begin(headOf(answer), true);
  client.flush();
  const send = async (frames: readonly Frame[], length: number): Promise<void> => {
    const moment = options.momentIn(length, frames);
    for (const frame of frames) {
      const text = await eventOf(frame, moment, options);
      if (text !== '') await client.write(Buffer.from(text));
    }
  };
  try {
    await decoded.each((part) => send(framer.push(part), part.length));
    await send(framer.end(), 0);
    await client.end();
  } catch (thrown) {
    if (!(thrown instanceof ClientGoneError)) {
      client.break(Buffer.from(`event: message\ndata: ${errorMessage(undefined, problemOf(thrown))}\n\n`));
    }
    throw thrown;
  } finally {
    decoded.close();
  }
}

/** @returns the event as the client gets it. Its id stays, even without a message: the client resumes after it. */
async function eventOf({ data, raw, name }: Frame, moment: Moment, { check, refuse }: EventOptions): Promise<string> {
  // A comment, or an event that only sets the id.
  if (data === undefined || data === '') return eventWith(raw, data);
  const { text, refusals } = await check.rpc(data, moment);
  for (const refusal of refusals) await refuse(refusal);
  // Clients of the protocol do not read events with other names.
  return eventWith(raw, name === undefined || name === 'message' ? text : undefined);
}

/** What an id consists of that servers make up: no white space, and nothing that only a text has. */
const PLAIN_ID = /^id:(?: ?[\w.:~+/=|-]{1,256})?$/;
const RETRY = /^retry: ?\d{1,10}$/;
const MESSAGE = /^event: ?message$/;

/** The event with other data. It keeps the fields that clients read if they are plain, and comments without their text. */
function eventWith(raw: string, data: string | undefined): string {
  const lines = raw.split(/\r\n|\r|\n/).flatMap((line) => {
    if (line.startsWith(':')) return ':';
    return PLAIN_ID.test(line) || RETRY.test(line) || (data !== undefined && MESSAGE.test(line)) ? line : [];
  });
  const all = data === undefined ? lines : [...lines, ...data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)];
  return all.length === 0 ? '' : `${all.join('\n')}\n\n`;
}
