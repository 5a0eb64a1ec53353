import type { ScriptedWitness } from '../harness/upstream/modelServer.ts';
import type { GatewayClient } from './client.ts';
import type { Case } from './suite.ts';

/** The inputs of the cases for the guardrail as a proxy in front of LiteLLM. */
export interface InlineBench {
  /** Calls the proxy with the master key. */
  readonly client: GatewayClient;
  /** Calls LiteLLM itself. */
  readonly admin: GatewayClient;
  readonly model: ScriptedWitness;
  /** The master key, for clients of other projects. */
  readonly masterKey: string;
  /** Creates a virtual key, in a new team if `team` is true. */
  readonly newKey: (team: boolean) => Promise<string>;
}

/** A case for the guardrail as a proxy in front of LiteLLM. */
export type InlineCase = Case<InlineBench>;
