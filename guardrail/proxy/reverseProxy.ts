/** An HTTP server that forwards calls to one upstream: what the proxies of models and of tools share. */
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import {
  callMiddleware,
  httpListener,
  ServiceError,
  type CallContext,
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
  readonly context: CallContext;
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

/** @param serve answers a call. What it throws is answered by `answerFailure` of the call's state, which it sets first */
export function createReverseProxy(
  { upstream: base, timeouts, metrics, record, logger }: ReverseProxyOptions,
  serve: (transport: HttpTransport) => Promise<void>,
): Proxy {
  const upstream = createUpstream(base, timeouts);
  const open = new LinkedList<Client>();
  const answer = (context: CallContext): Promise<void> => {
    context.respond = false;
    return serve({ context, client: new HttpClient(context, upstream.base, open), upstream });
  };
  return {
    handle: httpListener((koa) => koa.use(callMiddleware({ logger, metrics, audit: record })).use(answer)),
    abort() {
      for (const client of [...open.values()]) client.abort(new ServiceError('draining', { waitMs: 0 }));
    },
    close: () => upstream.close(),
  };
}
