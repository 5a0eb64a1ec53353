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
export { imagesIn, withImages } from './images.ts';
export { escapeJson, unescapeJson } from './json/encoding.ts';
export { jsonDepths, JsonStrings } from './json/jsonStrings.ts';
export { parseJsonIn, type ParsedJson, type Segment } from './json/segments.ts';
export { visitMessages, visitTools } from './messageVisitor.ts';
