/** The structure of LLM messages: content parts, and the texts, images and files in them. */
export {
  DocumentTooDeepError,
  isObject,
  type Json,
  type JsonObject,
  type MessageField,
  type MessageVisitor,
  type TextKind,
} from './contract.ts';
export { hasFiles } from './files.ts';
export { MAX_NESTING } from './contract.ts';
export { contentPartOf, SCHEMA_MAPS, SIGNATURE_KEYS, type MemberRole } from './contentParts.ts';
export { imagesIn, withImages } from './images.ts';
export { escapeJson, unescapeJson } from './json/encoding.ts';
export { JsonStrings, MAX_DEPTH, readingJsonDepths, type SavedStrings, type StringSink } from './json/jsonStrings.ts';
export { parsingJsonIn, type ParsedJson, type Segment } from './json/segments.ts';
export { isBinary, isDataUrl, isImageUrl, type ImageMember } from './media.ts';
export { isAddress, isData, mayBeValue, numberKindAt, readingOf, textKindAt, type MemberPosition } from './roles.ts';
export { visitMessages, visitTools } from './messageVisitor.ts';
