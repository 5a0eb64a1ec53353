/** The way of a client's messages to the server: pseudonyms become values. */
import { applyingEdits, documentIn, readingJson, type Edit, type Node } from '../bodies/bodies.ts';
import { inSlices } from '../eventLoop.ts';
import { recordAction, recordToolPseudonyms } from '../http/http.ts';
import { showing, type PseudonymCounts } from '../pseudonymization/pseudonymization.ts';
import type { McpCall, McpOptions } from './call.ts';
import { messagesIn, type RpcMessage } from './rpc.ts';

export interface RestoredMessages {
  readonly body: Buffer;
  readonly messages: readonly RpcMessage[];
}

/**
 * Restores the parameters of requests and notifications, and the answers to requests of the server. Values stay JSON.
 * @throws BodyError, ProxyError, and the errors of the guard
 */
export async function restoreMessages(
  bytes: Buffer,
  { context, identity, policy }: McpCall,
  signal: AbortSignal,
  { guard, types, metrics }: Pick<McpOptions, 'guard' | 'types' | 'metrics'>,
): Promise<RestoredMessages> {
  const document = documentIn(await inSlices(readingJson(bytes)));
  const messages = messagesIn(document);
  const nodes = messages.flatMap(contentOf);
  const passages = nodes.map(({ start, end }) => ({
    text: document.text.slice(start, end),
    kind: 'arguments' as const,
  }));
  const outcome = await guard.response({ texts: [], passages }, { identity, signal, policy, mayShow: showing(types) });
  const { restored, byType = NOTHING, isEnumeration = false } = outcome;
  const action = recordToolPseudonyms(context.state, 'mcp', { byType, isEnumeration }, metrics);
  recordAction(context.state, { phase: 'response', protocol: 'mcp', action }, metrics);
  if (restored === 0) return { body: bytes, messages };
  const edits = nodes.flatMap(({ start, end }, at): Edit[] => {
    const text = outcome.passages?.[at]?.text;
    return text === undefined ? [] : [{ start, end, text }];
  });
  return { body: Buffer.from(await inSlices(applyingEdits(document.text, edits))), messages };
}

const NOTHING: PseudonymCounts = { restored: new Map(), withheld: new Map(), unknown: new Map(), guesses: 0 };

/** What is restored of a message. The id of a request is the client's, and comes back as it is. */
function contentOf({ kind, members }: RpcMessage): Node[] {
  const names = kind === 'response' ? ['id', 'result', 'error'] : ['params'];
  return names.flatMap((name) => members.get(name) ?? []);
}
