/** Recognizes instances of the same gateway by their addresses. Pure. */
import { createHash } from 'node:crypto';
import { type GatewayInstance, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';

/**
 * The address of an instance's gateway as `host:port/path` in canonical form; undefined if it is unknown. Instances
 * with the same address belong to the same gateway, even if they use different keys. Different names of one gateway,
 * such as DNS aliases, are not recognized here but by the link of a record to a budget row.
 */
export function gatewayAddress({ metadata, spec, status }: GatewayInstance): string | undefined {
  if (spec.endpoint !== undefined) return addressOf(spec.endpoint);
  if (spec.serviceRef === undefined) return undefined;
  const { name, scheme, port } = spec.serviceRef;
  const service = `${scheme ?? instanceDefaults.serviceRef.scheme}://${name}.${metadata.namespace}.svc`;
  if (port !== undefined) return addressOf(`${service}:${port}`);
  // The reconcile of the instance has stored the only port of the Service in the status.
  return status?.endpoint?.startsWith(`${service}:`) === true ? addressOf(status.endpoint) : undefined;
}

/** The canonical form of an address. Of the scheme, only its default port counts. */
export function addressOf(endpoint: string): string | undefined {
  const url = URL.parse(endpoint);
  if (url === null) return undefined;
  const port = url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80';
  const path = url.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  return `${hostOf(url.hostname.toLowerCase().replace(/\.+$/, ''))}:${port}${path}`;
}

/** `name.namespace`, `name.namespace.svc` and `name.namespace.svc.<cluster domain>` are one Service. */
function hostOf(host: string): string {
  const service = /^([^.[\]]+)\.([^.[\]]+)(?:\.svc(?:\..+)?)?$/.exec(host);
  return service === null ? host : `${service[1]}.${service[2]}.svc`;
}

/** The digest of an address for the status of customers and budgets, whose users may not know the address. */
export function addressDigest(address: string): string {
  return createHash('sha256').update(address).digest('hex').slice(0, 16);
}
