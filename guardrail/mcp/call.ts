/** What the parts of the MCP proxy share: its options, and one call. */
import type { Policy } from '../detection/detection.ts';
import type { CallIdentity } from '../pseudonymization/pseudonymization.ts';
import type { HttpTransport, InlineOptions, ReverseProxyOptions } from '../proxy/proxy.ts';
import type { ShownTypes } from '../settings/settings.ts';
import type { Moment } from './moment.ts';

export interface McpOptions
  extends
    ReverseProxyOptions,
    Pick<InlineOptions, 'guard' | 'policyOf' | 'isFailOpen' | 'access' | 'identityHeaders' | 'customerHeaders'>,
    Pick<InlineOptions, 'maxBody' | 'subjectOf' | 'fence' | 'admission' | 'audit' | 'policyRevision'> {
  /** The types whose values the server may see. */
  readonly types: ShownTypes;
  /** The origins of web pages that may call, as in the header Origin; undefined: none may. */
  readonly origins: readonly string[] | undefined;
}

/** What applies to a message. */
export interface Terms {
  readonly policy: Policy;
  /** The revisions of the policies of the customers that the call names. */
  readonly customers: readonly (string | undefined)[];
  /** Why the call is refused; undefined: it may pass. */
  readonly refusal: string | undefined;
}

/** A call on its way through the MCP proxy. */
export interface McpCall extends HttpTransport {
  /** The path and the query that the upstream gets. */
  readonly path: string;
  readonly identity: CallIdentity;
  /** The policy of the client's messages. */
  readonly policy: Policy;
  /** What applies now. */
  readonly terms: () => Terms;
  /** When the call began. */
  readonly begun: Moment;
}
