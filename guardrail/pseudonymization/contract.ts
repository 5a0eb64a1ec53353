import type { Finding, Policy, StricterSettings } from '../detection/detection.ts';
import type { SessionId, SubjectId, Tenant } from '../ids.ts';
import type { Json, TextKind } from '../messages/messages.ts';
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
  /**
   * The calls in which a value has the same pseudonym: those of the session, which is the default, or all calls of the
   * tenant and the team. Mappings are never shared beyond the session.
   */
  readonly samePseudonyms?: 'session' | 'team' | undefined;
  /**
   * The session itself, for a caller that knows its id and has checked that it belongs to the tenant. Replaces all other
   * fields. For answers only: a request needs the end user of the session.
   */
  readonly session?: SessionId | undefined;
}

export interface CallContext {
  readonly identity: CallIdentity;
  /** Aborted when the client disconnects or the call times out. */
  readonly signal: AbortSignal;
  /** The tenant whose share of the processor the call uses. Default: that of the identity. */
  readonly share?: Tenant | undefined;
  /** The fence of the call, captured before the body is read. Default: captured when the guard is called. */
  readonly fence?: Fence | undefined;
  readonly stricter?: CallerSettings;
  /**
   * The policy of the call, the same in its request and its answer if both are in one place. Default: the one in force when
   * the guard is called.
   */
  readonly policy?: Policy | undefined;
  /**
   * Whether the inline proxy has replaced the values of this call: texts that look like pseudonyms are its own, and stay.
   * A client can claim this, and gains nothing: its own session restores a pseudonym that it types.
   */
  readonly isPseudonymized?: boolean;
  /**
   * Whether pseudonyms with a label are restored; used by {@link Guard.response}. If set, the outcome has counts by type.
   * Default: all are.
   */
  readonly mayShow?: ((label: string) => boolean) | undefined;
  /** The call does not renew the expiry of its session: it is not known whose policy says how long mappings are kept. */
  readonly keepsExpiry?: boolean;
}

/** Settings of a caller. They can only be stricter than those of the service. */
export interface CallerSettings extends StricterSettings {
  /** Blocks the call if it contains an image, a file or a recording. */
  readonly images?: 'block';
}

/** A text of a whole body, and how it is read there. */
export interface Passage {
  readonly text: string;
  readonly kind: TextKind;
  /** Texts with different numbers belong to different answers: no client joins them. Default: all are of one answer. */
  readonly answer?: number | undefined;
  /** In a request: the number of its message, see {@link file://./messageNumbers.ts}. Default: all are of one message. */
  readonly message?: number | undefined;
}

/** A text that OCR found in an image. */
export interface ImageText {
  readonly text: string;
  /** The data URL or address of its image. */
  readonly source: string;
}

/** An area of an image that is painted over. */
export interface ImageMask extends Pick<ImageText, 'source'> {
  /** Its corners, in pixels of the displayed image from the top left. */
  readonly polygon: readonly { readonly x: number; readonly y: number }[];
  /** An entity type and the rule that found it, as in an explanation, or `unread`. */
  readonly reason: string;
}

/** The content of a request. Lists keep their length and order. */
export interface RequestDocument {
  readonly texts: readonly string[];
  /** The texts of a whole body: see {@link file://../bodies/bodies.ts}. */
  readonly passages?: readonly Passage[] | undefined;
  /** Messages as the client sent them, with content parts and tool calls. */
  readonly structuredMessages?: readonly Json[] | undefined;
  readonly tools?: readonly Json[] | undefined;
  /** Tool calls of earlier answers. */
  readonly toolCalls?: readonly Json[] | undefined;
  /** Data URLs or addresses; most occur in the messages too. Processed by {@link file://../images/images.ts}. */
  readonly images?: readonly string[] | undefined;
  /** The body contains or refers to a file or a recording that is in none of the lists. */
  readonly hasFiles?: boolean | undefined;
  /** Texts that OCR found in images: analyzed with the other texts, never rewritten or returned. */
  readonly imageTexts?: readonly ImageText[] | undefined;
  /** The number of the message that has each of `images` first, for a whole body. */
  readonly imageMessages?: readonly number[] | undefined;
}

/** The content of a response: one text for each choice. In a stream, each text is all that has arrived so far. */
export interface ResponseDocument {
  readonly texts: readonly string[];
  /** The texts of a whole body. */
  readonly passages?: readonly Passage[] | undefined;
  readonly structuredMessages?: readonly Json[] | undefined;
  readonly toolCalls?: readonly Json[] | undefined;
}

/** The number of findings of a type, for metrics, logs and audit events. */
export interface EntityCount {
  readonly type: string;
  readonly detector: string;
  /** What the policy does with them. */
  readonly action: Finding['action'];
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
  /** The number of lines of text in images that were found and not read. Absent: no image was read. */
  readonly unreadLines?: number;
  /** What was painted over in images. */
  readonly imageMasks?: readonly ImageMask[];
} & (
    | { readonly action: 'NONE' }
    | ({ readonly action: 'GUARDRAIL_INTERVENED' } & RequestDocument)
    | { readonly action: 'BLOCKED'; readonly blockedReason: string }
  );

type Action = 'GUARDRAIL_INTERVENED' | 'BLOCKED';

