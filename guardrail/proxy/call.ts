/** What the parts of the proxy share: its options, and one call, whatever its transport. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { AuditTrail } from '../audit/audit.ts';
import type { ErrorBody, Operation } from '../bodies/bodies.ts';
import type { Access } from '../customers/customers.ts';
import type { Policy } from '../detection/detection.ts';
import type { Admission, CallScope, EndUserCheck, Metrics } from '../http/http.ts';
import type { SubjectId, Tenant } from '../ids.ts';
import type { CallContext, Guard } from '../pseudonymization/pseudonymization.ts';
import type { Fence } from '../store/store.ts';
import type { PseudonymizedMark } from '../gateways/gateways.ts';
import type { Caller } from './identity.ts';
import type { StoredAnswers } from './storedAnswers.ts';
import type { Target } from './target.ts';

/** How calls are checked, forwarded and answered. */
export interface InlineOptions {
  /** How calls arrive, for metrics and logs. */
  readonly protocol: 'inline' | 'ext_proc';
  /** What happens to paths that are not known. */
  readonly unknown: 'block' | 'generic' | 'pass';
  /** Whether ids of the end user are replaced by pseudonyms as well. */
  readonly hidesEndUser: boolean;
  /** The headers that identify a caller, in lower case; undefined: its credentials do. */
  readonly identityHeaders: readonly string[] | undefined;
  /** The headers in which a call names its end user, in lower case. */
  readonly customerHeaders: readonly string[];
  /** Who may call; undefined: everybody may. */
  readonly access: Access | undefined;
  /** The largest request body, and the largest answer that is restored as a whole, in bytes. */
  readonly maxBody: number;
  readonly guard: Guard;
  /** The policy of a call, by the revisions of the policies of the customers that it names. */
  readonly policyOf: (revisions: readonly (string | undefined)[]) => Policy;
  /**
   * Monitor mode: a request that cannot be checked is forwarded, and answers are relayed as they are.
   * @param policy undefined: it is not known for whom the call is
   */
  readonly isFailOpen: (policy: Policy | undefined) => boolean;
  /** Derives the id of an end user in the store. */
  readonly subjectOf: (tenant: Tenant, endUser: string) => SubjectId;
  readonly fence: () => Fence;
  readonly endUsers: EndUserCheck;
  readonly mark: PseudonymizedMark;
  readonly storedAnswers: StoredAnswers;
  readonly admission: Admission;
  readonly metrics: Metrics;
  /** The audit trail; undefined: there is none. */
  readonly audit: AuditTrail | undefined;
  /** The revision of the policy of the service; undefined: it has none. */
  readonly policyRevision: () => string | undefined;
  readonly logger: Logger;
}

/** A request as it arrives: its body as a stream, and its head in the form that Node gives it. */
export type InlineRequest = Readable &
  Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'httpVersion'> & {
    /** Headers that `headers` joins, and that the upstream receives more than once. */
    readonly repeatedHeaders?: ReadonlySet<string>;
    /** The connection, if it is the caller's. */
    readonly socket?: object;
  };

export interface InlineContext extends CallScope {
  readonly req: InlineRequest;
}

/** The head of an answer, as the upstream sent it. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** The client's side of a call. Receives one answer, with backpressure. */
export interface Client {
  /** Aborted when the client disconnects, or by {@link abort}. Ends everything that the call has started. */
  readonly signal: AbortSignal;
  /** Whether the client has a part of the answer. */
  readonly hasBegun: boolean;
  abort(reason: Error): void;
  /**
   * Begins the answer. Its head can wait for the first part, until {@link flush}.
   * @param isChanged the bytes of the answer differ from those that its headers describe
   * @param length the length of the body in bytes; undefined: it is not known
   */
  begin(head: AnswerHead, isChanged: boolean, length?: number): void;
  /** Sends the head now. */
  flush(): void;
  /** @returns undefined if the client can receive more now; otherwise resolves when it can. @throws ClientGoneError */
  write(bytes: Buffer): Promise<void> | undefined;
  /** Resolves when the answer is on its way. @throws ClientGoneError */
  end(bytes?: Buffer): Promise<void>;
  /** Sends a last part, and breaks the connection: the client must not take what it has for the whole answer. */
  break(bytes: Buffer): void;
  /** Answers a call whose answer has not begun. */
  refuse(status: number, headers: Readonly<Record<string, string>>, error: ErrorBody): void;
  /** Breaks the connection. @param status the status of the call in metrics and logs, if its answer has not begun */
  drop(status?: number): void;
}

/** How a request is forwarded: with its body and its answer checked, or as it is. */
export type Handling = 'guard' | 'pass';

/** One call on its way through the proxy. */
export interface Call {
  readonly context: InlineContext;
  readonly client: Client;
  /** The base URL of the upstream. */
  readonly base: URL;
  readonly target: Target;
  readonly operation: Operation;
  readonly handling: Handling;
  readonly caller: Caller;
  /** The store's time when the call began: values that are erased since then stay erased. */
  readonly fence: Fence;
}

/** How an answer is restored. */
export interface Restoring extends CallContext {
  /** Called with the id of an answer that the API stores, before the client has the whole answer. */
  readonly onId?: (id: string) => Promise<void>;
}
