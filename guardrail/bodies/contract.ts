import type { JsonReading } from './text.ts';
import type { AnswerCounts, RequestOutcome } from '../pseudonymization/pseudonymization.ts';

/** The APIs whose errors and blocks the room can write. */
export type Api = 'openai' | 'anthropic' | 'gemini' | 'unknown';

/** A request as the client sent it, without content encodings. */
export interface RequestBody {
  readonly bytes: Buffer;
  /** The header Content-Type; undefined if the request has none. */
  readonly contentType: string | undefined;
  /** The query string, without the question mark. Default: none. */
  readonly query?: string;
  /** Whether ids of the end user are replaced by pseudonyms as well. Default: false, because a gateway books the call on them. */
  readonly hidesEndUser?: boolean;
  /** The JSON of the body, if it is read already: see `withJson`. Default: it is read at once when it is needed. */
  readonly json?: JsonReading;
}

/** What the guardrail decided about a request. */
export type GuardedBody = Pick<RequestOutcome, 'session' | 'entities' | 'monitored' | 'unreadLines'> &
  (
    | { /** Send the same bytes. */ readonly action: 'NONE' }
    | {
        readonly action: 'GUARDRAIL_INTERVENED';
        readonly body: Buffer;
        /** The query to send. */ readonly query?: string;
      }
    | { readonly action: 'BLOCKED'; /** A sentence for the caller. */ readonly reason: string }
  );

export interface RestoredBody {
  readonly body: Buffer;
  readonly counts: AnswerCounts;
}

/** Restores an answer while it arrives. Calls must not overlap. After an error, nothing more may be pushed or sent. */
export interface ByteStream {
  /** @returns what can be sent now. Most chunks wait for nothing, and have no promise. */
  push(chunk: Buffer): Buffer | Promise<Buffer>;
  /** @returns the rest. The answer has ended; do not call it for an answer that was cut off. */
  end(): Promise<Buffer>;
  counts(): AnswerCounts;
}
