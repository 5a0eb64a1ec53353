import type { Finding, StricterSettings } from '../detection/detection.ts';
import type { SessionId, SubjectId, Tenant } from '../ids.ts';
import type { Json } from '../messages/messages.ts';
import type { Fence } from '../store/store.ts';

/** How wide a mapping is shared: over all calls of a user, over one conversation (trace id), or over one call. */
export type SessionScope = 'user' | 'conversation' | 'call';

/** The identity of a caller, as the gateway gives it. Absent and empty are the same. */
export interface CallIdentity {
  /** Name of the API key with which the gateway authenticated. */
  readonly tenant: Tenant;
  /** Set by the gateway; a client cannot forge it. */
  readonly team?: string | undefined;
  /** Hash of the gateway's virtual key; a client cannot forge it. */
  readonly keyHash?: string | undefined;
  /** The gateway's internal user; a client cannot forge it. */
  readonly user?: string | undefined;
  /** Chosen by the client. */
  readonly endUser?: string | undefined;
  /** The end user's name in the store, where that stands in for the end user's own: for erasure, and telling no calls apart. */
  readonly subject?: SubjectId | undefined;
  /** Chosen by the client, or random; equal in both phases of a call. */
  readonly callId?: string | undefined;
  /** Chosen by the client, or random; only ever narrows a session. */
  readonly traceId?: string | undefined;
}

export interface CallContext {
  readonly identity: CallIdentity;
  /** Aborted when the client is gone or the time is up. */
  readonly signal: AbortSignal;
  /** The fence of the call, captured before its body was read. Default: captured when the guard is called. */
  readonly fence?: Fence | undefined;
  readonly stricter?: CallerSettings;
}

/** Settings of a caller: stricter than those of the service, never less strict. */
export interface CallerSettings extends StricterSettings {
  /** Blocks the call if it contains an image, a file or a recording. */
  readonly images?: 'block';
}

/** The content of a call before the model. Lists keep their length and order. */
export interface RequestDocument {
  readonly texts: readonly string[];
  /** Messages as the client sent them, content parts and tool calls included. */
  readonly structuredMessages?: readonly Json[] | undefined;
  /** Tool definitions. */
  readonly tools?: readonly Json[] | undefined;
  /** Data URLs or addresses; most stand in the messages too. The core leaves them to {@link file://../images/images.ts}. */
  readonly images?: readonly string[] | undefined;
  /** What stands in pictures: looked at together with the other texts, and never rewritten or returned. */
  readonly pictureTexts?: readonly string[] | undefined;
}

/** What a gateway hands over after a model call: one text a choice, each the whole text so far where it streams. */
export interface ResponseDocument {
  readonly texts: readonly string[];
  readonly structuredMessages?: readonly Json[] | undefined;
  readonly toolCalls?: readonly Json[] | undefined;
}

/** The number of findings of a type, for metrics and logs. */
export interface EntityCount {
  readonly type: string;
  readonly detector: string;
  readonly count: number;
}

interface OutcomeBase {
  readonly session: SessionId;
}

/** `monitored` is set in monitor mode: the action that enforcing would have taken. */
export type RequestOutcome = OutcomeBase & {
  readonly entities: readonly EntityCount[];
  readonly monitored?: Action;
  /** For each of `pictureTexts` what was found in it; not counted in `entities`. */
  readonly inPictures?: readonly (readonly Finding[])[];
} & (
    | { readonly action: 'NONE' }
    | ({ readonly action: 'GUARDRAIL_INTERVENED' } & RequestDocument)
    | { readonly action: 'BLOCKED'; readonly blockedReason: string }
  );

type Action = 'GUARDRAIL_INTERVENED' | 'BLOCKED';

export type ResponseOutcome = OutcomeBase & {
  readonly action: 'NONE' | 'GUARDRAIL_INTERVENED';
  readonly texts: readonly string[];
  readonly structuredMessages?: readonly Json[] | undefined;
  readonly toolCalls?: readonly Json[] | undefined;
  /** For each text, how many UTF-16 code units at its end must not be shown yet (to be converted by the protocol). */
  readonly holdback: readonly number[];
  /**
   * Pseudonyms found and restored; known ones left as they are, since a renderer would load the address that they stand in
   * or the answer looks like a search; and pseudonym-like ones that the session does not know.
   */
  readonly restored: number;
  readonly withheld: number;
  readonly unknown: number;
  /**
   * The answer holds so many unknown pseudonyms that it looks like a search for the code of a value: nothing was restored.
   * Where the answer grows, as in a stream, an earlier part of it may have been restored and shown.
   */
  readonly searched?: boolean;
};

/** Pseudonymizes requests and restores responses, for every gateway. */
export interface Guard {
  /** @throws DetectorUnavailableError | StoreUnavailableError | SessionErasedError | DocumentTooDeepError | TooManyValuesError */
  request(document: RequestDocument, context: CallContext): Promise<RequestOutcome>;
  /** @throws StoreUnavailableError | DocumentTooDeepError | TooManyValuesError | AnswerTooLargeError */
  response(document: ResponseDocument, context: CallContext): Promise<ResponseOutcome>;
  sessionOf(identity: CallIdentity): SessionId;
}
