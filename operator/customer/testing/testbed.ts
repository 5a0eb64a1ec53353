/** For tests: the customer controller on a real API server, before a gateway that behaves as LiteLLM does, with faults. */
import type { KubeConfig } from '@kubernetes/client-node';
import { expect } from 'chai';
import { type ControlPlane, withControlPlane } from '../../../hack/harness/controlplane.ts';
import { type DevGateway, startDevGateway } from '../../../hack/harness/gateway/gateway.ts';
import { installCrds } from '../../api/testing/installCrds.ts';
import type { GatewayCustomer } from '../../api/v1alpha1/v1alpha1.ts';
import { budgetRowId, GatewayClient, RateLimiter } from '../../gateway/gateway.ts';
import { type Fault, type SeenCall, startTestProxy, type TestProxy } from '../../gateway/testing/testProxy.ts';
import { conditionOf } from '../status.ts';
import { connectionOf } from './testDependencies.ts';
import { eventually, KubectlUser, SYNC_INTERVAL_MS, TestOperator } from './testOperator.ts';

export const masterKey = 'sk-master';

/** No call fails. */
export const noFault = (): undefined => undefined;

/** The gateway responds with a status. */
export function answer(status: number, body = '{}', headers: Record<string, string> = {}): Fault {
  return { kind: 'answer', status, body, headers };
}

/** The message of a condition. */
export function message(customer: GatewayCustomer, type: 'Synced' | 'FullyApplied' = 'Synced'): string {
  return conditionOf(customer, type)?.message ?? '';
}

/**
 * Declares the hooks: one gateway for all tests, and a namespace, an instance and an operator for each test.
 * @param pace see {@link TestOperator}
 */
export function withTestbed(pace = 1): CustomerTestbed {
  const testbed = new CustomerTestbed(withControlPlane(), pace);
  before(() => testbed.startGateway());
  after(() => testbed.stopGateway());
  beforeEach(() => testbed.prepare());
  afterEach(() => testbed.stopOperator());
  return testbed;
}

/** The environment of a test. Available after the hooks have run. */
export class CustomerTestbed {
  readonly cluster: () => ControlPlane;
  readonly #pace: number;
  #gateway: DevGateway | undefined;
  #proxy: TestProxy | undefined;
  #admin: GatewayClient | undefined;
  #user: KubectlUser | undefined;
  #operator: TestOperator | undefined;
  #namespaces: readonly string[] = [];

  constructor(cluster: () => ControlPlane, pace: number) {
    this.cluster = cluster;
    this.#pace = pace;
  }

  get proxy(): TestProxy {
    return started(this.#proxy);
  }

  /** Calls the gateway's admin API, not through the proxy. */
  get admin(): GatewayClient {
    return started(this.#admin);
  }

  get user(): KubectlUser {
    return started(this.#user);
  }

  get operator(): TestOperator {
    return started(this.#operator);
  }

  async startGateway(): Promise<void> {
    await installCrds(this.cluster());
    this.#gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    this.#proxy = await startTestProxy(this.#gateway.url);
    const connection = connectionOf(this.#gateway.url, masterKey);
    this.#admin = new GatewayClient(connection, new RateLimiter(connection.rateLimit));
    await this.admin.budgetNew({ budget_id: 'free', max_budget: 1, tpm_limit: 10 });
  }

  async stopGateway(): Promise<void> {
    await this.#admin?.close();
    await this.#proxy?.stop();
    await this.#gateway?.stop();
  }

  /** Creates a namespace with an instance, and starts an operator for it. */
  async prepare(): Promise<void> {
    this.proxy.fault = noFault;
    this.#user = await this.createNamespace('customer');
    this.#namespaces = [this.user.namespace];
    await this.startOperator();
    await this.user.secret('main', masterKey);
    await eventually(() => this.user.instance('main', { endpoint: this.proxy.url }));
    this.proxy.calls.length = 0;
  }

  async createNamespace(name: string): Promise<KubectlUser> {
    return new KubectlUser(this.cluster().kubeConfig(), await this.cluster().createNamespace(name));
  }

  /** Replaces the running operator by one that also watches a second namespace. @returns its user */
  async watchSecondNamespace(): Promise<KubectlUser> {
    const other = await this.createNamespace('elsewhere');
    this.#namespaces = [this.user.namespace, other.namespace];
    await this.restartOperator();
    return other;
  }

  /** @param advanceMs how far the operator's time of day is ahead */
  async startOperator(
    options: { readonly kubeConfig?: KubeConfig; readonly advanceMs?: number; readonly pace?: number } = {},
  ): Promise<void> {
    this.#operator = new TestOperator(options.kubeConfig ?? this.cluster().kubeConfig(), this.#namespaces, {
      pace: options.pace ?? this.#pace,
      installsCrds: false,
    });
    this.#operator.advance(options.advanceMs ?? 0);
    await this.#operator.start();
  }

  async stopOperator(): Promise<void> {
    await this.#operator?.end();
    this.#operator = undefined;
  }

  async restartOperator(
    options: { readonly kubeConfig?: KubeConfig; readonly advanceMs?: number; readonly pace?: number } = {},
  ): Promise<void> {
    await this.stopOperator();
    await this.startOperator(options);
  }

  /** The customerId of a resource of the user. */
  idOf(name: string): string {
    return `${this.user.namespace}.${name}`;
  }

  /** The record of a resource of the user. */
  async recordOf(name: string): Promise<Record<string, unknown> | undefined> {
    return await this.admin.customerInfo(this.idOf(name));
  }

  /** The budget row of a resource. */
  async rowOf({ metadata }: GatewayCustomer): Promise<Record<string, unknown> | undefined> {
    return (await this.admin.budgetInfo([budgetRowId(metadata.uid)]))[0];
  }

  /** The reference of a customer in another namespace to the instance of the user. */
  get main(): GatewayCustomer['spec']['instanceRef'] {
    return { name: 'main', namespace: this.user.namespace };
  }

  /** The calls that change something at the gateway. */
  writes(): SeenCall[] {
    return this.proxy.calls.filter(({ method, path }) => method === 'POST' && path !== '/budget/info');
  }

  callsOf(path: string): SeenCall[] {
    return this.proxy.calls.filter((call) => call.path === path);
  }

  /** Skips a sync interval and its jitter. No call is made before its end. */
  async skipInterval(): Promise<void> {
    await this.operator.untilIdle();
    this.proxy.calls.length = 0;
    // Not more, because the time that the test itself takes counts too.
    this.operator.skip(0.7 * SYNC_INTERVAL_MS);
    await this.operator.untilIdle();
    expect(this.proxy.calls).to.deep.equal([]);
    this.operator.skip(0.4 * SYNC_INTERVAL_MS);
  }

  /** Skips a sync interval, at whose end each customer is observed by one call, and no other call is made. */
  async untilObserved(names: readonly string[]): Promise<void> {
    await this.skipInterval();
    await eventually(() => {
      expect(this.proxy.calls.length).to.be.at.least(names.length);
    });
    await this.operator.untilIdle();
    const calls = this.proxy.calls.map(({ method, path }) => `${method} ${path}`);
    expect(calls).to.have.members(names.map((name) => `GET /customer/info?end_user_id=${this.idOf(name)}`));
  }

  async untilEvent(name: string, reason: string): Promise<void> {
    await eventually(async () => {
      expect(await this.user.events(name)).to.include(reason);
    });
  }
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The testbed has not been started.');
  return value;
}
