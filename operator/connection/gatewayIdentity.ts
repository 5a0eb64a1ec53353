/** Identifies gateways by their addresses, and the owners of what they store by signed marks. */
import { createHmac } from 'node:crypto';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { addressOf, gatewayAddress } from './gatewayAddress.ts';
import { type MarkSubject, type OwnershipMark, signedMark, verifiedMark } from './ownershipMark.ts';

/** The length of the operator's key, in bytes. */
export const IDENTITY_KEY_BYTES = 32;

interface Keys {
  /** Identifies the operator's key. */
  readonly id: string;
  readonly address: Buffer;
  readonly mark: Buffer;
}

/** See {@link GatewayIdentity}. */
export interface GatewayIdentityOptions {
  /** The DNS domain of the cluster, such as `cluster.local`. */
  readonly clusterDomain: string;
  /**
   * Reads the operator's key: {@link IDENTITY_KEY_BYTES} random bytes. Called until it succeeds.
   * @throws ConnectionError
   */
  readonly readKey: () => Promise<Buffer>;
}

/**
 * Which gateway an address belongs to, and which resource owns what. Statuses contain digests of addresses, which need
 * the operator's key: the users of a customer must not find the address by trying likely ones.
 */
export class GatewayIdentity {
  readonly #options: GatewayIdentityOptions;
  #loading: Promise<Keys> | undefined;
  #keys: Keys | undefined;
  /** The last digest: all customers of an instance are compared with the same address. */
  #last: { readonly address: string; readonly digest: string } | undefined;

  constructor(options: GatewayIdentityOptions) {
    this.#options = options;
  }

  /**
   * Reads the key, once. Each reconcile calls it first.
   * @throws ConnectionError if the key cannot be read
   */
  async load(): Promise<void> {
    if (this.#keys !== undefined) return;
    this.#loading ??= this.#options
      .readKey()
      .then(keysOf)
      .finally(() => {
        this.#loading = undefined;
      });
    this.#keys = await this.#loading;
  }

  /** The canonical address of a URL; undefined if it is not valid. */
  addressOf(endpoint: string): string | undefined {
    return addressOf(endpoint, this.#options.clusterDomain);
  }

  /** The canonical address of a connection's gateway. */
  addressOfConnection({ endpoint }: { readonly endpoint: string }): string {
    const address = this.addressOf(endpoint);
    // A connection has a valid address.
    if (address === undefined) throw new Error('The address of the gateway is not valid.');
    return address;
  }

  /** The canonical address of an instance's gateway; undefined if it is unknown. */
  addressOfInstance(instance: GatewayInstance | undefined): string | undefined {
    return instance === undefined ? undefined : gatewayAddress(instance, this.#options.clusterDomain);
  }

  /** The index keys of an instance, for an index of the instances of each gateway; none while its address is unknown. */
  readonly indexKeys = (instance: GatewayInstance): readonly string[] => {
    const address = this.addressOfInstance(instance);
    return address === undefined ? [] : [address];
  };

  /** The digest of an address, for statuses: `<id of the key>.<digest>`. */
  digest(address: string): string {
    if (this.#last?.address !== address) {
      const { id, address: key } = this.#loaded;
      const digest = `${id}.${createHmac('sha256', key).update(address).digest('hex').slice(0, 16)}`;
      this.#last = { address, digest };
    }
    return this.#last.digest;
  }

  /**
   * Whether a digest in a status proves that it is about another gateway than that of an address. A digest that was made
   * with another key, or an unknown address, proves nothing.
   */
  isElsewhere(digest: string | undefined, address: string | undefined): boolean {
    if (digest === undefined || address === undefined) return false;
    return digest.startsWith(`${this.#loaded.id}.`) && digest !== this.digest(address);
  }

  /** A mark for the gateway at an address. See {@link signedMark}. */
  sign(subject: MarkSubject, address: string, content: Omit<OwnershipMark, 'gateway'>): string {
    return signedMark(this.#loaded.mark, subject, { ...content, gateway: this.digest(address) });
  }

  /**
   * The mark in a text; undefined if it is not valid for the subject, or is for another gateway than that at an address.
   * @param address undefined: the address is unknown, and a mark for any gateway counts
   */
  verify(subject: MarkSubject, address: string | undefined, text: string): OwnershipMark | undefined {
    const mark = verifiedMark(this.#loaded.mark, subject, text);
    return address === undefined || mark?.gateway === this.digest(address) ? mark : undefined;
  }

  get #loaded(): Keys {
    if (this.#keys === undefined) throw new Error('The key of the operator is not loaded.');
    return this.#keys;
  }
}

function keysOf(key: Buffer): Keys {
  const derive = (purpose: string): Buffer => createHmac('sha256', key).update(purpose).digest();
  return { id: derive('id').toString('hex').slice(0, 8), address: derive('address'), mark: derive('mark') };
}
