/** Sends calls to the guardrail, valid and malformed ones. */
import { CODE_ALPHABET } from '../../../guardrail/pseudonymization/pseudonymization.ts';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';

/** The path of the basic protocol. */
export const BASIC = '/beta/litellm_basic_guardrail_api';
/** The service itself ends a call after 25 s. */
const TIMEOUT_MS = 28_000;
/** Longer answers are truncated to this length. */
const MAX_BYTES = 128 * 2 ** 20;

/** An answer; `status` 0 means that there was none. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A call to send. */
export interface Call {
  readonly path?: string;
  readonly method?: string;
  readonly key?: string;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends calls. Passes every answer to `seen` before returning it. */
export class Client {
  readonly #origin: string;
  readonly #seen: (answer: Answer) => void;
  #agent = newAgent();

  constructor(origin: string, seen: (answer: Answer) => void) {
    this.#origin = origin;
    this.#seen = seen;
  }

  async send({ path = BASIC, method = 'POST', key, body, headers = {}, signal }: Call): Promise<Answer> {
    const answer = await this.#answer(path, {
      method: method,
      headers: {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    this.#seen(answer);
    return answer;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await this.#agent.destroy();
    this.#agent = newAgent();
  }

  async #answer(path: string, options: Omit<Parameters<Agent['request']>[0], 'origin' | 'path'>): Promise<Answer> {
    try {
      const { statusCode, headers, body } = await this.#agent.request({ origin: this.#origin, path, ...options });
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of body) {
        bytes += (chunk as Buffer).length;
        if (bytes <= MAX_BYTES) chunks.push(chunk as Buffer);
      }
      return { status: statusCode, text: Buffer.concat(chunks).toString(), headers };
    } catch (error) {
      const { code, name } = error as { code?: unknown; name: string };
      return { status: 0, text: typeof code === 'string' ? code : name, headers: {} };
    }
  }
}

function newAgent(): Agent {
  return new Agent({ connections: 2_000, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
}

function isRaw(body: unknown): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

/** A raw TCP connection. */
export interface Wire {
  readonly socket: Socket;
  write(text: string | Buffer): void;
  /** The data received so far. */
  received(): string;
  /**
   * Waits until the connection is closed, at most `withinMs`.
   *
   * @returns whether it is closed
   */
  closed(withinMs: number): Promise<boolean>;
  destroy(): void;
}

/** Opens a raw connection. Never throws: a failed connection counts as closed. */
export async function openWire(port: number): Promise<Wire> {
  const socket = connect({ host: '127.0.0.1', port });
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.once('close', () => {
    isClosed = true;
  });
  await Promise.race([once(socket, 'connect'), once(socket, 'close'), delay(2_000)]).catch(() => undefined);
  return {
    socket,
    write: (text) => {
      if (!isClosed) socket.write(text);
    },
    received: () => Buffer.concat(chunks).toString('latin1'),
    closed: async (withinMs) => {
      if (!isClosed) await Promise.race([once(socket, 'close'), delay(withinMs)]).catch(() => undefined);
      return isClosed;
    },
    destroy: () => socket.destroy(),
  };
}

/** @returns the head of a call of the basic protocol, without the empty line. */
export function head(key: string, ...lines: readonly string[]): string {
  return [`POST ${BASIC} HTTP/1.1`, 'host: guardrail', `x-api-key: ${key}`, 'content-type: application/json', ...lines]
    .map((line) => `${line}\r\n`)
    .join('');
}

/** @returns a body of the basic protocol from the attacker, whose sessions are erased afterwards. */
export function basic(phase: 'request' | 'response', fields: object, id = 'attack'): object {
  return {
    input_type: phase,
    litellm_call_id: id,
    request_data: { user_api_key_team_id: 'attackers', user_api_key_end_user_id: ATTACKER },
    ...fields,
  };
}

/** The end user name of the attackers. */
export const ATTACKER = 'mallory';

/** @returns the texts of an answer. */
export function textsOf({ text }: Answer): string[] {
  try {
    return (JSON.parse(text) as { texts?: string[] }).texts ?? [];
  } catch {
    return [];
  }
}

const CANONICAL = new RegExp(`<[A-Z][A-Z_]*_[${CODE_ALPHABET}]{6,16}>`, 'g');

/** @returns the distinct canonical pseudonyms in a text. */
export function pseudonymsIn(text: string): string[] {
  return [...new Set(text.match(CANONICAL) ?? [])];
}
