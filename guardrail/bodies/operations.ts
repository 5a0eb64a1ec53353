/** The operations of model APIs. A row says what is special to an operation; everything else is shared. */
import type { Node } from '../messages/messages.ts';
import type { Api } from './contract.ts';
import type { InnerBodies } from './source.ts';
import { rolesOf, type BodyRole, type BodyRoles } from './roles.ts';

/** An operation of a model API, such as POST /v1/chat/completions. */
export interface Operation {
  readonly name: string;
  readonly api: Api;
  /** Roles of the members of a JSON body, and of the fields of a form. All others have the role `free`. */
  readonly members: ReadonlyMap<string, BodyRole>;
  /** The operation takes no body. */
  readonly hasNoBody?: boolean;
  /** The operation reaches no model, although it is a POST. */
  readonly isControl?: boolean;
  /** Objects in a request that are bodies of their own, with the roles of their members. */
  readonly innerOf?: (root: Node) => InnerBodies;
  /** Members with objects without a type that are parts of messages, besides those of all APIs. */
  readonly structure?: ReadonlySet<string>;
  /**
   * The body is written by a server, so that a name of the API can have any value: these are the opaque members in which the
   * API has objects or lists, and nothing in definitions of tools is for a provider. undefined: a client writes the body.
   */
  readonly opaqueObjects?: ReadonlySet<string>;
  /** The operation whose bodies are in `requests[].params`. */
  readonly batchOf?: string;
  /** Files of JSON lines are batches or examples for fine-tuning, and are checked line by line. */
  readonly takesLines?: boolean;
  /** An answer with another content type than JSON can be such a file. */
  readonly answersLines?: boolean;
  /** A JSON answer is an array whose elements arrive one by one, and continue each other's texts. */
  readonly answersArray?: boolean;
}

interface Row extends Omit<Operation, 'members' | 'api' | 'hasNoBody'> {
  /** `GET` and `DELETE` take no body. */
  readonly method: string;
  /** The path behind the prefixes of the API. */
  readonly path: RegExp;
  readonly members?: BodyRoles;
}

/** Options that are never changed: numbers, booleans and keywords of the APIs. */
const OPTIONS: BodyRoles = {
  opaque:
    'stream store background n seed temperature top_p top_k top_logprobs logprobs best_of echo dimensions max_tokens ' +
    'max_completion_tokens max_output_tokens max_tool_calls frequency_penalty presence_penalty parallel_tool_calls ' +
    'encoding_format speed output_compression partial_images top_n return_documents max_chunks_per_doc',
};

/** Members of every request to OpenAI's API. */
const OPENAI: BodyRoles = {
  // The gateway books the call on them.
  endUser: 'user safety_identifier',
  // Names of models, keywords, and ids that the API issued.
  opaque: 'model service_tier previous_response_id conversation prompt_cache_retention',
  customer: 'metadata litellm_metadata',
};
const IMAGE_OPTIONS = 'background moderation output_format quality response_format size style input_fidelity';

const OPENAI_ROWS: readonly Row[] = [
  {
    ...{ name: 'chat.completions', method: 'POST', path: /^chat\/completions$/ },
    members: {
      text: 'messages stop prediction audio',
      tools: 'tools functions response_format',
      opaque: 'tool_choice function_call modalities reasoning_effort verbosity logit_bias stream_options',
    },
  },
  { name: 'chat.completions.list', method: 'GET', path: /^chat\/completions$/ },
  { name: 'chat.completions.get', method: 'GET', path: /^chat\/completions\/[^/]+(?:\/messages)?$/ },
  { name: 'chat.completions.update', method: 'POST', path: /^chat\/completions\/[^/]+$/ },
  { name: 'chat.completions.delete', method: 'DELETE', path: /^chat\/completions\/[^/]+$/ },
  {
    ...{ name: 'completions', method: 'POST', path: /^completions$/ },
    members: { text: 'prompt suffix stop', opaque: 'logit_bias stream_options' },
  },
  {
    ...{ name: 'responses', method: 'POST', path: /^responses(?:\/compact|\/input_tokens)?$/ },
    members: {
      text: 'input instructions',
      free: 'prompt',
      tools: 'tools text',
      opaque: 'tool_choice include truncation reasoning stream_options',
    },
  },
  { name: 'responses.get', method: 'GET', path: /^responses\/[^/]+(?:\/input_items)?$/ },
  { name: 'responses.delete', method: 'DELETE', path: /^responses\/[^/]+$/ },
  { name: 'responses.cancel', method: 'POST', path: /^responses\/[^/]+\/cancel$/, isControl: true },
  {
    name: 'conversations',
    method: 'POST',
    path: /^conversations(?:\/[^/]+(?:\/items)?)?$/,
    members: { text: 'items' },
  },
  { name: 'conversations.get', method: 'GET', path: /^conversations\/[^/]+(?:\/items(?:\/[^/]+)?)?$/ },
  { name: 'conversations.delete', method: 'DELETE', path: /^conversations\/[^/]+(?:\/items\/[^/]+)?$/ },
  {
    ...{ name: 'embeddings', method: 'POST', path: /^embeddings$/ },
    members: { plain: 'input' },
  },
  { name: 'moderations', method: 'POST', path: /^moderations$/, members: { text: 'input' } },
  {
    ...{ name: 'images.generations', method: 'POST', path: /^images\/generations$/ },
    members: { text: 'prompt', opaque: IMAGE_OPTIONS },
  },
  {
    ...{ name: 'images.edits', method: 'POST', path: /^images\/(?:edits|variations)$/ },
    members: { text: 'prompt', opaque: IMAGE_OPTIONS },
  },
  {
    ...{ name: 'audio.speech', method: 'POST', path: /^audio\/speech$/ },
    members: { text: 'input instructions', opaque: 'response_format stream_format' },
  },
  {
    ...{ name: 'audio.transcriptions', method: 'POST', path: /^audio\/(?:transcriptions|translations)$/ },
    members: { text: 'prompt', opaque: 'language response_format' },
  },
  {
    ...{ name: 'files', method: 'POST', path: /^files$/, takesLines: true },
    members: { opaque: 'purpose custom_llm_provider target_model_names' },
  },
  { name: 'files.get', method: 'GET', path: /^files(?:\/[^/]+(?:\/content)?)?$/, answersLines: true },
  { name: 'files.delete', method: 'DELETE', path: /^files\/[^/]+$/ },
  {
    ...{ name: 'batches', method: 'POST', path: /^batches$/ },
    // The file was checked when it was uploaded.
    members: { opaque: 'input_file_id endpoint completion_window' },
  },
  { name: 'batches.get', method: 'GET', path: /^batches(?:\/[^/]+)?$/ },
  { name: 'batches.cancel', method: 'POST', path: /^batches\/[^/]+\/cancel$/, isControl: true },
  { name: 'rerank', method: 'POST', path: /^(?:v2\/)?rerank$/, members: { text: 'query', plain: 'documents' } },
  { name: 'models', method: 'GET', path: /^models(?:\/.+)?$/ },
];

