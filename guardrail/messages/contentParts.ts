/**
 * The table of content parts of LLM messages, shared by pseudonymization, restore, images and files.
 *
 * The row of a type gives the roles of its members. {@link generalRole} gives the roles of members without an entry.
 * {@link unknownRole} gives the roles in a part of an unknown type: everything except ids and signatures is visited.
 */
import type { Json } from './contract.ts';

/** What a member of an object in a message contains. */
export type MemberRole =
  /** Text that the model reads, or further objects. */
  | 'text'
  /** The model's own text, which its provider may have signed. */
  | 'thought'
  /** JSON, as text or as an object. Strings, numbers and keys are all checked. */
  | 'json'
  /** Data of a tool: text, or an object in which strings, numbers and keys are all checked. */
  | 'data'
  /** Text, content parts, or an object without a type, which is data of a tool. */
  | 'content'
  /** Tool definitions and JSON Schema. */
  | 'tools'
  | 'image'
  /** A file, a recording or a video, or a reference to one. */
  | 'file'
  /** Base64 if the object has a media type; otherwise text, base64 or a data URL, depending on the value. */
  | 'payload'
  /** A URL. Pseudonymized like text, but never restored, because a client may load it. */
  | 'address'
  /** Ids, signatures and keywords of the protocol. Never changed. */
  | 'opaque';

export interface ContentPart {
  readonly members: ReadonlyMap<string, MemberRole>;
  /** The part is an image. If no member contains it, the image is in an unknown form. */
  readonly isImage: boolean;
}

/** Names of members, separated by spaces, by role. */
type Roles = Partial<Record<MemberRole, string>>;

function part(roles: Roles = {}, isImage = false): ContentPart {
  const members = Object.entries(roles).flatMap(([role, names]) =>
    names.split(' ').map((name): [string, MemberRole] => [name, role as MemberRole]),
  );
  return { members: new Map(members), isImage };
}

/** Rows of several types with the same roles. */
function parts(types: string, roles: Roles = {}): Record<string, ContentPart> {
  return Object.fromEntries(types.split(' ').map((type) => [type, part(roles)]));
}

/**
 * OpenAI chat completions: `messages[].content[]`, `tool_calls[]`, `annotations[]`.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
const OPENAI_CHAT = {
  // Also Anthropic's text block and plain-text source (`data`), and MCP's text.
  text: part({ text: 'text data' }),
  image_url: part({ image: 'image_url' }, true),
  input_audio: part({ file: 'input_audio' }),
  file: part({ file: 'file file_data file_id file_url' }),
  // Also a stop reason and a format.
  refusal: part({ text: 'refusal explanation' }),
  // A tool call, whose `function.arguments` is JSON. Also a tool definition and a tool choice.
  function: part({ text: 'function description', tools: 'parameters output_schema', opaque: 'name' }),
  custom: part({ text: 'custom description', tools: 'input_schema format', opaque: 'name skill_id' }),
  url_citation: part({ text: 'url_citation title', address: 'url' }),
} satisfies Record<string, ContentPart>;

/**
 * OpenAI responses: items of `input` and `output`, and their content.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
const OPENAI_RESPONSES = {
  ...parts('message', { content: 'content' }),
  ...parts('input_text output_text summary_text reasoning_text', { text: 'text annotations' }),
  input_image: part({ image: 'image_url file_id' }, true),
  input_file: part({ text: 'filename', file: 'file_data file_id file_url' }),
  computer_screenshot: part({ image: 'image_url file_id' }, true),
  // `result` is null until the image exists, so the part is not marked as an image.
  image_generation_call: part({ image: 'result' }),
  reasoning: part({ text: 'summary', content: 'content', opaque: 'encrypted_content' }),
  ...parts('compaction', { content: 'content', opaque: 'encrypted_content' }),
  ...parts('compaction_trigger item_reference', { opaque: 'id' }),
  ...parts('function_call mcp_call mcp_approval_request tool_search_call', {
    json: 'arguments',
    data: 'output',
    text: 'error',
    opaque: 'name call_id',
  }),
  mcp_approval_response: part({ text: 'reason', opaque: 'approval_request_id' }),
  mcp_list_tools: part({ tools: 'tools', text: 'error' }),
  ...parts('tool_search_output additional_tools', { tools: 'tools' }),
  custom_tool_call: part({ data: 'input', opaque: 'name call_id namespace' }),
  ...parts('function_call_output custom_tool_call_output computer_call_output local_shell_call_output', {
    data: 'output',
    opaque: 'call_id',
  }),
  ...parts('shell_call_output apply_patch_call_output', { data: 'output', opaque: 'call_id' }),
  ...parts('computer_call local_shell_call shell_call apply_patch_call', {
    text: 'action actions operation',
    opaque: 'call_id',
  }),
  program: part({ text: 'code', opaque: 'call_id caller_id fingerprint' }),
  program_output: part({ text: 'result', opaque: 'call_id caller_id' }),
  web_search_call: part({ text: 'action' }),
  file_search_call: part({ text: 'queries results' }),
  code_interpreter_call: part({ text: 'code outputs', opaque: 'container_id' }),
  logs: part({ text: 'logs' }),
  ...parts('file_citation file_path container_file_citation', { text: 'filename', opaque: 'file_id container_id' }),
  // Actions of a computer, a shell, a search or a patch.
  ...parts('click double_click drag keypress move screenshot scroll wait direct', { opaque: 'button keys path' }),
  type: part({ text: 'text' }),
  exec: part({ text: 'command env user working_directory' }),
  ...parts('exit timeout'),
  ...parts('search open_page find find_in_page', { text: 'query queries sources pattern', address: 'url' }),
  ...parts('create_file update_file delete_file', { text: 'path diff' }),
  ...parts('local container_reference skill_reference', { text: 'skills', opaque: 'container_id skill_id version' }),
  ...parts('namespace', { text: 'description', tools: 'tools', opaque: 'name' }),
} satisfies Record<string, ContentPart>;

/**
 * Anthropic messages, with the beta API: content blocks, sources, results and citations.
 * @see https://docs.anthropic.com/en/api/messages
 */
