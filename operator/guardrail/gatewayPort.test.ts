import type { V1ContainerPort, V1Service, V1ServicePort } from '@kubernetes/client-node';
import { expect } from 'chai';
import type { GatewayInstance, GatewayInstanceSpec } from '../api/v1alpha1/v1alpha1.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import type { FromServer } from '../runtime/runtime.ts';
import { gatewayPort, takenPorts } from './gatewayPort.ts';
import { GuardrailNotReadyError } from './basics.ts';
import type { ProxyDeployment } from './sidecar.ts';

function deploymentOf(ports: readonly Partial<V1ContainerPort>[]): ProxyDeployment {
  const containers = [{ name: 'litellm', ports }, { name: 'no-ports' }];
  return {
    metadata: { name: 'litellm', namespace: 'ai' },
    spec: { selector: {}, template: { spec: { containers } } },
  } as unknown as ProxyDeployment;
}

function serviceOf(ports: readonly Partial<V1ServicePort>[]): FromServer<V1Service> {
  return { spec: { ports } } as unknown as FromServer<V1Service>;
}

const none: readonly Partial<V1ContainerPort>[] = [];
const one = [{ containerPort: 4000, name: 'api' }];
const several = [...one, { containerPort: 9000, name: 'metrics' }, { containerPort: 53, protocol: 'UDP' }];
const { endpoint: _endpoint, ...withoutAddress } = instanceOf().spec;
const at = (endpoint: string): GatewayInstanceSpec => ({ ...withoutAddress, endpoint });
const behind = (port?: number): GatewayInstanceSpec => ({
  ...withoutAddress,
  serviceRef: { name: 'litellm', ...(port === undefined ? {} : { port }) },
});

describe("the gateway's port", () => {
  for (const [what, spec, ports, service, expected] of [
    ['the one of the spec', { ...behind(80), workloadRef: { name: 'litellm', port: 5000 } }, several, undefined, 5000],
    ['the only one of the pod', at('https://gateway.example.com'), one, undefined, 4000],
    ['the one with the number of the endpoint', at('http://litellm:9000'), several, undefined, 9000],
    ['unclear without a port in the endpoint', at('https://gateway.example.com'), several, undefined, undefined],
    ['unclear if the pod declares none', at('http://litellm:4000'), none, undefined, undefined],
    ['never that of another protocol', at('http://litellm:53'), several, undefined, undefined],
    ['the target of the Service', behind(80), none, [{ port: 80, targetPort: 4000 }], 4000],
    ['the target of the only port', behind(), none, [{ port: 80, targetPort: 4000 }], 4000],
    ['the named target', behind(80), several, [{ port: 80, targetPort: 'metrics' }], 9000],
    ['the port of the Service without a target', behind(80), none, [{ port: 80 }], 80],
    ['unclear if no container has the name', behind(80), one, [{ port: 80, targetPort: 'http' }], undefined],
    ['unclear if the Service has several', behind(), one, [{ port: 80 }, { port: 81 }], undefined],
    ['unclear if the Service lacks the port', behind(82), one, [{ port: 80 }], undefined],
    ['unclear without the Service', behind(80), one, undefined, undefined],
  ] as const) {
    it(`is ${what}`, () => {
      const of: GatewayInstance = { ...instanceOf(), spec };
      const read = (): number =>
        gatewayPort(of, deploymentOf(ports), service === undefined ? undefined : serviceOf(service));
      if (expected === undefined) expect(read).to.throw(GuardrailNotReadyError, 'Set spec.workloadRef.port.');
      else expect(read()).to.equal(expected);
    });
  }

  it('is one of those that a listener must avoid', () => {
    expect(takenPorts(deploymentOf(several))).to.deep.equal([4000, 9000]);
  });
});