const ANTHROPIC: BodyRoles = {
  text: 'messages system stop_sequences',
  tools: 'tools output_format output_config',
  // Addresses of servers that the provider calls, with their credentials.
  kept: 'mcp_servers',
  opaque: 'model tool_choice service_tier container context_management betas',
  customer: 'metadata litellm_metadata',
};

const ANTHROPIC_ROWS: readonly Row[] = [
  { name: 'messages', method: 'POST', path: /^messages$/, members: ANTHROPIC },
  { name: 'messages.count_tokens', method: 'POST', path: /^messages\/count_tokens$/, members: ANTHROPIC },
  {
    ...{ name: 'messages.batches', method: 'POST', path: /^messages\/batches$/, batchOf: 'messages' },
    members: { text: 'requests' },
  },
  {
    ...{ name: 'messages.batches.get', method: 'GET', answersLines: true },
    path: /^messages\/batches(?:\/[^/]+(?:\/results)?)?$/,
  },
  { name: 'messages.batches.cancel', method: 'POST', path: /^messages\/batches\/[^/]+\/cancel$/, isControl: true },
  { name: 'messages.batches.delete', method: 'DELETE', path: /^messages\/batches\/[^/]+$/ },
];

const GEMINI: BodyRoles = {
  text: 'contents content systemInstruction system_instruction requests generateContentRequest title',
  tools: 'tools generationConfig generation_config',
  opaque: 'model cachedContent cached_content taskType task_type toolConfig tool_config safetySettings safety_settings',
};

const GEMINI_ROWS: readonly Row[] = [
  {
    name: 'generateContent',
    method: 'POST',
    path: /^(?:tunedM|m)odels\/.+:(?:generateContent|countTokens|embedContent|batchEmbedContents)$/,
    members: GEMINI,
  },
  {
    name: 'streamGenerateContent',
    method: 'POST',
    path: /^(?:tunedM|m)odels\/.+:streamGenerateContent$/,
    members: GEMINI,
    answersArray: true,
  },
  { name: 'models', method: 'GET', path: /^(?:tunedM|m)odels(?:\/.+)?$/ },
];

const OPERATIONS = [
  ...rowsOf(
    'openai',
    /^\/(?:(?:openai|azure)\/){0,2}(?:deployments\/[^/]+\/|engines\/[^/]+\/)?(?:v1\/)?/,
    OPENAI_ROWS,
    OPENAI,
  ),
  ...rowsOf('anthropic', /^\/(?:anthropic\/)?(?:v1\/)?/, ANTHROPIC_ROWS),
  ...rowsOf(
    'gemini',
    /^\/(?:gemini\/|google\/|vertex_ai\/)?(?:v1(?:alpha|beta)?1?\/)?(?:projects\/[^:]+\/)?(?=(?:tunedM|m)odels\b)/,
    GEMINI_ROWS,
  ),
];

interface PathOperation extends Operation {
  readonly method: string;
  readonly prefix: RegExp;
  readonly path: RegExp;
}

function rowsOf(api: Api, prefix: RegExp, rows: readonly Row[], shared: BodyRoles = {}): PathOperation[] {
  return rows.map(({ members = {}, ...row }) => ({
    ...row,
    api,
    // Some servers ignore the case of paths. They must not take a request for a known operation that was not checked as one.
    prefix: new RegExp(prefix, 'i'),
    path: new RegExp(row.path, 'i'),
    members: new Map([...rolesOf(OPTIONS), ...rolesOf(shared), ...rolesOf(members)]),
    hasNoBody: row.method !== 'POST',
  }));
}

/** The operation of a path that is not known: every string of a JSON body is a text. */
export const generic: Operation = { name: 'generic', api: 'unknown', members: new Map() };

/**
 * @param path the path of the URL, without the query, normalized and decoded
 * @returns undefined if the path is not known
 */
export function operationOf(method: string, path: string): Operation | undefined {
  return OPERATIONS.find(
    (row) => row.method === method && row.prefix.test(path) && row.path.test(path.replace(row.prefix, '')),
  );
}

/** @returns the roles of the members of an operation; none if it is not known */
export function rolesOfOperation(name: string | undefined): ReadonlyMap<string, BodyRole> {
  return OPERATIONS.find((row) => row.name === name)?.members ?? new Map<string, BodyRole>();
}
