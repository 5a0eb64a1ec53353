import type { GatewayBudget, GatewayCustomer, GatewayInstance, GatewayKey } from '../api/v1alpha1/v1alpha1.ts';
import type { Connections } from '../connection/connection.ts';
import type { GatewayClients } from '../gateway/gateway.ts';
import type { GuardrailDependencies, ProxyDeployment } from '../guardrail/guardrail.ts';
import type { ProxyDependencies } from '../proxy/proxy.ts';
import type { EventRecorder, Finalizer, Index, Lister, StatusWriter } from '../runtime/runtime.ts';
import type { AskLastCall } from './sharedSessions.ts';

/** The dependencies of an instance's reconcile. */
export interface Dependencies extends GuardrailDependencies, ProxyDependencies {
  readonly connections: Connections;
  readonly clients: GatewayClients;
  readonly instances: Lister<GatewayInstance>;
  /** The gateways' Deployments that contain the operator's part. */
  readonly proxies: Lister<ProxyDeployment>;
  /** Customers by the instance that they refer to, as `namespace/name`. */
  readonly customers: Index<GatewayCustomer>;
  readonly budgets: Pick<Lister<GatewayBudget>, 'get'>;
  /** Budgets by the instance that they refer to, as `namespace/name`. */
  readonly budgetsByInstance: Index<GatewayBudget>;
  /** Keys by the instance that they refer to, as `namespace/name`. */
  readonly keysByInstance: Index<GatewayKey>;
  readonly status: StatusWriter<GatewayInstance>;
  readonly finalizer: Finalizer<GatewayInstance>;
  readonly events: EventRecorder;
  readonly askLastCall: AskLastCall;
}
