import type { KeyObject } from 'node:crypto';
import type { Analyzer, EntityType } from '../detection/detection.ts';
import type { SessionId } from '../ids.ts';
import type { Fence, MappingStore } from '../store/store.ts';
import type {
  CallContext,
  CallIdentity,
  Guard,
  RequestDocument,
  RequestOutcome,
  ResponseDocument,
  ResponseOutcome,
  SessionScope,
} from './contract.ts';
import { PseudonymAssignment } from './assignment.ts';
import { SessionErasedError } from './errors.ts';
import { Pseudonyms, lengthen } from './pseudonyms.ts';
import { analyze, decide, editsOf, parse, rewriteRequest } from './request.ts';
import { findPseudonyms, lookUp, restore, unchanged } from './response.ts';
import { sessionOfCall, type CallSession } from './session.ts';
import { syntaxFor, type PseudonymSyntax } from './syntax.ts';

export interface GuardOptions {
  readonly analyzer: Analyzer;
  readonly store: MappingStore;
  /** Secret from which session ids and pseudonyms are derived (`createSecretKey` of at least 16 random bytes); must not change. */
  readonly sessionKey: KeyObject;
  readonly scope: SessionScope;
  /** How many bytes the texts of a restored response may have. Default: 10 MiB, as bodies. */
  readonly maxAnswer?: number;
  /**
   * Entity types of custom recognizers: pseudonyms have their names. Read for each call, because the policy can change.
   * Types that are neither built in nor listed here are called `ENTITY`.
   */
  readonly customTypes?: () => readonly EntityType[];
}

const MAX_ANSWER = 10 * 1024 * 1024;

export function createGuard(options: GuardOptions): Guard {
  return new TextGuard(options);
}

class TextGuard implements Guard {
  private readonly options: GuardOptions;

  constructor(options: GuardOptions) {
    this.options = options;
  }

  sessionOf(identity: CallIdentity): SessionId {
    return this.session(identity).id;
  }

  /** The stages of a request: parse, analyze, decide, pseudonymize, store, rewrite. */
  async request(document: RequestDocument, context: CallContext): Promise<RequestOutcome> {
    const fence = context.fence ?? this.options.store.fence();
    const session = this.session(context.identity);
    const { texts, report, blockedReason } = decide(
      await analyze(parse(document), document.pictureTexts, this.options.analyzer, context),
    );
    const base = { session: session.id, ...report };
    if (blockedReason !== undefined) return { ...base, action: 'BLOCKED', blockedReason };
    const edits = await editsOf(texts, this.syntax());
    if (edits.every((text) => text.edits.length === 0)) return { ...base, action: 'NONE' };
    const assignment = await PseudonymAssignment.of(edits, new Pseudonyms(this.options.sessionKey, session.id));
    if (session.isShared) await this.store(assignment, session, fence);
    return { ...base, action: 'GUARDRAIL_INTERVENED', ...rewriteRequest(document, edits, assignment) };
  }

  /** The stages of a response: find pseudonyms, look up their values, restore. */
  async response(document: ResponseDocument, { identity }: CallContext): Promise<ResponseOutcome> {
    const { store, sessionKey, maxAnswer = MAX_ANSWER } = this.options;
    const session = this.session(identity);
    if (!session.isShared) return unchanged(session.id, document);
    const found = findPseudonyms(document, this.syntax().grammar);
    const values = await lookUp(found, store, session.id, new Pseudonyms(sessionKey, session.id));
    return restore(session.id, document, found, values, maxAnswer);
  }

  private session(identity: CallIdentity): CallSession {
    return sessionOfCall(this.options.sessionKey, identity, this.options.scope);
  }

  private syntax(): PseudonymSyntax {
    return syntaxFor(this.options.customTypes?.() ?? []);
  }

  /** Stores the mapping. A pseudonym that already stands for another value becomes longer. */
  private async store(assignment: PseudonymAssignment, session: CallSession, fence: Fence): Promise<void> {
    const { id, subject } = session;
    for (;;) {
      const result = await this.options.store.put({ session: id, subject, values: assignment.mapping(), fence });
      if (result.kind === 'stored') return;
      if (result.kind === 'erased') throw new SessionErasedError();
      const { taken } = result;
      // Every round makes a code longer, so the rounds end.
      assignment.reassign((entry) => (taken.has(entry.pseudonym) ? lengthen(entry) : entry));
    }
  }
}
