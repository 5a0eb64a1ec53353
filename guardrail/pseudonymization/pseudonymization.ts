/** Replaces personal data by pseudonyms before a model call, and restores it in the response. */
export type { Json } from '../messages/messages.ts';
export type {
  CallContext,
  CallerSettings,
  CallIdentity,
  EntityCount,
  Guard,
  RequestDocument,
  RequestOutcome,
  ResponseDocument,
  ResponseOutcome,
  SessionScope,
} from './contract.ts';
export { ResponseTooLargeError, SessionErasedError } from './errors.ts';
export { createGuard, type GuardOptions } from './guard.ts';
export { CODE_ALPHABET } from './pseudonyms.ts';
export { refuse } from './refuse.ts';
export { deriveSession, deriveSubject, isSessionOf, sessionOfCall } from './session.ts';
