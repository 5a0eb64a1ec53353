/** Which instances lead to the same gateway, as far as their addresses tell. Pure. */
import { createHash } from 'node:crypto';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';

/**
 * The gateway that an instance leads to, as `host:port/path` in one spelling; undefined where it is not known yet. Two
 * instances with the same address lead to the same gateway, whatever key they use. Two names of one gateway that differ,
 * such as a DNS alias, are not recognized here: there, the link to a resource's budget row tells.
 */
export function gatewayAddress({ metadata, spec, status }: GatewayInstance): string | undefined {
  if (spec.endpoint !== undefined) return addressOf(spec.endpoint);
  if (spec.serviceRef === undefined) return undefined;
  const { name, scheme, port } = spec.serviceRef;
  const service = `${scheme ?? 'http'}://${name}.${metadata.namespace}.svc`;
  if (port !== undefined) return addressOf(`${service}:${port}`);
  // The only port of the Service, which the instance's own reconcile has read.
  return status?.endpoint?.startsWith(`${service}:`) === true ? addressOf(status.endpoint) : undefined;
}

/** One spelling for every way to write an address. The scheme counts by its default port alone. */
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

/** An address as it stands in the status of customers, whose authors need not know it. */
export function addressDigest(address: string): string {
  return createHash('sha256').update(address).digest('hex').slice(0, 16);
}
