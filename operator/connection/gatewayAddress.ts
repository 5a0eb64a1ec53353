/** Recognizes instances of the same gateway by their addresses. Pure. */
import { type GatewayInstance, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';

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
