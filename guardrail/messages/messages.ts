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
export { findingFiles } from './files.ts';
export { MAX_NESTING } from './contract.ts';
export { contentPartOf, SCHEMA_MAPS, SIGNATURE_KEYS, type MemberRole } from './contentParts.ts';
export { findingImages, replacingImages } from './images.ts';
export {
  itemsOf,
  JsonError,
  MAX_VALUES,
  memberOf,
  memberText,
  parseDocument,
  parsing,
  stringOf,
  type ArrayNode,
  type Member,
  type Node,
  type ObjectNode,
  type ScalarNode,
  type StringNode,
} from './json/document.ts';
export { escapeJson, unescapeJson } from './json/encoding.ts';
export { JsonStrings, MAX_DEPTH, type SavedStrings, type StringSink } from './json/jsonStrings.ts';
export { namesOf } from './json/names.ts';
export { parsingJsonIn, type ParsedJson, type Segment } from './json/segments.ts';
export { writingJson } from './json/writer.ts';
export { isBinary, isDataUrl, isImageUrl, type Change, type ImageMember } from './media.ts';
export { isAddress, isData, mayBeValue, numberKindAt, readingOf, textKindAt, type MemberPosition } from './roles.ts';
export { visitingMessages, visitingTools } from './messageVisitor.ts';
