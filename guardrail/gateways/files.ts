import {
  isImageType,
  MEDIA_ADDRESS_KEYS,
  MEDIA_BASE64_KEYS,
  MEDIA_TYPE_KEYS,
  type Json,
} from '../pseudonymization/pseudonymization.ts';

type JsonObject = Record<string, Json>;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const holds = (value: Json | undefined, ...names: string[]): boolean =>
  isObject(value) && names.some((name) => value[name] !== undefined && value[name] !== null);

/**
 * Content parts that hold a file, a recording or the way to one, by their type: as they are called by OpenAI's chat and
 * responses, by Anthropic, and by gateways that hand video and sound on. One counts with its content alone: a tool may
 * well say `{"type":"file"}` of something else.
 */
const FILE_PARTS: Readonly<Record<string, (part: JsonObject) => boolean>> = {
  file: (part) => holds(part.file, 'file_data', 'file_id', 'file_url') || holds(part, 'file_data', 'file_id'),
  input_file: (part) => holds(part, 'file_data', 'file_id', 'file_url'),
  // A document can also be text, or content parts, which are read like any other.
  document: ({ source }) => isObject(source) && source.type !== 'text' && source.type !== 'content',
  container_upload: (part) => holds(part, 'file_id'),
  input_audio: (part) => holds(part, 'input_audio'),
  audio_url: (part) => holds(part, 'audio_url'),
  video_url: (part) => holds(part, 'video_url'),
  input_video: (part) => holds(part, 'input_video', 'video_url'),
};

/**
 * What is given by its media type alone, as Gemini and MCP do it: base64 or an address, of what is no image. Text by its
 * address cannot be looked into either.
 */
function isMedia(part: JsonObject): boolean {
  const types = MEDIA_TYPE_KEYS.map((key) => part[key]).filter((type) => typeof type === 'string');
  if (types.length === 0 || types.some(isImageType)) return false;
  if (holds(part, ...MEDIA_ADDRESS_KEYS)) return true;
  return holds(part, ...MEDIA_BASE64_KEYS) && part.type !== 'text';
}

/** Whether there is, anywhere in the messages, a file or a recording: what reaches the model and cannot be looked into. */
export function holdsFiles(messages: readonly Json[]): boolean {
  const open: Json[] = [...messages];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (isObject(value)) {
      if (isMedia(value)) return true;
      const { type } = value;
      if (typeof type === 'string' && Object.hasOwn(FILE_PARTS, type) && FILE_PARTS[type]?.(value)) return true;
    }
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return false;
}
