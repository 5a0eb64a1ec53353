/** The port on which the gateway listens in its pods. Pure. */
import type { V1Service } from '@kubernetes/client-node';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { FromServer } from '../runtime/runtime.ts';
import { GuardrailNotReadyError } from './basics.ts';
import type { ProxyDeployment } from './sidecar.ts';

interface Port {
  readonly name?: string | undefined;
  readonly number: number;
}

/**
 * The port on which the gateway listens in its pods.
 * @param service the Service of spec.serviceRef; undefined if the spec names none, or none exists
 * @throws GuardrailNotReadyError if neither the Service nor the Deployment tells it
 */
export function gatewayPort(
  { spec, metadata }: GatewayInstance,
  deployment: ProxyDeployment,
  service: FromServer<V1Service> | undefined,
): number {
  const ports = containerPorts(deployment);
  const port =
    spec.workloadRef?.port ??
    (spec.endpoint === undefined ? targetOf(service, spec.serviceRef?.port, ports) : portAt(spec.endpoint, ports));
  if (port !== undefined) return port;
  throw new GuardrailNotReadyError(
    'GatewayPortUnclear',
    `The operator cannot tell on which port the gateway listens in the pods of Deployment ${deployment.metadata.name} in namespace ${metadata.namespace}. Set spec.workloadRef.port.`,
  );
}

/** The ports that the owner's containers declare. */
export function takenPorts(deployment: ProxyDeployment): readonly number[] {
  return containerPorts(deployment).map(({ number }) => number);
}

function containerPorts({ spec }: ProxyDeployment): Port[] {
  return (spec?.template.spec?.containers ?? []).flatMap(({ ports }) =>
    (ports ?? [])
      .filter(({ protocol }) => (protocol ?? 'TCP') === 'TCP')
      .map(({ name, containerPort }) => ({ name, number: containerPort })),
  );
}

/** The port to which a Service leads. */
function targetOf(
  service: FromServer<V1Service> | undefined,
  wanted: number | undefined,
  ports: readonly Port[],
): number | undefined {
  const all = service?.spec?.ports ?? [];
  const found = wanted === undefined && all.length === 1 ? all[0] : all.find(({ port }) => port === wanted);
  const { targetPort, port } = found ?? {};
  if (typeof targetPort === 'string') return ports.find(({ name }) => name === targetPort)?.number;
  return targetPort ?? port;
}

/** The only port, or the one with the number in an address. */
function portAt(endpoint: string, ports: readonly Port[]): number | undefined {
  if (ports.length === 1) return ports[0]?.number;
  const { port } = URL.parse(endpoint) ?? {};
  return ports.find(({ number }) => String(number) === port)?.number;
}
