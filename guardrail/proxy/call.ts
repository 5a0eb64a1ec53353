/** What the parts of the proxy share: its options, and one call. */
import type { Logger } from 'pino';
import type { Operation } from '../bodies/bodies.ts';
import type { Admission, CallContext as HttpContext, Metrics } from '../http/http.ts';
import type { SubjectId, Tenant } from '../ids.ts';
import type { Guard } from '../pseudonymization/pseudonymization.ts';
import type { Fence } from '../store/store.ts';
import type { Client } from './client.ts';
import type { Caller } from './identity.ts';
import type { Target } from './target.ts';
import type { UpstreamTimeouts } from './upstream.ts';

export interface ProxyOptions {
  /** The base URL of the upstream. */
  readonly upstream: URL;
  /** What happens to paths that are not known. */
  readonly unknown: 'block' | 'generic' | 'pass';
  /** The headers that identify a caller, in lower case; undefined: its credentials do. */
  readonly identityHeaders: readonly string[] | undefined;
  /** The largest request body, and the largest answer that is restored as a whole, in bytes. */
  readonly maxBody: number;
  readonly guard: Guard;
  /** Monitor mode: a request that cannot be checked is forwarded, and answers are relayed as they are. */
  readonly isFailOpen: boolean;
  /** Derives the id of an end user in the store. */
  readonly subjectOf: (tenant: Tenant, endUser: string) => SubjectId;
  readonly fence: () => Fence;
  readonly admission: Admission;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Default: {@link UPSTREAM_TIMEOUTS}. */
  readonly timeouts?: UpstreamTimeouts;
}

/** How a request is forwarded: with its body and its answer checked, or as it is. */
export type Handling = 'guard' | 'pass';

/** One call on its way through the proxy. */
export interface Call {
  readonly context: HttpContext;
  readonly client: Client;
  readonly target: Target;
  readonly operation: Operation;
  readonly handling: Handling;
  readonly caller: Caller;
  /** The store's time when the call began: values that are erased since then stay erased. */
  readonly fence: Fence;
}
