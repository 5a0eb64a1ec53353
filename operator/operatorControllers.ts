import { instances } from './api/kinds.ts';
import { enforcementController } from './enforcement/enforcement.ts';
import { budgetController } from './budget/budget.ts';
import type { OperatorConfig } from './config.ts';
import { customerController } from './customer/customer.ts';
import { GatewayClients, gatewayCallMetrics, gatewayLimitMetrics } from './gateway/gateway.ts';
import { Connections, GatewayIdentity, identityKey } from './connection/connection.ts';
import { erasureEndpoints } from './guardrail/guardrail.ts';
import { instanceController } from './instance/instance.ts';
import { policyController } from './policy/policy.ts';
import type { ControllerSpec, Runtime } from './runtime/runtime.ts';

/** All controllers of the operator. A new controller is added here. */
export function operatorControllers(
  runtime: Runtime,
  settings: Pick<OperatorConfig, 'guardrailImage' | 'ownPod' | 'namespace' | 'clusterDomain'>,
): readonly ControllerSpec[] {
  const { client, clock } = runtime;
  const instanceCache = runtime.cache(instances);
  const { namespace, clusterDomain } = settings;
  const identity = new GatewayIdentity({ clusterDomain, readKey: () => identityKey(client, namespace) });
  const connections = new Connections({ client, clock, instances: instanceCache });
  const clients = new GatewayClients({ report: gatewayCallMetrics(runtime.metrics), now: () => clock.monotonic() });
  // Two series with the same name, of an instance and of its predecessor, would make Prometheus reject all metrics.
  gatewayLimitMetrics(runtime.metrics, () => clients.limits((one) => instanceCache.get(one)?.metadata.uid === one.uid));
  return [
    instanceController(runtime, { connections, clients, ...settings }),
    budgetController(runtime, { identity, connections, clients }),
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
