/**
 * Identifies gateways by their addresses, and the owners of what they store by signed marks. A mark is an annotation that the
 * operator signs with its own key, so that it survives a backup without status, and neither a copy on another resource nor a text
 * that a user has written proves anything.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type GatewayInstance, instanceDefaults, type InstanceRef } from '../api/v1alpha1/v1alpha1.ts';
import { type Index, keyText, type Lister, type ObjectKey } from '../runtime/runtime.ts';

/** The length of the operator's key, in bytes. */
export const IDENTITY_KEY_BYTES = 32;

interface Keys {
  /** Identifies the operator's key. */
  readonly id: string;
  readonly address: Buffer;
  readonly mark: Buffer;
  readonly resource: Buffer;
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

  /**
   * An identity that a resource has for as long as its name, also after it was created again or restored: 64 hexadecimal digits.
   * Nobody can compute it without the operator's key.
   */
  resourceId({ kind, namespace, name }: Omit<MarkSubject, 'id'>): string {
    return createHmac('sha256', this.#loaded.resource)
      .update(JSON.stringify([kind, namespace, name]))
      .digest('hex');
  }

  get #loaded(): Keys {
    if (this.#keys === undefined) throw new Error('The key of the operator is not loaded.');
    return this.#keys;
  }
}

function keysOf(key: Buffer): Keys {
  const derive = (purpose: string): Buffer => createHmac('sha256', key).update(purpose).digest();
  return {
    id: derive('id').toString('hex').slice(0, 8),
    address: derive('address'),
    mark: derive('mark'),
    resource: derive('resource'),
  };
}

/**
 * The address of an instance's gateway as `host:port/path` in canonical form; undefined if it is unknown. Instances
 * with the same address belong to the same gateway, even if they use different keys. Different names of one gateway,
 * such as DNS aliases, are not recognized here but by the link of a record to a budget row.
 * @param clusterDomain see {@link addressOf}
 */
export function gatewayAddress({ metadata, spec, status }: GatewayInstance, clusterDomain: string): string | undefined {
  if (spec.endpoint !== undefined) return addressOf(spec.endpoint, clusterDomain);
  if (spec.serviceRef === undefined) return undefined;
  const { name, scheme, port } = spec.serviceRef;
  const service = `${scheme ?? instanceDefaults.serviceRef.scheme}://${name}.${metadata.namespace}.svc`;
  if (port !== undefined) return addressOf(`${service}:${port}`, clusterDomain);
  // The reconcile of the instance has stored the only port of the Service in the status.
  const known = status?.endpoint;
  return known?.startsWith(`${service}:`) === true ? addressOf(known, clusterDomain) : undefined;
}

/**
 * The canonical form of an address. Of the scheme, only its default port counts.
 * @param clusterDomain the DNS domain of the cluster, such as `cluster.local`
 */
export function addressOf(endpoint: string, clusterDomain: string): string | undefined {
  const url = URL.parse(endpoint);
  if (url === null) return undefined;
  const port = url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80';
  const path = url.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  return `${hostOf(url.hostname.toLowerCase(), clusterDomain)}:${port}${path}`;
}

/**
 * `name.namespace`, `name.namespace.svc` and `name.namespace.svc.<cluster domain>` are one Service. A name with a final
 * dot is not completed by the resolver, so it leads to a Service only with the cluster domain: `litellm.ai.` belongs to
 * whoever owns that domain.
 */
function hostOf(host: string, clusterDomain: string): string {
  const name = host.replace(/\.+$/, '');
  const isAbsolute = name !== host;
  const suffix = `.svc.${clusterDomain}`;
  if (name.endsWith(suffix)) return serviceOf(name.slice(0, -suffix.length)) ?? name;
  if (isAbsolute) return name.endsWith('.svc') ? host : name;
  return serviceOf(name.replace(/\.svc$/, '')) ?? name;
}

function serviceOf(name: string): string | undefined {
  return /^[^.[\]]+\.[^.[\]]+$/.test(name) ? `${name}.svc` : undefined;
}

/** The resource and the object at a gateway that a mark connects. */
export interface MarkSubject {
  readonly kind: 'GatewayCustomer' | 'GatewayBudget' | 'GatewayKey';
  readonly namespace: string;
  readonly name: string;
  /** The id of the customer or of the budget at the gateway; a key has the name of its resource. */
  readonly id: string;
}

/** The content of a mark. */
export interface OwnershipMark {
  /** The digest of the gateway's address: see {@link GatewayIdentity.digest}. */
  readonly gateway: string;
  /** The uid of the resource when the mark was signed. A resource that was restored from a backup has another one. */
  readonly uid: string;
  /** The fields that the operator had set, or was about to set, when it signed the mark. */
  readonly fields: readonly string[];
  /** When the mark was signed, in RFC 3339. */
  readonly signedAt: string;
}

/** The text of a mark, for an annotation: JSON of its content and of a message authentication code. */
export function signedMark(
  key: Buffer,
  subject: MarkSubject,
  { gateway, uid, fields, signedAt }: OwnershipMark,
): string {
  const mark = { gateway, uid, fields, signedAt };
  return JSON.stringify({ ...mark, mac: macOf(key, subject, mark).toString('base64url') });
}

/** The mark in a text; undefined if the text is no mark of this subject that was signed with this key. */
export function verifiedMark(key: Buffer, subject: MarkSubject, text: string): OwnershipMark | undefined {
  const { mark, mac } = parsed(text) ?? {};
  if (mark === undefined || mac === undefined) return undefined;
  const expected = macOf(key, subject, mark);
  return mac.length === expected.length && timingSafeEqual(mac, expected) ? mark : undefined;
}

function macOf(key: Buffer, subject: MarkSubject, { gateway, uid, fields, signedAt }: OwnershipMark): Buffer {
  const { kind, namespace, name, id } = subject;
  const text = JSON.stringify([kind, namespace, name, id, gateway, uid, fields, signedAt]);
  return createHmac('sha256', key).update(text).digest();
}

function parsed(text: string): { readonly mark: OwnershipMark; readonly mac: Buffer } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { gateway, uid, fields, signedAt, mac } = value as Partial<Record<keyof OwnershipMark | 'mac', unknown>>;
  if (typeof gateway !== 'string' || typeof uid !== 'string') return undefined;
  if (typeof signedAt !== 'string' || typeof mac !== 'string') return undefined;
  if (!Array.isArray(fields) || !fields.every((field): field is string => typeof field === 'string')) return undefined;
  return { mark: { gateway, uid, fields, signedAt }, mac: Buffer.from(mac, 'base64url') };
}

