/** Messages of JSON-RPC 2.0, as the Model Context Protocol uses them. Pure functions. */
import { type Document, type Member, type Node } from '../bodies/bodies.ts';
import { ProxyError } from '../proxy/proxy.ts';

/** A message, and where it stands. */
export interface RpcMessage {
  readonly kind: 'request' | 'notification' | 'response';
  /** The id as JSON text; undefined for a notification. */
  readonly id: string | undefined;
  /** The message as it stands in the text. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The members by name. */
  readonly members: ReadonlyMap<string, Node>;
}

export interface RpcError {
  readonly code: string;
  /** A sentence for the caller. */
  readonly message: string;
}

/** The names that decide what a message is. Two of one name could be read in different ways. */
const ENVELOPE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/**
 * Reads a message, or a list of them, which protocol versions before 2025-06-18 allow.
 * @throws ProxyError
 */
export function messagesIn({ text, root }: Document): RpcMessage[] {
  const nodes = root.kind === 'array' ? root.items : [root];
  if (nodes.length === 0) throw new ProxyError('invalid_message');
  return nodes.map((node) => messageOf(text, node));
}

/** Whether a JSON text has a message, or a list of them. An error of an authorization server has none. */
export function isRpc({ root }: Document): boolean {
  const [first = root] = root.kind === 'array' ? root.items : [];
  return first.kind === 'object' && first.members.some(({ name }) => name.value === 'jsonrpc');
}

/** @param id as JSON text; undefined: it is not known which message has failed */
export function errorMessage(id: string | undefined, { code, message }: RpcError): string {
  const error = { code: RPC_CODES.get(code) ?? GUARDRAIL_ERROR, message, data: { code } };
  return `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${JSON.stringify(error)}}`;
}

/** In the range that JSON-RPC leaves to servers; MCP and its SDKs use others. */
const GUARDRAIL_ERROR = -32_050;
const RPC_CODES: ReadonlyMap<string, number> = new Map([
  ['invalid_json', -32_700],
  ['invalid_encoding', -32_700],
  ['invalid_message', -32_600],
  ['internal_error', -32_603],
]);

function messageOf(text: string, node: Node): RpcMessage {
  if (node.kind !== 'object') throw new ProxyError('invalid_message');
  const members = new Map(node.members.map(({ name, node: value }: Member) => [name.value, value]));
  const [version, id, method] = ['jsonrpc', 'id', 'method'].map((name) => members.get(name));
  const isRepeated = [...(node.repeated ?? [])].some((name) => ENVELOPE.has(name));
  if (isRepeated || version?.kind !== 'string' || version.value !== '2.0') throw new ProxyError('invalid_message');
  const hasId = id?.kind === 'string' || (id?.kind === 'scalar' && typeof id.value !== 'boolean');
  if (id && !hasId) throw new ProxyError('invalid_message');
  const isResponse = members.has('result') || members.has('error');
  // An error that belongs to no request has no id.
  const isWhole = isResponse ? method === undefined && (hasId || members.has('error')) : method?.kind === 'string';
  if (!isWhole) throw new ProxyError('invalid_message');
  return {
    kind: isResponse ? 'response' : hasId ? 'request' : 'notification',
    id: id && text.slice(id.start, id.end),
    text: text.slice(node.start, node.end),
    ...{ start: node.start, end: node.end, members },
  };
}
