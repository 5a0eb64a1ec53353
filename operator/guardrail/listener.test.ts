import { expect } from 'chai';
import { instanceOf } from '../instance/testing/instances.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { deploymentListener } from './listener.ts';

const secret = { metadata: { name: 'ca', namespace: 'ai' }, data: { 'ca.crt': Buffer.from('PEM').toString('base64') } };
const client = { get: () => Promise.resolve(secret) } as unknown as Pick<KubeClient, 'get'>;
const ref = { name: 'ca', key: 'ca.crt' };

describe('the listener of a guardrail outside of the pods of the gateway', () => {
  for (const [endpoint, upstream, trusts] of [
    ['http://gateway', undefined, false],
    ['https://gateway', undefined, true],
    ['http://gateway', 'http://crm:3000', false],
    ['http://gateway', 'https://crm', true],
    ['https://gateway', 'http://crm:3000', true],
  ] as const) {
    it(`trusts ${trusts ? 'the authority' : 'no authority'} of spec.tls with ${endpoint} and ${upstream ?? 'no MCP server'}`, async () => {
      const spec = upstream === undefined ? {} : { mcp: { upstream } };
      const instance = instanceOf({ tls: { caSecretRef: ref } });
      const { ca } = await deploymentListener(client, instance, spec, endpoint);
      expect(ca?.ref).to.deep.equal(trusts ? ref : undefined);
    });
  }
});
