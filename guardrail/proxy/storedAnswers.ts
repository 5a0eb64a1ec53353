/**
 * Which mapping belongs to an answer that the API stores. The call that creates `resp_1` can name an end user; the call that
 * fetches it later cannot, so the id of the answer leads to the mapping.
 */
import { hash, type KeyObject } from 'node:crypto';
import type { Operation } from '../bodies/bodies.ts';
import { INLINE_TENANT, type Pseudonym, type SessionId, type Tenant } from '../ids.ts';
import { deriveSession, type CallIdentity } from '../pseudonymization/pseudonymization.ts';
import type { Fence, MappingStore } from '../store/store.ts';
import type { Caller } from './identity.ts';

/** The parts of an identity that the body and the headers of the creating call decide. */
type Stored = Pick<CallIdentity, 'keyHash' | 'callId' | 'traceId' | 'subject'>;

/** The single field of such a session. No pseudonym looks like it. */
const FIELD = 'answer' as Pseudonym;
/** The id of a stored answer in a path. */
const IN_PATH = /\/(?:responses|conversations|chat\/completions)\/([^/]+)/i;
/** Chat completions are stored on request only. */
const ASKS_TO_STORE = /"store"\s*:\s*true/;
const STORING: ReadonlySet<string> = new Set(['responses', 'conversations']);

/** Whether the API can keep the answer to a request, and give it an id. */
export function isStoring({ name }: Operation, body: Buffer): boolean {
  if (name !== 'chat.completions') return STORING.has(name);
  // Most bodies do not have the name, and a search in bytes is cheap.
  return body.includes('"store"') && ASKS_TO_STORE.test(body.toString('latin1'));
}

/** Whether a path can lead to a stored answer. */
export function mayBeStored(path: string): boolean {
  return IN_PATH.test(path);
}

/** Remembers the mapping of each stored answer. Only the caller that created an answer finds its mapping. */
export class StoredAnswers {
  readonly #store: Pick<MappingStore, 'put' | 'get'>;
  readonly #sessionKey: KeyObject;

  constructor(store: Pick<MappingStore, 'put' | 'get'>, sessionKey: KeyObject) {
    this.#store = store;
    this.#sessionKey = sessionKey;
  }

  /**
   * @param tenant whose share of a store in memory the entry takes
   * @throws StoreUnavailableError
   */
  async remember(
    caller: Caller,
    id: string,
    { keyHash, callId, traceId, subject }: CallIdentity,
    fence: Fence,
    tenant?: Tenant,
  ): Promise<void> {
    const session = this.#sessionOf(caller, id);
    if (session === undefined) return;
    const stored: Stored = { keyHash, callId, traceId, subject };
    // The entry leads to values and has none, so an erasure of the end user does not concern it.
    const values = new Map([[FIELD, JSON.stringify(stored)]]);
    await this.#store.put({ session, subject: undefined, tenant, values, fence });
  }

  /**
   * @param path the path of the request
   * @returns the identity whose mapping the answer has; `identity` if the path leads to no answer that is known
   * @throws StoreUnavailableError
   */
  async recall(caller: Caller, path: string, identity: CallIdentity): Promise<CallIdentity> {
    const id = IN_PATH.exec(path)?.[1];
    const session = id === undefined ? undefined : this.#sessionOf(caller, id);
    if (session === undefined) return identity;
    const stored = (await this.#store.get(session, [FIELD])).get(FIELD);
    return stored === undefined ? identity : { ...identity, ...(JSON.parse(stored) as Stored) };
  }

  /** @returns undefined for an anonymous call: no other call may read its mapping */
  #sessionOf({ name }: Caller, id: string): SessionId | undefined {
    if (name === undefined) return undefined;
    const keyHash = `stored:${hash('sha256', JSON.stringify([name, id]))}`;
    return deriveSession(this.#sessionKey, { tenant: INLINE_TENANT, keyHash }, 'user');
  }
}

/** The most of an answer that is searched for its id, in bytes. The first event of a stream repeats the request. */
const MAX_SEARCHED = 1024 * 1024;

const FIRST_EVENT = /^data: ?(\{.*)\r?\n/m;

/** Finds the id of an answer in its bytes: those of a whole answer together, or those of a stream as they arrive. */
export class AnswerId {
  #searched = '';
  #isOver = false;

  /** @returns the id, once; otherwise undefined */
  push(bytes: Buffer): string | undefined {
    if (this.#isOver) return undefined;
    this.#searched += bytes.toString('latin1');
    const json = this.#searched.startsWith('{') ? this.#searched : FIRST_EVENT.exec(this.#searched)?.[1];
    if (json === undefined && this.#searched.length < MAX_SEARCHED) return undefined;
    this.#isOver = true;
    this.#searched = '';
    return json === undefined ? undefined : idOf(json);
  }
}

/** @returns the member `id` of an answer, or of the answer in an event */
function idOf(json: string): string | undefined {
  try {
    const { id, response } = JSON.parse(json) as { id?: unknown; response?: { id?: unknown } | null };
    const found = response?.id ?? id;
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}
