/** For tests: the list of who may call of the instance `main` of a testbed, as its operator stores it and a guardrail reads it. */
import { CoreV1Api, CustomObjectsApi, type V1ConfigMap } from '@kubernetes/client-node';
import { type CustomerList, readCustomerList } from '../../../guardrail/guardrail.ts';
import { instances } from '../../api/kinds.ts';
import { type GatewayInstance, GROUP, VERSION } from '../../api/v1alpha1/v1alpha1.ts';
import { eventually } from '../../runtime/testing/testing.ts';
import type { CustomerTestbed } from '../../customer/testing/testbed.ts';
import { SESSION_KEY, shardsOf } from './enforcementBed.ts';

/** The operator's intervals pass this many times as fast: a test waits for a state, not for an interval. */
export const PACE = 10;

/** See the comment of this file. */
export class StoredList {
  readonly #bed: CustomerTestbed;
  #apis: { readonly core: CoreV1Api; readonly custom: CustomObjectsApi } | undefined;

  constructor(bed: CustomerTestbed) {
    this.#bed = bed;
  }

  /** Gives the instance a guardrail with keys, and waits for its list. */
  async deploy(guardrail: object = {}, spec: object = {}): Promise<void> {
    await this.createKeys();
    await this.#bed.user.patch('main', { spec: { guardrail, ...spec } }, 'gatewayinstances');
    await eventually(() => this.read());
  }

  /** Creates the keys of the guardrail, as the controller of instances does. */
  async createKeys(): Promise<void> {
    const body = { metadata: { name: 'main-guardrail-keys' }, stringData: { 'session-key': SESSION_KEY } };
    await this.#api.core.createNamespacedSecret({ namespace: this.#bed.user.namespace, body });
  }

  /** All ConfigMaps of the namespace. */
  async configMaps(): Promise<V1ConfigMap[]> {
    return (await this.#api.core.listNamespacedConfigMap({ namespace: this.#bed.user.namespace })).items;
  }

  async read(): Promise<CustomerList> {
    return readCustomerList(shardsOf(await this.configMaps()));
  }

  async instance(): Promise<GatewayInstance> {
    const where = { group: GROUP, version: VERSION, namespace: this.#bed.user.namespace, plural: instances.plural };
    return (await this.#api.custom.getNamespacedCustomObject({ ...where, name: 'main' })) as GatewayInstance;
  }

  /** The control plane is there only after the hooks have run. */
  get #api(): { readonly core: CoreV1Api; readonly custom: CustomObjectsApi } {
    if (this.#apis === undefined) {
      const config = this.#bed.cluster().kubeConfig();
      this.#apis = { core: config.makeApiClient(CoreV1Api), custom: config.makeApiClient(CustomObjectsApi) };
    }
    return this.#apis;
  }
}
