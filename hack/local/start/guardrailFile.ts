import { renameSync, writeFileSync } from 'node:fs';
import { CoreV1Api, CustomObjectsApi, type KubeConfig } from '@kubernetes/client-node';
import { type GatewayInstance, gatewayInstanceNames, GROUP, VERSION } from '../../../operator/api/v1alpha1/v1alpha1.ts';

/** Where the guardrail of an instance is reached from this machine, and with which key. */
export interface GuardrailAddress {
  url: string;
  key: string;
}

/** Keeps a file that tells the development gateway where the guardrail is, as DNS and a mounted Secret do in a cluster. */
export class GuardrailFile {
  readonly #file: string;
  readonly #kubeConfig: KubeConfig;
  readonly #instance: { namespace: string; name: string };
  #written = '';
  #address: GuardrailAddress | undefined;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(file: string, kubeConfig: KubeConfig, instance: { namespace: string; name: string }) {
    this.#file = file;
    this.#kubeConfig = kubeConfig;
    this.#instance = instance;
  }

  /** What was last written; undefined before the guardrail was first ready. */
  get address(): GuardrailAddress | undefined {
    return this.#address;
  }

  /** Reads what the operator deployed and writes the file if that has changed. While there is nothing, it stays as it is. */
  update(resolve: (url: string) => string | undefined): Promise<void> {
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#update(resolve).finally(() => {
      this.#running = undefined;
      if (!this.#again) return;
      this.#again = false;
      void this.update(resolve);
    });
    return this.#running;
  }

  async #update(resolve: (url: string) => string | undefined): Promise<void> {
    try {
      const guardrail = (await this.#read()).status?.guardrail;
      const url = guardrail && resolve(guardrail.endpoint);
      if (url === undefined) return;
      const { namespace } = this.#instance;
      const core = this.#kubeConfig.makeApiClient(CoreV1Api);
      const secret = await core.readNamespacedSecret({ namespace, name: guardrail?.apiKeySecretName ?? '' });
      const key = Buffer.from(secret.data?.['api-key'] ?? '', 'base64').toString();
      if (key === '') return;
      const text = JSON.stringify({ url, key });
      if (text === this.#written) return;
      // Whoever reads meanwhile sees the old or the new file, never half of one.
      writeFileSync(`${this.#file}.new`, text, { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file);
      this.#written = text;
      this.#address = { url, key };
    } catch {
      // Not there yet, or the API server is away: the workload runner calls again.
    }
  }

  async #read(): Promise<GatewayInstance> {
    const api = this.#kubeConfig.makeApiClient(CustomObjectsApi);
    const { plural } = gatewayInstanceNames;
    return (await api.getNamespacedCustomObject({
      group: GROUP,
      version: VERSION,
      plural,
      ...this.#instance,
    })) as GatewayInstance;
  }
}
