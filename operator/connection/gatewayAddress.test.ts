import { expect } from 'chai';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { addressOf, gatewayAddress } from './gatewayAddress.ts';

describe('the address of a gateway', () => {
  const service = 'litellm.ai.svc:4000';
  for (const [address, expected] of [
    ['http://litellm.ai.svc:4000', service],
    ['http://LITELLM.ai.svc:4000/', service],
    ['http://litellm.ai.svc.cluster.local:4000', service],
    ['http://litellm.ai.svc.cluster.local.:4000//', service],
    ['https://litellm.ai:4000', service],
    ['https://gateway.example.com', 'gateway.example.com:443'],
    ['https://Gateway.Example.com.:443/', 'gateway.example.com:443'],
    ['http://gateway.example.com', 'gateway.example.com:80'],
    ['https://gateway.example.com/team//a/', 'gateway.example.com:443/team/a'],
    ['http://127.0.0.1:4000', '127.0.0.1:4000'],
    ['http://[::1]:4000', '[::1]:4000'],
    ['http://127.0.0.1:99999', undefined],
  ] as const) {
    it(`${address} is ${expected ?? 'unknown'}`, () => {
      expect(addressOf(address)).to.equal(expected);
    });
  }

  it('is the same for an endpoint and for a Service whose only port is in the status', () => {
    const instance = (spec: object, status?: object): GatewayInstance =>
      ({ metadata: { name: 'main', namespace: 'ai' }, spec, status }) as unknown as GatewayInstance;
    expect(gatewayAddress(instance({ endpoint: 'http://litellm.ai.svc.cluster.local:4000' }))).to.equal(service);
    expect(gatewayAddress(instance({ serviceRef: { name: 'litellm', port: 4000 } }))).to.equal(service);
    expect(
      gatewayAddress(instance({ serviceRef: { name: 'litellm' } }, { endpoint: 'http://litellm.ai.svc:4000' })),
    ).to.equal(service);
    expect(gatewayAddress(instance({ serviceRef: { name: 'litellm' } }))).to.equal(undefined);
    expect(
      gatewayAddress(instance({ serviceRef: { name: 'litellm' } }, { endpoint: 'http://other.ai.svc:4000' })),
    ).to.equal(undefined);
  });
});