const ANTHROPIC = {
  // Also MCP's image (`data` and `mimeType`) and an output of OpenAI's code interpreter (`url`).
  image: part({ image: 'source url file_id' }, true),
  document: part({ text: 'title context', file: 'source' }),
  container_upload: part({ file: 'file_id' }),
  search_result: part({ text: 'title source', content: 'content' }),
  thinking: part({ thought: 'thinking', opaque: 'signature' }),
  redacted_thinking: part({ opaque: 'data' }),
  ...parts('tool_use server_tool_use mcp_tool_use', { data: 'input', opaque: 'id name server_name' }),
  ...parts('tool_result mcp_tool_result', { content: 'content', opaque: 'tool_use_id' }),
  ...parts(
    'web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result ' +
      'text_editor_code_execution_tool_result tool_search_tool_result advisor_tool_result',
    { content: 'content', opaque: 'tool_use_id' },
  ),
  ...parts('web_search_result web_fetch_result', {
    text: 'title',
    content: 'content',
    address: 'url',
    opaque: 'encrypted_content',
  }),
  ...parts('code_execution_result bash_code_execution_result', { text: 'stdout stderr', content: 'content' }),
  encrypted_code_execution_result: part({ text: 'stderr', content: 'content', opaque: 'encrypted_stdout' }),
  // Files that the tool wrote. The model sees only their ids.
  ...parts('code_execution_output bash_code_execution_output', { opaque: 'file_id' }),
  text_editor_code_execution_view_result: part({ text: 'content' }),
  text_editor_code_execution_create_result: part(),
  text_editor_code_execution_str_replace_result: part({ text: 'lines' }),
  tool_search_tool_search_result: part({ text: 'tool_references' }),
  ...parts('tool_reference mcp_tool_reference mcp_toolset_reference', { opaque: 'tool_name name server_name' }),
  ...parts('tool_addition tool_removal', { tools: 'tool' }),
  tool_definition: part({ tools: 'definition' }),
  mcp_tool_listing: part({ tools: 'tools', opaque: 'mcp_server_name' }),
  ...parts(
    'web_search_tool_result_error web_fetch_tool_result_error code_execution_tool_result_error ' +
      'bash_code_execution_tool_result_error text_editor_code_execution_tool_result_error ' +
      'tool_search_tool_result_error advisor_tool_result_error unavailable',
    { text: 'error_message', opaque: 'error_code' },
  ),
  advisor_result: part({ text: 'text' }),
  advisor_redacted_result: part({ opaque: 'encrypted_content' }),
  fallback: part(),
  browser_state: part({ text: 'tabs state_changes' }),
  ...parts('download_started download_completed download_failed tab_opened', { text: 'path error', address: 'url' }),
  ...parts('char_location page_location content_block_location', {
    text: 'cited_text document_title',
    opaque: 'file_id',
  }),
  ...parts('web_search_result_location search_result_location', {
    text: 'cited_text title source',
    address: 'url',
    opaque: 'encrypted_index',
  }),
  // Sources of images and documents. The type of the enclosing part distinguishes the two.
  base64: part({ payload: 'data' }),
  url: part({ opaque: 'url' }),
  content: part({ content: 'content' }),
  ...parts('code_execution_20250825 code_execution_20260120', { opaque: 'tool_id' }),
  ephemeral: part({ opaque: 'ttl' }),
} satisfies Record<string, ContentPart>;

/**
 * Content that tools return by the Model Context Protocol.
 * @see https://modelcontextprotocol.io/specification/2025-06-18/server/tools
 */
