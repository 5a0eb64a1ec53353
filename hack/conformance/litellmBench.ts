import type { ScriptedWitness, Witness } from '../harness/upstream/modelServer.ts';
import type { GatewayClient } from './client.ts';
import type { Interceptor } from './interceptor.ts';
import type { Case } from './suite.ts';

/** The inputs of the LiteLLM cases. */
export interface LiteLlmBench {
  readonly client: GatewayClient;
  readonly model: Witness;
  readonly guardrail: Interceptor;
  /** Creates a virtual key, in a new team if `team` is true. */
  readonly newKey: (team: boolean) => Promise<string>;
}

/** The inputs of the cases that need the real LiteLLM, whose model has scripted answers. */
export interface RealLiteLlmBench extends LiteLlmBench {
  readonly model: ScriptedWitness;
}

/** A case for LiteLLM. */
export type LiteLlmCase = Case<LiteLlmBench>;
