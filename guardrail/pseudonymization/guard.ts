import type { KeyObject } from 'node:crypto';
import type { Analyzer, EntityType } from '../detection/detection.ts';
import { inSlices } from '../eventLoop.ts';
import type { Pseudonym, SessionId } from '../ids.ts';
import type { Fence, MappingStore } from '../store/store.ts';
import { createAnswerStream, createPausedText, unchangedAnswer, type AnswerOptions } from './answerStream.ts';
import { createCarrySeal } from './carry.ts';
import type {
  AnswerStream,
  CallContext,
  CallIdentity,
  Guard,
  PieceOutcome,
  RequestDocument,
  RequestOutcome,
  ResponseDocument,
  ResponseOutcome,
  SessionScope,
  TextPiece,
} from './contract.ts';
import { PseudonymAssignment } from './assignment.ts';
import type { Stored } from './encoding.ts';
import { SessionErasedError } from './errors.ts';
import { GrowingAnswers } from './growingAnswers.ts';
import { messageNumbersOf } from './messageNumbers.ts';
import { Pseudonyms, lengthen } from './pseudonyms.ts';
import { analyze, decide, editsOf, parse, rewriteRequest } from './request.ts';
import { findPseudonyms, lookUp, pseudonymsOf, restore, unchanged } from './response.ts';
import { rememberSessions, type CallSession } from './session.ts';
import { syntaxFor, type PseudonymSyntax } from './syntax.ts';

export interface GuardOptions {
  readonly analyzer: Analyzer;
  readonly store: MappingStore;
  /** Secret for session ids and pseudonyms (`createSecretKey` of at least 16 random bytes). Must not change. */
  readonly sessionKey: KeyObject;
  readonly scope: SessionScope;
  /** Maximum size of the texts of a restored response, in bytes. Default: 10 MiB, the default for bodies. */
  readonly maxResponseBytes?: number;
  /**
   * Entity types of custom recognizers, used as labels of pseudonyms. Read for each call, because the policy can
   * change. Types that are neither built in nor listed here get the label `ENTITY`.
   */
  readonly customTypes?: () => readonly EntityType[];
}

const DEFAULT_MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

export function createGuard(options: GuardOptions): Guard {
  return new TextGuard(options);
}

interface KnownCall {
  readonly session: CallSession;
  /** What its request has replaced. */
  replaced: ReadonlyMap<Pseudonym, string> | undefined;
}

class TextGuard implements Guard {
  private readonly options: GuardOptions;
  /** What is known of the calls that run: the request, the answer and the headers of a call have the same identity. */
  private readonly calls = new WeakMap<CallIdentity, KnownCall>();
  private readonly growing = new GrowingAnswers();
  private readonly sessionOfCall: (identity: CallIdentity) => CallSession;

  constructor(options: GuardOptions) {
    this.options = options;
    this.sessionOfCall = rememberSessions(options.sessionKey, options.scope);
  }

  sessionOf(identity: CallIdentity): SessionId {
    return this.session(identity).id;
  }

  /** Runs the stages of a request: number the messages, parse, analyze, decide, pseudonymize, store, rewrite. */
  async request(document: RequestDocument, context: CallContext): Promise<RequestOutcome> {
    const fence = context.fence ?? this.options.store.fence();
    if (context.identity.session !== undefined) throw new Error('A request needs the whole identity of its caller.');
    const call = this.callOf(context.identity);
    const { session } = call;
    const numbered = { ...document, numbers: await inSlices(messageNumbersOf(document)) };
    const parsed = await parse(numbered);
    const { texts, report, blockedReason } = decide(await analyze(parsed, numbered, this.options.analyzer, context));
    const base = { session: session.id, ...report };
    if (blockedReason !== undefined) return { ...base, action: 'BLOCKED', blockedReason };
    const edits = await editsOf(texts, this.syntax(), context);
    if (edits.every((text) => text.edits.length === 0)) {
      // A gateway learns of a store that fails with the first call, and not with the first value.
      if (session.isShared) this.options.store.assertReachable();
      return { ...base, action: 'NONE' };
    }
    const assignment = await PseudonymAssignment.of(edits, new Pseudonyms(this.options.sessionKey, session.pseudonyms));
    if (session.isShared) call.replaced = await this.store(assignment, session, fence, context);
    return { ...base, action: 'GUARDRAIL_INTERVENED', ...(await rewriteRequest(numbered, edits, assignment)) };
  }

