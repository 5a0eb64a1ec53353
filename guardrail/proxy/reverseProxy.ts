/** An HTTP server that forwards calls to one upstream: what the proxies of models and of tools share. */
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import {
  accessLog,
  callSpan,
  HttpCall,
  requestId,
  ServiceError,
  type Metrics,
  type ScopeMiddleware,
} from '../http/http.ts';
import { LinkedList } from '../linkedList.ts';
import type { Client } from './call.ts';
import { HttpClient } from './client.ts';
import { createUpstream, type Upstream, type UpstreamTimeouts } from './upstream.ts';

export interface ReverseProxyOptions {
  /** The base URL of the upstream. */
  readonly upstream: URL;
  /** Default: {@link UPSTREAM_TIMEOUTS}. */
  readonly timeouts?: UpstreamTimeouts;
  readonly metrics: Metrics;
  /** Records each call for the audit trail; undefined: there is none. */
  readonly record?: ScopeMiddleware;
  readonly logger: Logger;
}

/** A call by HTTP, and both of its sides. */
export interface HttpTransport {
  readonly context: HttpCall;
  readonly client: Client;
  readonly upstream: Upstream;
}

export interface Proxy {
  readonly handle: RequestListener;
  /** Ends the calls that still run, each with an error. For calls that have outlived a drain. */
  abort(): void;
  /** Closes the connections to the upstream. */
  close(): Promise<void>;
}

/** @param serve answers a call, and never rejects */
export function createReverseProxy(
  { upstream: base, timeouts, metrics, record, logger }: ReverseProxyOptions,
  serve: (transport: HttpTransport) => Promise<void>,
): Proxy {
  const upstream = createUpstream(base, timeouts);
  const open = new LinkedList<Client>();
  const answer = (context: HttpCall): Promise<void> =>
    serve({ context, client: new HttpClient(context, upstream.base, open), upstream });
  const steps = [callSpan(), requestId(), accessLog(logger), ...(record ? [record] : []), metrics.http];
  const run = steps.reduceRight<(context: HttpCall) => Promise<unknown>>(
    (rest, step) => (context) => step(context, () => rest(context)),
    answer,
  );
  return {
    handle(request, response) {
      // Each answer to a failure is in `serve`: what fails here is a step around it.
      run(new HttpCall(request, response)).catch(() => response.destroy());
    },
    abort() {
      for (const client of [...open.values()]) client.abort(new ServiceError('draining', { waitMs: 0 }));
    },
    close: () => upstream.close(),
  };
}
