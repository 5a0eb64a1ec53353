/** What applies to a message: its policy, and whether the call may be. Lists and policies change while a stream is open. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Policy } from '../detection/detection.ts';
import { recordAction, type CallState } from '../http/http.ts';
import { customersIn, keyHashesIn, ProxyError, type Caller } from '../proxy/proxy.ts';
import type { McpOptions, Terms } from './call.ts';

export interface TermsRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: string;
  readonly caller: Caller;
}

/** Creates a function that decides by the list of customers and the policies in force now. */
export function termsFor(
  { method, headers, query, caller }: TermsRequest,
  { access, customerHeaders, policyOf }: Pick<McpOptions, 'access' | 'customerHeaders' | 'policyOf'>,
): () => Terms {
  const named = {
    ...{ customers: customersIn(headers, customerHeaders), team: caller.team },
    keyHashes: keyHashesIn(headers, query),
  };
  return () => {
    const { policies: customers = [], refusal } = access?.decide(named) ?? {};
    // Everybody may end a session.
    return { policy: policyOf(customers), customers, refusal: method === 'DELETE' ? undefined : refusal };
  };
}

/**
 * @returns the policy of a message
 * @throws ProxyError if the call is refused
 */
export function policyIn(
  { policy, refusal }: Terms,
  state: Pick<CallState, 'log'>,
  { isFailOpen, metrics }: Pick<McpOptions, 'isFailOpen' | 'metrics'>,
): Policy {
  if (refusal === undefined || isFailOpen(policy)) return policy;
  recordAction(state, { phase: 'request', protocol: 'mcp', action: 'BLOCKED' }, metrics);
  throw new ProxyError('guardrail_blocked', refusal);
}

/** In monitor mode, counts a call that enforce mode would refuse. */
export function noteMonitored(
  { policy, refusal }: Terms,
  state: Pick<CallState, 'log'>,
  { isFailOpen, metrics }: Pick<McpOptions, 'isFailOpen' | 'metrics'>,
): void {
  if (refusal === undefined || !isFailOpen(policy)) return;
  recordAction(state, { phase: 'request', protocol: 'mcp', action: 'NONE', monitored: 'BLOCKED' }, metrics);
}
