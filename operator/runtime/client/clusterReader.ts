import type { Duplex } from 'node:stream';
import type { KubeConfig } from '@kubernetes/client-node';
import { systemClock } from '../clock.ts';
import { RuntimeMetrics } from '../metrics.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { FIELD_MANAGER, RestClient } from './client.ts';
import { Transport } from './transport.ts';

/** Reads objects of the API server, for a command that is no operator: without watches, caches and writes. */
export class ClusterReader {
  readonly #transport: Transport;
  readonly #client: RestClient;
  readonly #signal: AbortSignal;

  /** @throws StartError if the kubeconfig has no current cluster */
  constructor(kubeConfig: KubeConfig, signal: AbortSignal) {
    this.#transport = new Transport(kubeConfig, {
      clock: systemClock,
      metrics: new RuntimeMetrics(),
      userAgent: FIELD_MANAGER,
    });
    this.#client = new RestClient(this.#transport);
    this.#signal = signal;
  }

  /** @throws ApiError */
  async get<T extends KubeObject>(kind: ResourceKind<T>, key: ObjectKey): Promise<T> {
    return await this.#client.get(kind, key);
  }

  /** @throws ApiError */
  async list<T extends KubeObject>(
    kind: ResourceKind<T>,
    options?: { readonly namespace?: string; readonly labelSelector?: string },
  ): Promise<T[]> {
    return await this.#client.list(kind, options);
  }

  /** Opens a connection to a port of a pod, as `kubectl port-forward` does. @throws ApiError */
  async portForward(pod: ObjectKey, port: number): Promise<Duplex> {
    return await this.#client.portForward(pod, port);
  }

  /**
   * Visits all objects of a kind, page by page. Keeps none of them.
   * @param namespace default: all namespaces
   * @throws ApiError
   */
  async each<T extends KubeObject>(
    kind: ResourceKind<T>,
    visit: (object: T) => void,
    namespace?: string,
  ): Promise<void> {
    const keepNothing = {} as T;
    await this.#client.listAt(kind, {
      ...(namespace === undefined ? {} : { namespace }),
      signal: this.#signal,
      each: (object) => {
        visit(object);
        return keepNothing;
      },
    });
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.#transport.close();
  }
}
