/** Reads what a guardrail needs to forward the calls of applications to the gateway. */
import { createHash } from 'node:crypto';
import type { GatewayInstance, Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { ignoreNotFound, services } from '../cluster/cluster.ts';
import { readCustomerHeaders } from '../configuration/configuration.ts';
import { readBase } from '../connection/connection.ts';
import { keyText, type KubeClient } from '../runtime/runtime.ts';
import { gatewayPort, takenPorts } from './gatewayPort.ts';
import { GuardrailNotReadyError, readSecret } from './basics.ts';
import { type InlineListener, inlinePortOf } from './settings.ts';
import type { ProxyDeployment } from './sidecar.ts';

type Client = Pick<KubeClient, 'get'>;

/**
 * The listener of a sidecar, which forwards calls to its own pod.
 * @throws GuardrailNotReadyError if the gateway's port is not known, or expects TLS; ApiError
 */
export async function sidecarListener(
  client: Client,
  instance: GatewayInstance,
  spec: Guardrail,
  deployment: ProxyDeployment,
): Promise<InlineListener> {
  const { serviceRef, endpoint } = instance.spec;
  if (serviceRef?.scheme === 'https') {
    throw new GuardrailNotReadyError(
      'NotSupported',
      'A sidecar calls the gateway of its pod at 127.0.0.1, for which the certificate of the gateway is not valid. Set spec.guardrail.mode to Deployment, or serve plain HTTP within the pod and set spec.serviceRef.scheme to http.',
    );
  }
  const port = await readGatewayPort(client, instance, deployment);
  return {
    port: inlinePortOf(spec, [...takenPorts(deployment), port]),
    upstream: `http://127.0.0.1:${port}${pathOf(endpoint)}`,
    ca: undefined,
    customerHeaders: await customerHeadersOf(client, instance),
  };
}

/**
 * The listener of a guardrail outside of the gateway's pods.
 * @param endpoint the gateway's address; undefined if it is not known
 * @throws GuardrailNotReadyError if the address or its certificate authority is missing; ApiError
 */
export async function deploymentListener(
  client: Client,
  instance: GatewayInstance,
  spec: Guardrail,
  endpoint: string | undefined,
): Promise<InlineListener> {
  if (endpoint === undefined) {
    throw new GuardrailNotReadyError(
      'EndpointUnknown',
      'The guardrail cannot forward calls, because the address of the gateway is not known. See the condition Reachable.',
    );
  }
  // The authority of the gateway is that of the MCP server, too.
  const isEncrypted = [endpoint, spec.mcp?.upstream].some((url) => url?.startsWith('https:'));
  return {
    port: inlinePortOf(spec, []),
    upstream: endpoint,
    ca: isEncrypted ? await readCa(client, instance) : undefined,
    customerHeaders: await customerHeadersOf(client, instance),
  };
}

/** @throws GuardrailNotReadyError if the port is not known; ApiError */
export async function readGatewayPort(
  client: Client,
  instance: GatewayInstance,
  deployment: ProxyDeployment,
): Promise<number> {
  const { namespace } = instance.metadata;
  const { serviceRef, workloadRef } = instance.spec;
  const service =
    serviceRef === undefined || workloadRef?.port !== undefined
      ? undefined
      : await client.get(services, { namespace, name: serviceRef.name }).catch(ignoreNotFound);
  return gatewayPort(instance, deployment, service);
}

async function customerHeadersOf(client: Client, instance: GatewayInstance): Promise<readonly string[]> {
  return await readCustomerHeaders(keyText(instance.metadata), await readBase(client, instance));
}

async function readCa(client: Client, instance: GatewayInstance): Promise<InlineListener['ca']> {
  const ref = instance.spec.tls?.caSecretRef;
  if (ref === undefined) return undefined;
  const { value: certificates } = await readSecret(client, instance, ref);
  if (certificates === undefined) {
    throw new GuardrailNotReadyError(
      'CaSecretMissing',
      `Secret ${ref.name} in namespace ${instance.metadata.namespace} has no value under key ${ref.key}. Store the certificates of the gateway's certificate authority in it, or correct spec.tls.caSecretRef.`,
    );
  }
  return { ref, digest: createHash('sha256').update(certificates).digest('hex').slice(0, 16) };
}

function pathOf(endpoint: string | undefined): string {
  const { pathname = '' } = endpoint === undefined ? {} : (URL.parse(endpoint) ?? {});
  return pathname.replace(/\/+$/, '');
}
