import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import type { EndpointTls } from './endpointTls.ts';
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
  endpoint: Pick<GuardrailEndpoint, 'url' | 'apiKey' | 'connect' | 'tls'>,
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
    const send = endpoint.tls === undefined ? request : requestTls;
    const sent = send(`${endpoint.url.replace(/\/+$/, '')}${path}`, {
      method,
      headers: {
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        'x-api-key': endpoint.apiKey,
        connection: 'close',
      },
      signal,
      ...endpoint.tls,
      ...(connection === undefined ? {} : { createConnection: () => secured(connection, endpoint.tls) }),
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  } finally {
    connection?.destroy();
  }
}

/** Node adds no TLS to a connection that it has not opened itself. */
function secured(connection: Duplex, tls: EndpointTls | undefined): Duplex {
  return tls === undefined ? connection : connectTls({ ...tls, socket: connection });
}
