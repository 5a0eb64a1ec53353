/** How the running guardrail serves TLS, and how it serves it next: the gateway must be able to call it all the time. Pure. */
import type { V1Deployment } from '@kubernetes/client-node';
import type { FromServer } from '../runtime/runtime.ts';
import { paths } from './settings.ts';

/** How a guardrail serves TLS. */
export interface ServedTls {
  /** The Secret with the certificate and its key. */
  readonly secretName: string;
  /** Whether clients need a certificate. */
  readonly isMutual: boolean;
}

/** How the guardrail's Deployment serves TLS. */
export interface RunningTls extends ServedTls {
  /** Whether every pod does so. */
  readonly isRolledOut: boolean;
}

/** How the template of a guardrail's Deployment serves TLS; undefined: it serves plain HTTP. */
export function templateTls(deployment: FromServer<V1Deployment>): ServedTls | undefined {
  const { containers = [], volumes = [] } = deployment.spec?.template.spec ?? {};
  const mounts = containers.flatMap(({ volumeMounts }) => volumeMounts ?? []);
  const mount = mounts.find(({ mountPath }) => mountPath === paths.tls);
  const secretName = volumes.find(({ name }) => name === mount?.name)?.secret?.secretName;
  if (secretName === undefined) return undefined;
  return { secretName, isMutual: mounts.some(({ mountPath }) => mountPath === paths.clientCa) };
}

/**
 * How the guardrail serves TLS from now on. A gateway that is not ready may not lack what it needs for a call. What the
 * guardrail has begun to serve, it keeps: a pod of the gateway that is not ready for a moment does not change that.
 * @param running undefined: it serves plain HTTP
 * @param isGatewayReady whether every pod of the gateway has what it needs to call a guardrail that serves `wanted`
 * @returns undefined: plain HTTP
 */
export function nextTls<T extends ServedTls>(
  wanted: T,
  running: ServedTls | undefined,
  isGatewayReady: boolean,
): T | undefined {
  if (isGatewayReady) return wanted;
  if (running === undefined) return undefined;
  // A certificate that no client is asked for anymore harms nobody.
  return { ...wanted, secretName: running.secretName, isMutual: running.isMutual && wanted.isMutual };
}