/** A resource that belongs to an instance: a customer, a budget or a key. */
interface Referring {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly instanceRef: InstanceRef };
}

/** The instances, and the index of them by {@link GatewayIdentity.indexKeys}. */
export interface KnownInstances {
  readonly identity: GatewayIdentity;
  readonly instances: Pick<Lister<GatewayInstance>, 'get'>;
  readonly byGateway: Index<GatewayInstance>;
}

/** The instance that a resource refers to. */
export function instanceKeyOf({ spec, metadata }: Referring): ObjectKey {
  return { name: spec.instanceRef.name, namespace: spec.instanceRef.namespace ?? metadata.namespace };
}

/** The index keys of a resource, for an index of the resources of each instance: `namespace/name` of the instance. */
export function instanceIndexKeys(resource: Referring): readonly string[] {
  return [keyText(instanceKeyOf(resource))];
}

/** All instances of the same gateway, including this one. */
export function instancesOfGateway(sources: KnownInstances, own: ObjectKey): readonly ObjectKey[] {
  const address = addressOfGateway(sources, own);
  const others = address === undefined ? [] : sources.byGateway.keys(address);
  return [own, ...others.filter((key) => keyText(key) !== keyText(own))];
}

/** The canonical address of an instance's gateway, if known. */
export function addressOfGateway(
  { identity, instances }: Pick<KnownInstances, 'identity' | 'instances'>,
  key: ObjectKey,
): string | undefined {
  return identity.addressOfInstance(instances.get(key));
}