  /** Runs the stages of a response: find pseudonyms, look up their values, restore. */
  async response(document: ResponseDocument, context: CallContext): Promise<ResponseOutcome> {
    const session = this.session(context.identity);
    // Who asks for values gets to know that there are none.
    if (!session.isShared && !context.mayShow) return unchanged(session.id, document);
    const { grammar } = this.syntax();
    const growing = this.growing.textsOf(document, session.id, context, grammar);
    const areChoices = this.growing.isStreamOfChoices(document, session.id, context);
    const found = await findPseudonyms(document, grammar, growing);
    const values = await this.lookUp(session, context)(pseudonymsOf(found));
    return await restore(
      session.id,
      document,
      found,
      { values, mayShow: context.mayShow, growing, areChoices },
      this.maxResponseBytes,
    );
  }

  stream(context: CallContext): AnswerStream {
    const session = this.session(context.identity);
    if (!session.isShared) return unchangedAnswer();
    return createAnswerStream(this.answerOptions(session, context));
  }

  async piece({ text, kind, carry, isLast }: TextPiece, context: CallContext): Promise<PieceOutcome> {
    const session = this.session(context.identity);
    if (!session.isShared) return { session: session.id, text, carry: '', ...unchangedAnswer().counts() };
    const seal = createCarrySeal(this.options.sessionKey, session.id, kind);
    const answer = createPausedText(
      kind,
      carry === '' ? undefined : seal.open(carry),
      this.answerOptions(session, context),
    );
    const sent = await answer.push(text);
    const rest = isLast ? await answer.end() : '';
    return {
      session: session.id,
      text: sent + rest,
      carry: isLast ? '' : seal.close(answer.save()),
      ...answer.counts(),
    };
  }

  private answerOptions(session: CallSession, context: CallContext): AnswerOptions {
    return { grammar: this.syntax().grammar, lookUp: this.lookUp(session, context), maxBytes: this.maxResponseBytes };
  }

  private get maxResponseBytes(): number {
    return this.options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
  }

  private lookUp(
    session: CallSession,
    context: CallContext,
  ): (found: ReadonlySet<Pseudonym>) => Promise<ReadonlyMap<Pseudonym, Stored>> {
    const { store, sessionKey } = this.options;
    const { pseudonyms, otherPseudonyms = [] } = session;
    if (!session.isShared) return () => Promise.resolve(new Map());
    // Many answers have no pseudonym.
    let scopes: readonly Pseudonyms[] | undefined;
    const { replaced } = this.callOf(context.identity);
    const isCodeOf: Pseudonyms['isCodeOf'] = (pseudonym, stored) => {
      if (replaced?.get(pseudonym) === stored) return true;
      scopes ??= [pseudonyms, otherPseudonyms].flat().map((scope) => new Pseudonyms(sessionKey, scope));
      return scopes.some((scope) => scope.isCodeOf(pseudonym, stored));
    };
    const ttlMs = context.keepsExpiry === true ? 0 : ttlOf(context);
    const { labels } = this.syntax().labels;
    return (found) => lookUp(found, store, session.id, isCodeOf, labels, ttlMs);
  }

  private session(identity: CallIdentity): CallSession {
    return this.callOf(identity).session;
  }

  private callOf(identity: CallIdentity): KnownCall {
    const known = this.calls.get(identity);
    if (known) return known;
    const call: KnownCall = { session: this.sessionOfCall(identity), replaced: undefined };
    if (call.session.isShared) this.calls.set(identity, call);
    return call;
  }

  private syntax(): PseudonymSyntax {
    return syntaxFor(this.options.customTypes?.() ?? []);
  }

  /** Stores the mapping, and returns it. Lengthens pseudonyms that the store already has for another value. */
  private async store(
    assignment: PseudonymAssignment,
    { id, subject }: CallSession,
    fence: Fence,
    context: CallContext,
  ): Promise<ReadonlyMap<Pseudonym, string>> {
    const { identity, share: tenant = identity.tenant } = context;
    const ttlMs = ttlOf(context);
    for (;;) {
      const values = assignment.mapping();
      const result = await this.options.store.put({ session: id, subject, tenant, values, fence, ttlMs });
      if (result.kind === 'stored') return values;
      if (result.kind === 'erased') throw new SessionErasedError();
      const { taken } = result;
      // The loop ends, because each iteration lengthens a code and codes have a maximum length.
      assignment.reassign((entry) => (taken.has(entry.pseudonym) ? lengthen(entry) : entry));
    }
  }
}

/** How long the mapping of a call is stored, in milliseconds. undefined: as long as the store's setting says. */
function ttlOf({ policy }: CallContext): number | undefined {
  return policy?.settings.mappingTTL;
}
