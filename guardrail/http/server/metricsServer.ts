import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { presentsBearer } from '../../bearer.ts';
import { listen, type Listening } from './server.ts';
import type { TlsFiles } from './tls.ts';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
  /** undefined: plain text. Prometheus needs no client certificate. */
  readonly tls?: TlsFiles | undefined;
  /** The current bearer token; undefined: everybody may read the metrics. */
  readonly token?: (() => string) | undefined;
}

/**
 * Serves `/metrics` on a separate port. A NetworkPolicy can give Prometheus access to this port only, and a bearer token
 * can protect it.
 * @param exposition returns the metrics in the text format of Prometheus.
 * @throws Error with one sentence if it cannot listen.
 */
export function serveMetrics(
  exposition: () => Promise<string>,
  { token, tls, ...address }: MetricsAddress,
): Promise<Listening> {
  return listen((request, response) => handleScrape(request, response, { exposition, token }), {
    ...address,
    tls: tls && { ...tls, clientCa: undefined },
    setting: 'GUARDRAIL_METRICS_PORT',
  });
}

async function handleScrape(
  { method, headers, url = '/' }: IncomingMessage,
  response: ServerResponse,
  { exposition, token }: { readonly exposition: () => Promise<string> } & Pick<MetricsAddress, 'token'>,
): Promise<void> {
  if (url.split('?', 1)[0] !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  if (token !== undefined && !presentsBearer(headers.authorization, token())) {
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="metrics"' }).end();
    return;
  }
  try {
    const text = await exposition();
    response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
  } catch {
    // A worker did not respond in time. Prometheus reports the target as down.
    response.writeHead(500).end();
  }
}
