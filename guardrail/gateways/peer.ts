import type {
  CallIdentity,
  Json,
  RequestDocument,
  RequestOutcome,
  ResponseDocument,
  ResponseOutcome,
} from '../pseudonymization/pseudonymization.ts';
import type { SubjectId, Tenant } from '../ids.ts';
import type { JsonObject } from './fields.ts';

/**
 * The header that says on whose behalf the gateway calls. Its value comes from the gateway's configuration, and a client
 * must have no way to set it.
 */
export const TEAM_HEADER = 'x-guardrail-team';

/** What an adapter is told of a call beside its body. */
export interface PeerCall {
  readonly tenant: Tenant;
  /**
   * The identity that the gateway proves, from {@link TEAM_HEADER}. What a client chooses tells sessions apart within it,
   * and never stands in for it.
   */
  readonly team: string | undefined;
  /** A request header, empty where it is absent. */
  readonly header: (name: string) => string;
  /** Turns what names a session into a token that tells nothing of it and cannot be guessed: keyed, always the same. */
  readonly tokenOf: (name: string) => string;
  /** What an end user is called in the store, so that its erasure finds the session: keyed too, 32 hexadecimal digits. */
  readonly subjectOf: (endUser: string) => SubjectId;
}

/** A call read: what to guard, for whom, and how to answer. */
export type PeerExchange = {
  readonly identity: CallIdentity;
  /** Nothing ties the answer to this request, so nothing that is replaced could be restored. */
  readonly anonymous?: boolean;
} & (
  | {
      readonly phase: 'request';
      readonly document: RequestDocument;
      /** Whatever the outcome, but for a block, which `reject` answers. */
      readonly render: (outcome: Exclude<RequestOutcome, { action: 'BLOCKED' }>) => JsonObject;
    }
  | {
      readonly phase: 'response';
      readonly document: ResponseDocument;
      readonly render: (outcome: ResponseOutcome) => JsonObject;
    }
);

/**
 * Another gateway's guardrail protocol over the same core: reads its calls and writes its answers, and nothing else.
 * Adapters are pure; authentication, limits, images, failures and metrics are the same for all of them.
 */
export interface PeerAdapter {
  /** As `?dialect=` names it. */
  readonly dialect: string;
  /** How long the gateway's call may take, in milliseconds: a little less than the gateway waits before it goes on without. */
  readonly timeoutMs: number;
  /** Whether a body that comes without `?dialect=` is of this dialect. */
  recognizes(body: JsonObject): boolean;
  /** @throws FieldError */
  read(body: JsonObject, call: PeerCall): PeerExchange;
  /** The answer that lets the call go on unchanged. */
  readonly pass: JsonObject;
  /** The answer that keeps the call from going on, with a sentence that holds no value. Also given when we fail. */
  reject(reason: string): JsonObject;
}

/**
 * An identity that is what a token names within what the gateway proves, whatever the scope of sessions is.
 * @param token undefined shares a mapping with none; where the gateway proves nothing, it must be a secret of the one call.
 */
export function identityOf(
  { tenant, team }: Pick<PeerCall, 'tenant' | 'team'>,
  dialect: string,
  token: string | undefined,
  subject?: SubjectId,
): CallIdentity {
  if (token === undefined) return { tenant };
  // Without a user, the key tells the sessions of a team apart.
  return { tenant, team, keyHash: `${dialect}:${token}`, callId: token, traceId: token, subject };
}

export function rowsOf(value: Json | undefined): JsonObject[] | undefined {
  const isRow = (row: Json): row is JsonObject => typeof row === 'object' && row !== null && !Array.isArray(row);
  return Array.isArray(value) && value.every(isRow) ? value : undefined;
}
