import type { CoreV1Api } from '@kubernetes/client-node';
import { type Data, references, type Sources } from './container.ts';
import type { Deployment } from './kinds.ts';

/** The ConfigMaps and Secrets that pods reference, as last read. */
export class PodData {
  readonly #core: CoreV1Api;
  readonly #data = new Map<string, Data>();

  constructor(core: CoreV1Api) {
    this.#core = core;
  }

  /** Reads the objects that a Deployment's template references. */
  async read(deployment: Deployment): Promise<void> {
    const namespace = deployment.metadata?.namespace ?? '';
    const { configMaps, secrets } = references({
      ...(deployment.spec?.template.spec && { spec: deployment.spec.template.spec }),
    });
    for (const name of configMaps) {
      await this.#readOne(`configMap ${namespace}/${name}`, async () => {
        const { data = {}, binaryData = {} } = await this.#core.readNamespacedConfigMap({ namespace, name });
        return new Map([...decode(data, 'utf8'), ...decode(binaryData, 'base64')]);
      });
    }
    for (const name of secrets) {
      await this.#readOne(`secret ${namespace}/${name}`, async () => {
        const { data = {} } = await this.#core.readNamespacedSecret({ namespace, name });
        return new Map(decode(data, 'base64'));
      });
    }
  }

  sources(namespace: string): Sources {
    return {
      configMap: (name) => this.#data.get(`configMap ${namespace}/${name}`),
      secret: (name) => this.#data.get(`secret ${namespace}/${name}`),
    };
  }

  async #readOne(key: string, get: () => Promise<Data>): Promise<void> {
    try {
      this.#data.set(key, await get());
    } catch (error) {
      if ((error as { code?: number }).code !== 404) throw error;
      this.#data.delete(key);
    }
  }
}

function decode(data: Readonly<Record<string, string>>, encoding: 'utf8' | 'base64'): [string, Buffer][] {
  return Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding)]);
}
