/** A tenant: the admin of one namespace, with the shipped roles and without rights elsewhere. */
import { join } from 'node:path';
import { customers, instances } from '../../../operator/api/kinds.ts';
import { isForbidden } from '../../../operator/runtime/runtime.ts';
import { kubeEvents, RestClient, Transport, transportOptions } from '../../../operator/runtime/testing/testing.ts';
import { secrets, type OperatorTestbed } from './testbed.ts';

const ROLES = join(import.meta.dirname, '../../../operator/manifests/userroles.yaml');
const RBAC = 'rbac.authorization.k8s.io';
/** What the role `admin` of a cluster aggregates. This control plane has no controller that aggregates. */
const ADMIN_ROLES = [
  ...['system:aggregate-to-view', 'system:aggregate-to-edit', 'system:aggregate-to-admin'],
  ...['gateway-guardrail-view', 'gateway-guardrail-edit', 'gateway-guardrail-admin'],
];

/** The admin of one namespace. */
export class Tenant {
  readonly namespace: string;
  /** Calls the API server with the rights of the tenant. */
  readonly client: RestClient;
  readonly #transport: Transport;

  private constructor(namespace: string, transport: Transport) {
    this.namespace = namespace;
    this.client = new RestClient(transport);
    this.#transport = transport;
  }

  /** Creates the namespace, and makes the tenant its admin. */
  static async create(testbed: OperatorTestbed, namespace: string): Promise<Tenant> {
    const user = `admin-of-${namespace}`;
    await testbed.namespace(namespace);
    // Tenants are created at the same time, and a client-side apply cannot create what another one creates.
    await testbed.plane.kubectl(['apply', '--server-side', '-f', ROLES]);
    const bindings = ADMIN_ROLES.map((name) => ({
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: name.replaceAll(':', '-'), namespace },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
    }));
    const list = { apiVersion: 'v1', kind: 'List', items: bindings };
    await testbed.plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    return new Tenant(namespace, new Transport(testbed.plane.kubeConfig(user), transportOptions()));
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Creates a Secret with a master key, and an instance that uses it. */
  async instance(name: string, endpoint: string, masterKey: string, more: object = {}): Promise<void> {
    const { namespace } = this;
    const stringData = { key: masterKey };
    await this.client.create(secrets, { metadata: { namespace, name }, stringData } as object);
    const masterKeySecretRef = { name, key: 'key' };
    const spec = { endpoint, proxyName: 'litellm', masterKeySecretRef, ...more };
    await this.client.create(instances, { metadata: { namespace, name }, spec } as object);
  }

  async customer(name: string, spec: object): Promise<void> {
    const { namespace } = this;
    await this.client.create(customers, { metadata: { namespace, name }, spec } as object);
  }

  /** The statuses and events that the tenant can read. */
  async sees(): Promise<string> {
    const { client, namespace } = this;
    const objects = [
      ...(await client.list(customers, { namespace })),
      ...(await client.list(instances, { namespace })),
    ];
    const notes = (await client.list(kubeEvents, { namespace })).map(({ note }) => note);
    return JSON.stringify([objects.map(({ status }) => status), notes]);
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
