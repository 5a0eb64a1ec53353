import type {
  CallerSettings,
  CallIdentity,
  Json,
  PieceOutcome,
  RequestDocument,
  RequestOutcome,
  ResponseDocument,
  ResponseOutcome,
  TextPiece,
} from '../pseudonymization/pseudonymization.ts';
import type { SubjectId, Tenant } from '../ids.ts';
import type { JsonObject } from './fields.ts';
import type { PseudonymizedMark } from './pseudonymizedMark.ts';

/**
 * The header that names the team of a call. The gateway's configuration sets its value; a client must not be able to
 * set it.
 */
export const TEAM_HEADER = 'x-guardrail-team';

/** What the user of a key begins with that the operator rotates. The identity of the key, `status.keyId`, follows. */
export const keyUserPrefix = 'gkey-';

/** The header with which the inline proxy marks the calls whose values it has replaced: see {@link PseudonymizedMark}. */
export const PSEUDONYMIZED_HEADER = 'x-guardrail-pseudonymized';

/** A call, without its body. */
export interface GatewayCall {
  readonly tenant: Tenant;
  /**
   * The team that the gateway identifies, from {@link TEAM_HEADER}. A value that a client chooses separates sessions
   * within the team, and never replaces the team.
   */
  readonly team: string | undefined;
  /** A request header; empty if it is absent. */
  readonly header: (name: string) => string;
  /** Derives a token from the name of a session. The token is keyed, so it cannot be guessed, and deterministic. */
  readonly tokenOf: (name: string) => string;
  /** Whether a value of {@link PSEUDONYMIZED_HEADER} is one of this guardrail. A client can send the header, too. */
  readonly isMark: PseudonymizedMark['isValid'];
  /** Derives the id of an end user in the store, used for erasure: keyed, 32 hexadecimal digits. */
  readonly subjectOf: (endUser: string) => SubjectId;
}

/** A parsed call: its content, its identity, and how to answer it. */
export type GatewayExchange = {
  readonly identity: CallIdentity;
  readonly stricter?: CallerSettings;
  /** Nothing links the response to this request. A request that needs changes is blocked. */
  readonly anonymous?: boolean;
  /** Whether the call has passed the inline proxy: see {@link PSEUDONYMIZED_HEADER}. */
  readonly isPseudonymized?: boolean;
  /** The model that has answered, if the gateway tells it. In a request, the name is whatever the client wrote. */
  readonly model?: string | undefined;
} & (
  | {
      readonly phase: 'request';
      readonly document: RequestDocument;
      /** Answers every outcome except a block, which {@link GatewayAdapter.block} answers. */
      readonly render: (outcome: Exclude<RequestOutcome, { action: 'BLOCKED' }>) => object;
    }
  | {
      readonly phase: 'response';
      readonly document: ResponseDocument;
      readonly render: (outcome: ResponseOutcome) => object;
    }
  | {
      /** A piece of an answer. */
      readonly phase: 'piece';
      readonly piece: TextPiece;
      readonly render: (outcome: PieceOutcome) => object;
    }
);

/**
 * The guardrail protocol of one gateway: reads its calls and writes the answers. Adapters are pure functions. All
 * adapters share authentication, limits, images, failures and metrics.
 */
export interface GatewayAdapter {
  /** The value of `?dialect=`, and the name in metrics and logs. */
  readonly dialect: string;
  /** Maximum duration of a call, slightly shorter than the gateway's time-out. Default: 25 s. */
  readonly timeoutMs?: number;
  /**
   * The answer to a call that fails. `error`: an HTTP error, if the gateway stops the call on errors. `block`: the
   * answer of {@link block}, if the gateway continues the call on errors.
   */
  readonly onFailure: 'error' | 'block';
  /** The gateway tells for which end user a call is, if the call names one. */
  readonly tellsEndUser?: true;
  /**
   * What the call id of the identity is: the gateway's own id of the call (`public`), or one that protects the mapping of the
   * call (`secret`). undefined: it is not the id of one call.
   */
  readonly callIds?: 'public' | 'secret';
  /** The answer that forwards the call unchanged. `echo`: the body of the call itself. */
  readonly pass: JsonObject | 'echo';
  /** Whether a body has this dialect. */
  recognizes(body: JsonObject): boolean;
  /** @throws FieldError */
  read(body: JsonObject, call: GatewayCall): GatewayExchange;
  /**
   * The answer that stops the call; undefined if the gateway stops it on the HTTP error 403.
   * @param reason a sentence without personal data
   */
  block(reason: string): JsonObject | undefined;
}

/**
 * The identity of a call whose token names the session within the team that the gateway identifies, in every session
 * scope.
 * @param token if undefined, the call shares its mapping with no other. If the gateway identifies no team, the token
 * must be a secret of this call.
 */
export function identityOf(
  { tenant, team }: Pick<GatewayCall, 'tenant' | 'team'>,
  dialect: string,
  token: string | undefined,
  subject?: SubjectId,
): CallIdentity {
  if (token === undefined) return { tenant };
  // Without a user, the key separates the sessions of a team.
  return { tenant, team, keyHash: `${dialect}:${token}`, callId: token, traceId: token, subject };
}

export function rowsOf(value: Json | undefined): JsonObject[] | undefined {
  const isRow = (row: Json): row is JsonObject => typeof row === 'object' && row !== null && !Array.isArray(row);
  return Array.isArray(value) && value.every(isRow) ? value : undefined;
}
