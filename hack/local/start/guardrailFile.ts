import { renameSync, writeFileSync } from 'node:fs';
import { CoreV1Api, CustomObjectsApi, type KubeConfig } from '@kubernetes/client-node';
import { type GatewayInstance, gatewayInstanceNames, GROUP, VERSION } from '../../../operator/api/v1alpha1/v1alpha1.ts';

/** The address of a guardrail on this machine, and its API key. */
export interface GuardrailAddress {
  url: string;
  key: string;
}

/** The guardrail that the operator deploys for an instance. */
export interface InstanceGuardrail extends GuardrailAddress {
  /** The address that applications call in place of the gateway. */
  guarded: string;
}

/**
 * The file that tells the development gateway which guardrail to call. In a cluster, DNS and a mounted Secret do this. It is
 * replaced atomically: a reader never sees a partial file.
 */
export class GuardrailFile {
  readonly #path: string;
  #written = '';

  constructor(path: string) {
    this.#path = path;
  }

  write({ url, key }: GuardrailAddress): void {
    const text = JSON.stringify({ url, key });
    if (text === this.#written) return;
    writeFileSync(`${this.#path}.new`, text, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
    this.#written = text;
  }
}

/** Makes the gateway call the guardrail that the operator deploys for an instance, as soon as that guardrail is ready. */
export class DeployedGuardrail {
  readonly #file: GuardrailFile;
  readonly #kubeConfig: KubeConfig;
  readonly #instance: { namespace: string; name: string };
  #address: InstanceGuardrail | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #left = false;

  constructor(file: GuardrailFile, kubeConfig: KubeConfig, instance: { namespace: string; name: string }) {
    this.#file = file;
    this.#kubeConfig = kubeConfig;
    this.#instance = instance;
  }

  /** The last known addresses; undefined until the guardrail is first ready for the gateway and for applications. */
  get address(): InstanceGuardrail | undefined {
    return this.#address;
  }

  /**
   * Reads what the operator deployed, and writes the file if it has changed. While nothing is deployed, the file stays as it
   * is.
   */
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

  /** Makes the gateway call another guardrail, because the current one is about to end. */
  leave(other: GuardrailAddress): void {
    this.#left = true;
    this.#file.write(other);
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
      if (key === '' || this.#left) return;
      this.#file.write({ url, key });
      const guarded = guardrail?.clientEndpoint === undefined ? undefined : resolve(guardrail.clientEndpoint);
      if (guarded !== undefined) this.#address = { url, key, guarded };
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
