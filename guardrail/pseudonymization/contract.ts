import type { Finding, StricterSettings } from '../detection/detection.ts';
import type { SessionId, SubjectId, Tenant } from '../ids.ts';
import type { Json } from '../messages/messages.ts';
import type { Fence } from '../store/store.ts';

/** Which calls share a mapping: all calls of a user, the calls of one conversation (trace id), or one call. */
export type SessionScope = 'user' | 'conversation' | 'call';

/** The identity of a caller, as the gateway reports it. An empty field counts as absent. */
export interface CallIdentity {
  /** Name of the API key that the gateway used. */
  readonly tenant: Tenant;
  /** Set by the gateway; a client cannot forge it. */
  readonly team?: string | undefined;
  /** Hash of the gateway's virtual key; a client cannot forge it. */
  readonly keyHash?: string | undefined;
  /** The gateway's internal user; a client cannot forge it. */
  readonly user?: string | undefined;
  /** Chosen by the client. */
  readonly endUser?: string | undefined;
  /** The id of the end user in the store. Replaces `endUser` for erasure; does not separate sessions. */
  readonly subject?: SubjectId | undefined;
  /** Chosen by the client, or random; equal in both phases of a call. */
  readonly callId?: string | undefined;
  /** Chosen by the client, or random; can only narrow a session. */
  readonly traceId?: string | undefined;
}

export interface CallContext {
  readonly identity: CallIdentity;
  /** Aborted when the client disconnects or the call times out. */
  readonly signal: AbortSignal;
  /** The fence of the call, captured before the body is read. Default: captured when the guard is called. */
  readonly fence?: Fence | undefined;
  readonly stricter?: CallerSettings;
}

/** Settings of a caller. They can only be stricter than those of the service. */
export interface CallerSettings extends StricterSettings {
  /** Blocks the call if it contains an image, a file or a recording. */
  readonly images?: 'block';
}

/** The content of a request. Lists keep their length and order. */
export interface RequestDocument {
  readonly texts: readonly string[];
  /** Messages as the client sent them, with content parts and tool calls. */
  readonly structuredMessages?: readonly Json[] | undefined;
  readonly tools?: readonly Json[] | undefined;
  /** Data URLs or addresses; most occur in the messages too. Processed by {@link file://../images/images.ts}. */
  readonly images?: readonly string[] | undefined;
  /** Texts that OCR found in images: analyzed with the other texts, never rewritten or returned. */
  readonly imageTexts?: readonly string[] | undefined;
}

/** The content of a response: one text for each choice. In a stream, each text is all that has arrived so far. */
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

/** `monitored` is set in monitor mode: the action that enforce mode would take. */
export type RequestOutcome = OutcomeBase & {
  readonly entities: readonly EntityCount[];
  readonly monitored?: Action;
  /** The findings in each of `imageTexts`; not counted in `entities`. */
  readonly imageFindings?: readonly (readonly Finding[])[];
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
  /** The holdback of each text, in UTF-16 code units. The adapter converts it to the unit of the gateway. */
  readonly holdback: readonly number[];
  /** Number of restored pseudonyms. */
  readonly restored: number;
  /** Number of known pseudonyms that were kept: in an address that a renderer loads, or because of `isEnumeration`. */
  readonly withheld: number;
  /** Number of pseudonyms that the session does not know. */
  readonly unknown: number;
  /**
   * The response contains so many unknown pseudonyms that it looks like a search for the code of a value. Nothing was
   * restored. In a stream, an earlier part may already be restored and sent.
   */
  readonly isEnumeration?: boolean;
};

/** Pseudonymizes requests and restores responses, for every gateway. */
export interface Guard {
  /**
   * @throws DetectorUnavailableError | StoreUnavailableError | SessionErasedError | DocumentTooDeepError |
   * TooManyValuesError
   */
  request(document: RequestDocument, context: CallContext): Promise<RequestOutcome>;
  /** @throws StoreUnavailableError | DocumentTooDeepError | TooManyValuesError | ResponseTooLargeError */
  response(document: ResponseDocument, context: CallContext): Promise<ResponseOutcome>;
  sessionOf(identity: CallIdentity): SessionId;
}
