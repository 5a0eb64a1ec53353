/** Mutated bodies and requests on every route. */
import { mutate } from '../mutate.ts';
import { ATTACKER, basic, BASIC, openWire } from './client.ts';
import type { GuardrailAttack, Target } from './attack.ts';

const ROUNDS = 120;
const PARALLEL = 16;
/** The statuses that the API describes for routes with a body; 404 and 405 are for other paths. */
const DESCRIBED = new Set([200, 400, 404, 405, 409, 413, 415, 429]);

interface Route {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @param value a personal value to insert */
  readonly body: (value: string) => unknown;
}

const messages = (value: string): object[] => [
  { role: 'system', content: 'You are kind.' },
  { role: 'user', content: [{ type: 'text', text: `Write to ${value} or Anna Schmidt.` }], name: 'anna' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', function: { name: 'f', arguments: `{"to":"${value}"}` } }],
  },
  { role: 'assistant', content: 'x', thinking_blocks: [{ type: 'thinking', thinking: `about ${value}` }] },
];
const portkey = (eventType: string, value: string): object => ({
  eventType,
  metadata: { _user: ATTACKER },
  request: {
    json: { model: 'm', messages: messages(value), tools: [{ function: { name: 'f', description: value } }] },
  },
  response: { json: { choices: [{ message: { role: 'assistant', content: value } }] } },
});

const ROUTES: readonly Route[] = [
  {
    path: BASIC,
    body: (value) =>
      basic('request', {
        texts: [`Write to ${value}.`],
        images: ['data:image/png;base64,AAAA'],
        structured_messages: messages(value),
        tools: [{ function: { name: 'f', description: value } }],
        additional_provider_specific_params: { recall: 'thorough', block_entities: ['EMAIL_ADDRESS'] },
        request_headers: { 'x-session-id': 'a' },
      }),
  },
  {
    path: BASIC,
    body: (value) =>
      basic('response', {
        texts: [`About ${value} <PERSON_AAAAAA1A>`],
        structured_messages: messages(value),
        tool_calls: [{ function: { name: 'f', arguments: `{"to":"${value}"}` } }],
      }),
  },
  { path: '/v1/peer/check?dialect=portkey', body: (value) => portkey('beforeRequestHook', value) },
  { path: '/v1/peer/check?dialect=portkey', body: (value) => portkey('afterRequestHook', value) },
  { path: '/v1/peer/check', body: (value) => portkey('beforeRequestHook', value) },
  { path: '/request', body: (value) => ({ body: { messages: messages(value) } }) },
  {
    path: '/response',
    headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    body: (value) => ({ body: { choices: [{ message: { role: 'assistant', content: value } }] } }),
  },
  { path: '/subjects/erase', body: () => ({ end_user_id: ATTACKER }) },
];

function judge(target: Target, path: string, status: number, text: string): void {
  if (!DESCRIBED.has(status)) {
    target.fault(`${path}: ${status === 0 ? `no answer (${text})` : `status ${status}`}`);
    return;
  }
  try {
    const body = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    if (status === 200) return;
    const { code, message } = body.error ?? {};
    if (typeof code !== 'string' || typeof message !== 'string')
      target.fault(`${path}: status ${status} without an error`);
  } catch {
    target.fault(`${path}: status ${status} without JSON`);
  }
}

const attacks: readonly GuardrailAttack[] = [
  {
    name: 'mutated-bodies',
    run: async (target) => {
      const { random, canaries, keys } = target;
      const value = canaries.email();
      for (const { path, headers = {}, body } of ROUTES) {
        const bodies = Array.from({ length: ROUNDS }, () => mutate(body(value), random));
        for (let at = 0; at < bodies.length; at += PARALLEL) {
          const sent = bodies.slice(at, at + PARALLEL);
          const answers = await Promise.all(
            sent.map((bytes) => target.send({ path, key: keys.attacker, body: bytes, headers })),
          );
          for (const { status, text } of answers) judge(target, path, status, text);
        }
      }
    },
  },
  {
    name: 'hostile-requests',
    run: async (target) => {
      const { canaries, keys, port } = target;
      const value = canaries.email();
      const paths = [
        `/sessions/${value}`,
        `/sessions/${encodeURIComponent(`../${value}`)}`,
        `/sessions/%00${value}`,
        `/sessions/%ff%fe`,
        `/%2e%2e/${value}?user=${value}`,
        `/beta/${value}_basic_guardrail_api`,
        `/v1/peer/check?dialect=${value}&dialect=${value}`,
        `//${value}`,
      ];
      for (const path of paths) {
        for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS']) {
          const call = { path, method, key: keys.attacker, ...(method === 'POST' ? { body: { value } } : {}) };
          judge(target, path.replaceAll(value, '…'), ...statusOf(await target.send(call)));
        }
      }
      for (const key of [value, 'x'.repeat(7_000), '']) {
        const { status } = await target.send({ key, body: basic('request', { texts: [value] }) });
        if (status !== 401 && status !== 431) target.fault(`a wrong key was answered with status ${status}`);
      }
      for (const type of [
        'text/plain',
        `application/json; charset=${canaries.token()}`,
        'multipart/form-data',
        value,
      ]) {
        const headers = { 'content-type': type, 'x-session-id': value, traceparent: value, 'x-request-id': value };
        const { status, text } = await target.send({ key: keys.attacker, body: Buffer.from('{}'), headers });
        judge(target, 'a wrong content type', status, text);
      }
      const lines = [
        `GET http://${value}/ HTTP/1.1\r\n\r\n`,
        `${value}\r\n\r\n`,
        `POST ${BASIC} HTTP/9.9\r\n\r\n`,
        `GET / HTTP/1.1\r\nx: ${value}${'x'.repeat(100_000)}\r\n\r\n`,
        `CONNECT ${value}:443 HTTP/1.1\r\nhost: ${value}\r\n\r\n`,
        `GET / HTTP/1.1\r\nupgrade: h2c\r\nconnection: upgrade\r\nhost: x\r\n\r\n`,
        `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
        `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03`,
      ];
      for (const line of lines) {
        const wire = await openWire(port);
        wire.write(line);
        await wire.closed(150);
        for (const token of canaries.scan(wire.received())) target.fault(`an answer repeats a canary value (${token})`);
        wire.destroy();
      }
    },
  },
];

function statusOf({ status, text, headers }: { status: number; text: string; headers: object }): [number, string] {
  // Answers to OPTIONS, and answers that are not JSON, have their own form.
  const type = JSON.stringify(headers);
  return [status, type.includes('application/json') || status === 0 ? text : '{"error":{"code":"","message":""}}'];
}

export const fuzzAttacks = [...attacks];
