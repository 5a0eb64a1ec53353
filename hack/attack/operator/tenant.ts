/** A tenant: the admin of one namespace, with the shipped roles and without rights elsewhere. */
import { join } from 'node:path';
import { isForbidden } from '../../../operator/runtime/runtime.ts';
import { RestClient, Transport, transportOptions } from '../../../operator/runtime/testing/testing.ts';
import { Namespace } from './namespace.ts';
import type { OperatorTestbed } from './testbed.ts';

const ROLES = join(import.meta.dirname, '../../../operator/manifests/userroles.yaml');
const RBAC = 'rbac.authorization.k8s.io';
/** What the role `admin` of a cluster aggregates. This control plane has no controller that aggregates. */
const ADMIN_ROLES = [
  ...['system:aggregate-to-view', 'system:aggregate-to-edit', 'system:aggregate-to-admin'],
  ...['gateway-guardrail-view', 'gateway-guardrail-edit', 'gateway-guardrail-admin'],
];

/** A namespace with the rights of its admin. */
export class Tenant extends Namespace {
  readonly #transport: Transport;

  private constructor(name: string, transport: Transport) {
    super(name, new RestClient(transport));
    this.#transport = transport;
  }

  /** Creates the namespace, and makes the tenant its admin. */
  static async start({ client, plane }: OperatorTestbed, namespace: string): Promise<Tenant> {
    const user = `admin-of-${namespace}`;
    await Namespace.create(namespace, client);
    // Tenants are created at the same time, and a client-side apply cannot create what another one creates.
    await plane.kubectl(['apply', '--server-side', '-f', ROLES]);
    const bindings = ADMIN_ROLES.map((name) => ({
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: name.replaceAll(':', '-'), namespace },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
    }));
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: bindings }));
    return new Tenant(namespace, new Transport(plane.kubeConfig(user), transportOptions()));
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** @returns a fault if the API server lets the tenant do something that it must refuse */
  async isRefused(what: string, call: (client: RestClient) => Promise<unknown>): Promise<string[]> {
    return await call(this.client).then(
      () => [`the tenant may ${what}`],
      (error: unknown) => {
        if (!isForbidden(error)) throw error;
        return [];
      },
    );
  }
}
