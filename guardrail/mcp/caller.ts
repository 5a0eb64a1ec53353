/** Who calls a tool: the session of the model's calls, so that the pseudonyms of the model are known. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CallIdentity } from '../pseudonymization/pseudonymization.ts';
import { callerOf, customersIn, identityOf, type Caller } from '../proxy/proxy.ts';
import { randomId } from '../randomId.ts';
import type { McpOptions } from './call.ts';

/**
 * The header with the credentials of the model's calls, as they stand in `Authorization` there, if the MCP server has others.
 * It is not forwarded.
 */
export const CALLER_HEADER = 'x-guardrail-authorization';
const SESSION_HEADER = 'mcp-session-id';

/** A request with the credentials of the model's calls. */
export interface CallerRequest {
  readonly headers: IncomingHttpHeaders;
  readonly query: string;
}

/** The credentials of the model's calls in the place of those for the server. */
export function asModelCall({ headers, query }: CallerRequest): CallerRequest {
  const { [CALLER_HEADER]: own, 'x-api-key': _x, 'api-key': _a, 'x-goog-api-key': _g, ...rest } = headers;
  return own === undefined ? { headers, query } : { headers: { ...rest, authorization: String(own) }, query: '' };
}

/** @throws ProxyError 401 if a header of a trusted hop is missing */
export function mcpCallerOf({ headers, query }: CallerRequest, identityHeaders: readonly string[] | undefined): Caller {
  const caller = callerOf(headers, query, identityHeaders);
  const session = headers[SESSION_HEADER];
  // The server's id of the session is a secret of the client. It joins the calls of a client without credentials.
  return caller.name === undefined && session !== undefined
    ? { ...caller, name: JSON.stringify([SESSION_HEADER, session]) }
    : caller;
}

export function mcpIdentityOf(
  caller: Caller,
  headers: IncomingHttpHeaders,
  { customerHeaders, subjectOf }: Pick<McpOptions, 'customerHeaders' | 'subjectOf'>,
): CallIdentity {
  const [endUser] = customersIn(headers, customerHeaders);
  return identityOf(caller, { callId: randomId(), endUser, subjectOf });
}