const MCP = {
  audio: part({ payload: 'data' }),
  resource: part({ text: 'resource' }),
  resource_link: part({ text: 'uri name title description' }),
} satisfies Record<string, ContentPart>;

/** Parts that gateways add: video, sound and reasoning of LiteLLM and OpenRouter. */
const GATEWAYS = {
  audio_url: part({ file: 'audio_url' }),
  video_url: part({ file: 'video_url' }),
  input_video: part({ file: 'input_video video_url' }),
  'reasoning.text': part({ text: 'text', opaque: 'signature' }),
  'reasoning.summary': part({ text: 'summary' }),
  'reasoning.encrypted': part({ opaque: 'data' }),
} satisfies Record<string, ContentPart>;

/** Objects with a type in a request body, outside of its messages. */
const OPTIONS = {
  ...parts('tool mcp allowed_tools', { tools: 'tools', opaque: 'name server_label' }),
  json_schema: part({ tools: 'json_schema schema', opaque: 'name' }),
  ...parts('json_object auto any none enabled disabled adaptive grammar', { opaque: 'syntax' }),
} satisfies Record<string, ContentPart>;

const TABLE: ReadonlyMap<string, ContentPart> = new Map<string, ContentPart>([
  ...Object.entries(OPTIONS),
  ...Object.entries(GATEWAYS),
  ...Object.entries(MCP),
  ...Object.entries(ANTHROPIC),
  ...Object.entries(OPENAI_RESPONSES),
  ...Object.entries(OPENAI_CHAT),
]);

/** The row of a type; undefined if the table has none. */
export function contentPartOf(type: string): ContentPart | undefined {
  return TABLE.get(type);
}

/** Names of the members for media in Gemini and MCP: a media type, with base64 or an address. */
export const MEDIA_TYPE_KEYS = ['media_type', 'mime_type', 'mimeType'] as const;
export const MEDIA_BASE64_KEYS = ['data', 'blob'] as const;
export const MEDIA_ADDRESS_KEYS = ['file_uri', 'fileUri'] as const;

/** Names of members with a provider's signature. It signs the text in the same object. */
export const SIGNATURE_KEYS = [
  'signature',
  'thought_signature',
  'thought_signatures',
  'thoughtSignature',
  'response_thought_signature',
] as const;

function rolesOf(roles: Roles): ReadonlyMap<string, MemberRole> {
  return part(roles).members;
}

/** Members with the same meaning in every object. */
const EVERYWHERE = rolesOf({
  opaque: `type role id cache_control ${[...SIGNATURE_KEYS, ...MEDIA_TYPE_KEYS, ...MEDIA_ADDRESS_KEYS].join(' ')}`,
  json: 'arguments',
  thought: 'thinking',
  data: 'input args output response json',
  content: 'content',
  tools: 'tools functions json_schema input_schema',
  image: 'image_url',
  file: 'input_audio file_data',
  payload: MEDIA_BASE64_KEYS.join(' '),
  address: 'url',
});

/**
 * Members of objects without a type, and of known parts. `name` is the name of a function, or of a participant (only
 * letters, digits, _ and -).
 */
const GENERAL = rolesOf({ opaque: 'status model object phase format detail finish_reason stop_reason name' });

/** Members of parts with an unknown type. */
const UNKNOWN = rolesOf({ file: 'file_id file_url audio_url video_url input_video' });

/** The role of a member in an object without a type, or of a member without an entry in the row of its part. */
export function generalRole(key: string): MemberRole {
  return EVERYWHERE.get(key) ?? GENERAL.get(key) ?? (isIdentifier(key) ? 'opaque' : 'text');
}

/** The role of a member of a part with an unknown type. */
export function unknownRole(key: string): MemberRole {
  return EVERYWHERE.get(key) ?? UNKNOWN.get(key) ?? (isIdentifier(key) ? 'opaque' : 'payload');
}

/** Whether a member is an identifier. Providers reject or misinterpret a request with a changed identifier. */
function isIdentifier(key: string): boolean {
  return key.endsWith('_id') || key.startsWith('encrypted_');
}

/** Members of tool definitions that are never changed: names and JSON Schema keywords. All others are text. */
export const UNCHANGED_IN_TOOLS: ReadonlySet<string> = new Set([
  ...['name', 'type', 'format', 'pattern', 'strict', 'cache_control', 'id', 'server_url', 'authorization'],
  ...['$ref', '$id', '$schema', '$anchor', '$dynamicRef', '$dynamicAnchor'],
]);

/** Members of JSON Schema whose members have names of the client: `{"properties": {"default": {…}}}`. */
export const SCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

export function isImageType(type: Json | undefined): boolean {
  return typeof type === 'string' && /^\s*image\//i.test(type);
}
