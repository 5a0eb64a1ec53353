/**
 * Paths on which a server says where clients get their tokens. What it says holds no personal data, and clients compare it
 * byte by byte, so it is relayed as it is. A server may answer every path with messages: those are not relayed.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { decodeUtf8, parseDocument, type Node } from '../bodies/bodies.ts';
import { ProxyError, relayAsIs, withWholeAnswer, type HttpTransport, type UpstreamAnswer } from '../proxy/proxy.ts';
import type { McpOptions } from './call.ts';
import { headOf, relayHead } from './relay.ts';

const METADATA =
  /^\/\.well-known\/(?:oauth-protected-resource|oauth-authorization-server|openid-configuration)(?:\/|$)/;

/** The largest metadata, in bytes: those of large authorization servers have a few kilobytes. */
const MAX_METADATA = 64 * 1024;

export function isMetadata(path: string): boolean {
  return METADATA.test(path);
}

/** The headers of a request that is no message: none by which a server would replay messages. */
export function headersWithoutSession(received: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(received).filter(([name]) => !name.startsWith('mcp-') && name !== 'last-event-id'),
  );
}

/** @throws ProxyError 502 if the answer is anything but metadata */
export async function relayMetadata(
  { context, client }: HttpTransport,
  answer: UpstreamAnswer,
  { admission, isFailOpen }: Pick<McpOptions, 'admission' | 'isFailOpen'>,
): Promise<void> {
  if (answer.status !== 200) return relayHead({ client }, answer);
  if (isFailOpen(undefined)) return relayAsIs({ client }, answer, false);
  try {
    if (!/^\s*application\/json\s*(?:;|$)/i.test(answer.headers['content-type'] ?? '')) throw noMetadata();
    await withWholeAnswer(context, answer, { admission, maxBody: MAX_METADATA }, async (body) => {
      if (!isMetadataText(body)) throw noMetadata();
      client.begin(headOf(answer), true, body.length);
      await client.end(body);
    });
  } finally {
    answer.cancel();
  }
}

function isMetadataText(body: Buffer): boolean {
  const text = decodeUtf8(body);
  if (text === undefined) return false;
  let root: Node;
  try {
    root = parseDocument(text);
  } catch {
    return false;
  }
  return root.kind === 'object' && !root.members.some(({ name }) => name.value === 'jsonrpc');
}

function noMetadata(): ProxyError {
  return new ProxyError(
    'answer_unreadable',
    'The server answers this path with no metadata: it must be a JSON object that is no message, of at most 64 KiB.',
  );
}
