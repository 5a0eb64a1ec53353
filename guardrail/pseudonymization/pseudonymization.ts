/** Replaces personal data by pseudonyms before a model call, and restores it in the response. */
export type { Json } from '../messages/messages.ts';
export { unchangedAnswer } from './answerStream.ts';
export { MAX_CARRY } from './contract.ts';
export type {
  AnswerCounts,
  AnswerStream,
  CallContext,
  CallerSettings,
  CallIdentity,
  EntityCount,
  Guard,
  ImageMask,
  ImageText,
  Passage,
  PieceOutcome,
  PseudonymCounts,
  RequestDocument,
  RequestOutcome,
  ResponseDocument,
  ResponseOutcome,
  SessionScope,
  TextPiece,
  TextStream,
} from './contract.ts';
export { InvalidCarryError, ResponseTooLargeError, SessionErasedError } from './errors.ts';
export { createGuard, type GuardOptions } from './guard.ts';
export { CODE_ALPHABET } from './pseudonyms.ts';
export { mayHavePseudonyms } from './grammar.ts';
export { mayBeginAddress } from './joinedTexts.ts';
export { AFTER_ALL, BEFORE_ALL, numberOfMessage } from './messageNumbers.ts';
export { showing } from './labels.ts';
export { refuse } from './refuse.ts';
export { countEntities } from './request.ts';
export { deriveSession, deriveSubject, isSessionOf, sessionOfCall } from './session.ts';
