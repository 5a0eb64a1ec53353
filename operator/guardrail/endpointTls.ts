/** How the operator verifies a guardrail that it calls. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { configMaps, ignoreNotFound, namesOf, secrets, secretValue } from '../cluster/cluster.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { files, tlsFiles } from './settings.ts';

/** The options of a TLS connection to a guardrail. */
export interface EndpointTls {
  /** The name in the guardrail's certificate. */
  readonly servername: string;
  /** The authorities of the guardrail; undefined: the public ones. */
  readonly ca?: string;
  /** The certificate of the operator and its key. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Where the authorities of the guardrail are read from. The Secret also has their keys, so that only the operator reads it:
 * a user reads the ConfigMap, which more people may write.
 */
export type AuthoritiesSource = 'Secret' | 'ConfigMap';

/**
 * @param url the address of the guardrail within the cluster
 * @returns undefined for plain HTTP
 * @throws ApiError
 */
export async function readEndpointTls(
  client: Pick<KubeClient, 'get'>,
  instance: GatewayInstance,
  url: string,
  source: AuthoritiesSource = 'Secret',
): Promise<EndpointTls | undefined> {
  if (!url.startsWith('https:')) return undefined;
  const { namespace } = instance.metadata;
  const names = namesOf(instance);
  const valuesOf = async (name: string, keys: readonly string[]): Promise<(string | undefined)[]> => {
    const secret = await client.get(secrets, { namespace, name }).catch(ignoreNotFound);
    return keys.map((key) => secret && secretValue(secret, key));
  };
  const isMutual = instance.spec.guardrail?.tls?.clientAuth !== undefined;
  const [ca] =
    source === 'Secret'
      ? await valuesOf(names.ca, [files.ca])
      : [(await client.get(configMaps, { namespace, name: names.ca }).catch(ignoreNotFound))?.data?.[files.ca]];
  const [cert, key] = isMutual ? await valuesOf(names.clientSecret, [tlsFiles.certificate, tlsFiles.key]) : [];
  return {
    servername: new URL(url).hostname,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}
