import { expect } from 'chai';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { addressOf, gatewayAddress } from './gatewayIdentity.ts';

describe('the address of a gateway', () => {
  const service = 'litellm.ai.svc:4000';
  for (const [address, expected] of [
    ['http://litellm.ai.svc:4000', service],
    ['http://LITELLM.ai.svc:4000/', service],
    ['http://litellm.ai.svc.cluster.local:4000', service],
    ['http://litellm.ai.svc.cluster.local.:4000//', service],
    ['https://litellm.ai:4000', service],
    ['http://litellm.ai.svc.evil.com:4000', 'litellm.ai.svc.evil.com:4000'],
    ['http://litellm.ai.svc.cluster.local.evil.com:4000', 'litellm.ai.svc.cluster.local.evil.com:4000'],
    ['http://litellm.ai.:4000', 'litellm.ai:4000'],
    ['http://litellm.ai.svc.:4000', 'litellm.ai.svc.:4000'],
    ['http://pod.litellm.ai.svc.cluster.local:4000', 'pod.litellm.ai.svc.cluster.local:4000'],
    ['https://gateway.example.com', 'gateway.example.com:443'],
    ['https://Gateway.Example.com.:443/', 'gateway.example.com:443'],
    ['http://gateway.example.com', 'gateway.example.com:80'],
    ['https://gateway.example.com/team//a/', 'gateway.example.com:443/team/a'],
    ['http://127.0.0.1:4000', '127.0.0.1:4000'],
    ['http://[::1]:4000', '[::1]:4000'],
    ['http://127.0.0.1:99999', undefined],
  ] as const) {
    it(`${address} is ${expected ?? 'unknown'}`, () => {
      expect(addressOf(address, 'cluster.local')).to.equal(expected);
    });
  }

  it('of a Service has the domain of this cluster, not of another', () => {
    expect(addressOf('http://litellm.ai.svc.prod.example:4000', 'prod.example')).to.equal(service);
    expect(addressOf('http://litellm.ai.svc.cluster.local:4000', 'prod.example')).to.equal(
      'litellm.ai.svc.cluster.local:4000',
    );
  });

  it('is the same for an endpoint and for a Service whose only port is in the status', () => {
    const instance = (spec: object, status?: object): GatewayInstance =>
      ({ metadata: { name: 'main', namespace: 'ai' }, spec, status }) as unknown as GatewayInstance;
    const addressIn = (known: GatewayInstance): string | undefined => gatewayAddress(known, 'cluster.local');
    expect(addressIn(instance({ endpoint: 'http://litellm.ai.svc.cluster.local:4000' }))).to.equal(service);
    expect(addressIn(instance({ serviceRef: { name: 'litellm', port: 4000 } }))).to.equal(service);
    expect(
      addressIn(instance({ serviceRef: { name: 'litellm' } }, { endpoint: 'http://litellm.ai.svc:4000' })),
    ).to.equal(service);
    expect(addressIn(instance({ serviceRef: { name: 'litellm' } }))).to.equal(undefined);
    expect(addressIn(instance({ serviceRef: { name: 'litellm' } }, { endpoint: 'http://other.ai.svc:4000' }))).to.equal(
      undefined,
    );
  });
});
