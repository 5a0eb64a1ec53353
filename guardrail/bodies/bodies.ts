/** Pseudonymizes and restores whole bodies of model APIs. Pure functions over bytes and a guard; no sockets. */
export { BLOCKED_CODE, errorBodyOf, errorEventOf, type ApiError, type ErrorBody } from './apiErrors.ts';
export type { Api, ByteStream, GuardedBody, RequestBody, RestoredBody } from './contract.ts';
export { readingEndUsers, strip, withJson, type EndUsers } from './endUser.ts';
export { BodyError, UnreadableAnswerError, type BodyProblem } from './errors.ts';
export { memberText, JsonError, parseDocument, parsing, type Member, type Node } from '../messages/messages.ts';
export { applyingEdits, type Edit } from './json/edits.ts';
export { leavingOutSchemas, mcpMessage } from './mcpMessage.ts';
export { guardBody } from './request/guardBody.ts';
export { generic, operationOf, type Operation } from './operations.ts';
export { restoreBody } from './restoreBody.ts';
export { isStream, restoreStream } from './restoreStream.ts';
export type { Frame } from './stream/frames.ts';
export { SseFramer } from './stream/sse.ts';
export { decodeUtf8, documentIn, readingJson, type Document } from './text.ts';
