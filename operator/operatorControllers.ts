import { instances } from './api/kinds.ts';
import { enforcementController } from './enforcement/enforcement.ts';
import { budgetController } from './budget/budget.ts';
import type { OperatorConfig } from './config.ts';
import { customerController } from './customer/customer.ts';
import { GatewayClients, gatewayCallMetrics } from './gateway/gateway.ts';
import { Connections, GatewayIdentity, identityKey } from './connection/connection.ts';
import { erasureEndpoints } from './guardrail/guardrail.ts';
import { instanceController } from './instance/instance.ts';
import { keyController } from './key/key.ts';
import { policyController } from './policy/policy.ts';
import type { ControllerSpec, Runtime } from './runtime/runtime.ts';

/** All controllers of the operator. A new controller is added here. */
export function operatorControllers(
  runtime: Runtime,
  settings: Pick<OperatorConfig, 'guardrailImage' | 'ownPod' | 'namespace' | 'clusterDomain'>,
): readonly ControllerSpec[] {
  const { client, clock } = runtime;
  const { namespace, clusterDomain } = settings;
  const identity = new GatewayIdentity({ clusterDomain, readKey: () => identityKey(client, namespace) });
  const connections = new Connections({ client, clock, instances: runtime.cache(instances) });
  const clients = new GatewayClients({ report: gatewayCallMetrics(runtime.metrics), now: () => clock.monotonic() });
  return [
    instanceController(runtime, { connections, clients, ...settings }),
    budgetController(runtime, { identity, connections, clients }),
    keyController(runtime, { identity, connections, clients }),
    policyController(runtime),
    enforcementController(runtime, { identity }),
    customerController(runtime, {
      identity,
      connections,
      clients,
      guardrails: (instance) => erasureEndpoints(runtime, instance),
    }),
  ];
}
