import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { listen, type Listening } from './server.ts';

/**
 * Serves `/metrics` on a separate port without authentication. A NetworkPolicy can give Prometheus access to this port
 * only.
 * @param exposition returns the metrics in the text format of Prometheus.
 * @throws Error with one sentence if it cannot listen.
 */
export function serveMetrics(
  exposition: () => Promise<string>,
  address: { readonly host: string; readonly port: number },
): Promise<Listening> {
  return listen((request, response) => handleScrape(request, response, exposition), {
    ...address,
    setting: 'GUARDRAIL_METRICS_PORT',
  });
}

async function handleScrape(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  exposition: () => Promise<string>,
): Promise<void> {
  if (url.split('?', 1)[0] !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
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
