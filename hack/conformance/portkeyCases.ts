import type { GatewayClient } from './client.ts';
import type { Interceptor } from './interceptor.ts';
import type { ModelServer } from './modelServer.ts';
import type { Case } from './suite.ts';

/** What the Portkey cases work with. */
export interface PortkeyBench {
  readonly client: GatewayClient;
  readonly model: ModelServer;
  readonly guardrail: Interceptor;
  /** API keys of two tenants of the guardrail. */
  readonly tenants: readonly [string, string];
}

/** Everything that Portkey with the guardrail is judged by. */
export const PORTKEY_CASES: readonly Case<PortkeyBench>[] = [];
