import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { GuardrailEndpoint } from './erasure.ts';

/** The answer of a guardrail. */
export interface GuardrailAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Calls the API of a guardrail on a connection of its own.
 * @param body sent as JSON
 * @throws Error if the guardrail cannot be reached, or `signal` is aborted
 */
export async function callGuardrail(
  endpoint: Pick<GuardrailEndpoint, 'url' | 'apiKey' | 'connect'>,
  call: {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly body?: object;
    readonly signal: AbortSignal;
  },
): Promise<GuardrailAnswer> {
  const { method, path, signal } = call;
  const connection = await endpoint.connect?.();
  try {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const sent = request(`${endpoint.url.replace(/\/+$/, '')}${path}`, {
      method,
      headers: {
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        'x-api-key': endpoint.apiKey,
        connection: 'close',
      },
      signal,
      ...(connection === undefined ? {} : { createConnection: () => connection }),
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  } finally {
    connection?.destroy();
  }
}