export type ResponseOutcome = OutcomeBase & {
  readonly action: 'NONE' | 'GUARDRAIL_INTERVENED';
  readonly texts: readonly string[];
  readonly passages?: readonly Passage[] | undefined;
  readonly structuredMessages?: readonly Json[] | undefined;
  readonly toolCalls?: readonly Json[] | undefined;
  /** The holdback of each text, in UTF-16 code units. The adapter converts it to the unit of the gateway. */
  readonly holdback: readonly number[];
  /** Number of restored pseudonyms. */
  readonly restored: number;
  /**
   * Number of known pseudonyms that were kept: in an address that a renderer loads, because of `isEnumeration`, or because
   * the call may not show them.
   */
  readonly withheld: number;
  /** Number of pseudonyms that the session does not know. */
  readonly unknown: number;
  /**
   * The response contains so many unknown pseudonyms that it looks like a search for the code of a value. Nothing was
   * restored. In a stream, an earlier part may already be restored and sent.
   */
  readonly isEnumeration?: boolean;
  /** Only if the call says what it {@link CallContext.mayShow}. */
  readonly byType?: PseudonymCounts;
};

/** The numbers of pseudonyms in a response by type, which is their label. A text that occurs twice counts twice. */
export interface PseudonymCounts {
  readonly restored: ReadonlyMap<string, number>;
  readonly withheld: ReadonlyMap<string, number>;
  readonly unknown: ReadonlyMap<string, number>;
  /** The number of different unknown pseudonyms. */
  readonly guesses: number;
}

/** The numbers of pseudonyms in what an {@link AnswerStream} has decided so far, for metrics. */
export type AnswerCounts = Required<Pick<ResponseOutcome, 'restored' | 'withheld' | 'unknown' | 'isEnumeration'>>;

/**
 * Restores the texts of one answer that arrives in pieces. The texts share the limits of a response and the values read
 * from the store: each pseudonym is looked up once, together with the others of its piece.
 */
export interface AnswerStream {
  /**
   * Begins a text of the answer: one channel, such as the content of a choice or the arguments of a tool call.
   * @param part the part of the answer whose texts a client can join, such as a choice. Default: one for all such texts.
   */
  text(kind: TextKind, part?: string): TextStream;
  counts(): AnswerCounts;
}

/**
 * Restores one text that arrives in pieces. For every split of a text, all that comes out together is what
 * {@link Guard.response} gives for the whole text, with the same counts. Two answers differ, because their beginning is
 * sent before their end is known. One that looks like a search keeps its pseudonyms only from the guess on that exceeds
 * the limit. One that exceeds a limit fails where it does.
 *
 * Time is linear in the text, whatever the pieces. Memory is bounded by {@link MAX_HELD}, by the last piece and by the
 * values of the answer's pseudonyms.
 *
 * Calls may overlap: they are processed in order. After an error, nothing more comes out: each later call rejects with
 * the same error.
 */
export interface TextStream {
  /**
   * @returns what can be sent now, which is a prefix of every continuation. Holds back only what can still become a
   * pseudonym, or what belongs to one: the quotation mark before a number in arguments, or half of a surrogate pair. A
   * promise only where a value must be read, or after an error: it rejects with StoreUnavailableError, TooManyValuesError
   * or ResponseTooLargeError.
   */
  push(piece: string): string | Promise<string>;
  /** @returns the rest. No call may follow. Fails as {@link push}. */
  end(): string | Promise<string>;
}

/** One piece of a text that arrives in pieces, and the state after the previous piece. */
export interface TextPiece {
  readonly text: string;
  readonly kind: Exclude<TextKind, 'address'>;
  /** {@link PieceOutcome.carry} of the previous piece; empty for the first one. */
  readonly carry: string;
  readonly isLast: boolean;
}

export interface PieceOutcome extends OutcomeBase, AnswerCounts {
  /** What can be sent now: see {@link TextStream.push}. After the last piece, all the rest. */
  readonly text: string;
  /**
   * The state that the caller keeps until the next piece; empty after the last one. Encrypted, valid only in its session,
   * and at most {@link MAX_CARRY} characters long.
   */
  readonly carry: string;
}

/** The maximum length of {@link PieceOutcome.carry}. It usually has less than 2,000 characters. */
export const MAX_CARRY = 262_144;

/** The maximum length of the text that a {@link TextStream} holds back, in UTF-16 code units of the original text. */
export const MAX_HELD = 300;

/** Pseudonymizes requests and restores responses, for every gateway. */
export interface Guard {
  /**
   * @throws DetectorUnavailableError | StoreUnavailableError | SessionErasedError | DocumentTooDeepError |
   * TooManyValuesError
   */
  request(document: RequestDocument, context: CallContext): Promise<RequestOutcome>;
  /** @throws StoreUnavailableError | DocumentTooDeepError | TooManyValuesError | ResponseTooLargeError */
  response(document: ResponseDocument, context: CallContext): Promise<ResponseOutcome>;
  /** Restores an answer that arrives in pieces: see {@link TextStream} for its errors. */
  stream(context: CallContext): AnswerStream;
  /**
   * Restores one piece of a text, for a caller that keeps the state between the pieces. The pieces give what a
   * {@link TextStream} gives. The limits of a response apply to each text.
   * @throws InvalidCarryError | StoreUnavailableError | TooManyValuesError | ResponseTooLargeError
   */
  piece(piece: TextPiece, context: CallContext): Promise<PieceOutcome>;
  sessionOf(identity: CallIdentity): SessionId;
}
