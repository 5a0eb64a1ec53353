/**
 * A message of a server of the Model Context Protocol: where its texts, images and files are. A result is read by the
 * names of its members, because the request that it answers can be one of another connection.
 * @see https://modelcontextprotocol.io/specification/2025-06-18/schema
 */
import { itemsOf, memberOf, type Node, parsing } from '../messages/messages.ts';
import type { Steps } from '../eventLoop.ts';
import { applyingEdits } from './json/edits.ts';
import type { Operation } from './operations.ts';
import { rolesOf, type BodyRole } from './roles.ts';
import type { InnerBodies } from './source.ts';

/** Members of the message. */
const ENVELOPE = rolesOf({ opaque: 'jsonrpc id method', text: 'result params error' });

/**
 * Members of `result`, `params` and `error`. All others are free-form: resources, prompts, structured content, the data
 * of logs and errors, and whatever is not known.
 */
const CONTENT = rolesOf({
  text: 'content contents messages description instructions systemPrompt message reason title task tasks',
  // The model calls tools by their names, and their parameters by those in the schema.
  tools: 'tools requestedSchema',
  // Keywords, numbers and ids of the protocol. One with white space or @ is checked as text.
  opaque:
    'protocolVersion capabilities serverInfo isError code level progressToken progress total requestId hasMore ' +
    'modelPreferences includeContext temperature maxTokens toolChoice role model stopReason mode elicitationId ' +
    'taskId status resultType',
});

/** Members of a task. */
const TASK = rolesOf({ opaque: 'taskId status createdAt lastUpdatedAt ttl pollInterval' });

/** Members with objects of keywords, and `hints` in `modelPreferences`. */
const KEYWORDS: ReadonlySet<string> = new Set(['capabilities', 'modelPreferences', 'hints', 'toolChoice']);

/** One message of a server, request, notification or response. */
export const mcpMessage: Operation = {
  name: 'mcp',
  api: 'unknown',
  members: ENVELOPE,
  innerOf: contentOf,
  // A resource that a tool embeds: its blob is a file.
  structure: new Set(['resource']),
  opaqueObjects: KEYWORDS,
};

function contentOf(root: Node): InnerBodies {
  const nodes = ['result', 'params', 'error'].flatMap((name) => memberOf(root, name) ?? []);
  const tasks = nodes.flatMap((node) => [memberOf(node, 'task') ?? [], itemsOf(memberOf(node, 'tasks'))].flat());
  return new Map<Node, ReadonlyMap<string, BodyRole>>([
    ...nodes.map((node) => [node, CONTENT] as const),
    ...tasks.map((node) => [node, TASK] as const),
  ]);
}

/**
 * Replaces the schemas of what tools return, in the list of tools, by one that accepts every object: a client that checks
 * results would refuse a pseudonym where the schema wants an email address or a number. In steps.
 * @throws JsonError
 */
export function* leavingOutSchemas(message: string): Steps<string> {
  if (!message.includes('"outputSchema"')) return message;
  const { root } = yield* parsing(message);
  const tools = itemsOf(memberOf(memberOf(root, 'result'), 'tools'));
  const edits = tools.flatMap((tool) => {
    const schema = memberOf(tool, 'outputSchema');
    return schema ? [{ start: schema.start, end: schema.end, text: '{"type":"object"}' }] : [];
  });
  return yield* applyingEdits(message, edits);
}
