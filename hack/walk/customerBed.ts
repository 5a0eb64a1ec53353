/** One instance and an operator with the controller of customers alone, in this process. */
import { pino } from 'pino';
import { instances } from '../../operator/api/kinds.ts';
import { annotations, GROUP } from '../../operator/api/v1alpha1/v1alpha1.ts';
import { Connections, GatewayIdentity, identityKey } from '../../operator/connection/connection.ts';
import { customerController } from '../../operator/customer/customer.ts';
import { KubectlUser } from '../../operator/customer/testing/testOperator.ts';
import { GatewayClients } from '../../operator/gateway/gateway.ts';
import { Manager, RuntimeMetrics } from '../../operator/runtime/runtime.ts';
import { eventually } from '../../operator/runtime/testing/testing.ts';
import { type ControlPlane, startControlPlane } from '../harness/controlplane.ts';
import { type DevGateway, startDevGateway } from '../harness/gateway/gateway.ts';

const masterKey = 'sk-walk';
const kinds = ['gatewaycustomers', 'gatewayinstances', 'gatewaybudgets', 'guardrailpolicies'];

class CustomerOperator extends Manager {
  readonly #clients = new GatewayClients();

  protected override async init(): Promise<void> {
    for (const kind of kinds) {
      await this.registerCustomResourceDefinition(
        new URL(`../../crds/${kind}.${GROUP}.yaml`, import.meta.url).pathname,
      );
    }
    const { client, clock } = this.runtime;
    const readKey = (): Promise<Buffer> => identityKey(client, 'default');
    const identity = new GatewayIdentity({ clusterDomain: 'cluster.local', readKey });
    const connections = new Connections({ client, clock, instances: this.runtime.cache(instances) });
    this.addController(customerController(this.runtime, { identity, connections, clients: this.#clients }));
  }

  get isIdle(): boolean {
    return this.idle;
  }

  async end(): Promise<void> {
    this.stop();
    await this.finished();
    await this.#clients.close();
  }
}

/** See {@link CustomerBed.start}. */
export class CustomerBed {
  readonly #plane: ControlPlane;
  readonly #gateway: DevGateway;
  readonly #operator: CustomerOperator;
  readonly #user: KubectlUser;

  private constructor(plane: ControlPlane, gateway: DevGateway, operator: CustomerOperator, user: KubectlUser) {
    this.#plane = plane;
    this.#gateway = gateway;
    this.#operator = operator;
    this.#user = user;
  }

  /** Starts an API server, the development gateway and the operator, and creates an instance. */
  static async start(): Promise<CustomerBed> {
    const plane = await startControlPlane({ report: (line) => void process.stderr.write(`${line}\n`) });
    const gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    const user = new KubectlUser(plane.kubeConfig(), await plane.createNamespace('walk'));
    const operator = new CustomerOperator({
      log: pino({ level: 'silent' }),
      kubeConfig: plane.kubeConfig(),
      namespace: 'default',
      watchNamespaces: [user.namespace],
      leaseName: undefined,
      http: undefined,
      installCrds: true,
      crdRevisionAnnotation: annotations.crdRevision,
      eventSource: `${GROUP}/walk`,
      drainMs: 5_000,
      metrics: new RuntimeMetrics(),
    });
    await operator.start();
    await eventually(() => user.list());
    await user.secret('main', masterKey);
    await eventually(() => user.instance('main', { endpoint: gateway.url }));
    return new CustomerBed(plane, gateway, operator, user);
  }

  /** Creates a customer with limits, and waits until it is in sync and nothing runs any more. */
  async sync(name: string): Promise<void> {
    await this.#user.customer(name, { alias: name, maxBudget: 10, models: ['gpt-4o-mini'] });
    await this.#user.until(name, ({ status }) => status?.synced === true);
    await eventually(() => {
      if (!this.#operator.isIdle) throw new Error('A reconcile is due or runs.');
    });
  }

  async stop(): Promise<void> {
    await this.#operator.end();
    await this.#gateway.stop();
    await this.#plane.stop();
  }
}
