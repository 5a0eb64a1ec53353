import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { listen, type Listening } from './server.ts';

/**
 * Serves `/metrics`, and nothing else. Metrics need no key, since Prometheus has none; on a port of their own, a
 * NetworkPolicy lets Prometheus reach them without the calls.
 * @param exposition the metrics in Prometheus' text format
 * @throws Error with one sentence where the address cannot be listened on
 */
export function serveMetrics(
  exposition: () => Promise<string>,
  address: { readonly host: string; readonly port: number },
): Promise<Listening> {
  return listen((request, response) => answer(request, response, exposition), {
    ...address,
    setting: 'GUARDRAIL_METRICS_PORT',
  });
}

async function answer(
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
    // A worker did not answer in time: Prometheus shows the target as down.
    response.writeHead(500).end();
  }
}
