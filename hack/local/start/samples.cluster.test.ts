import { join } from 'node:path';
import { expect } from 'chai';
import { withControlPlane } from '../../harness/controlplane.ts';
import { readSamples } from './samples.ts';

const root = join(import.meta.dirname, '../../..');

interface Sample {
  kind: string;
  spec?: object;
  stringData?: object;
}

describe('samples', function () {
  this.timeout(60_000);
  const cluster = withControlPlane();
  const samples = (gateway: Parameters<typeof readSamples>[1]): Sample[] =>
    readSamples(join(root, 'hack/samples'), gateway) as Sample[];

  it('name the address and the key of the running gateway', () => {
    const all = samples({ url: 'http://127.0.0.1:1234', masterKey: 'sk-x', proxyName: 'litellm' });
    const instance = all.find(({ kind }) => kind === 'GatewayInstance');
    expect(instance?.spec).to.include({ endpoint: 'http://127.0.0.1:1234', proxyName: 'litellm' });
    expect(all.map(({ kind }) => kind)).to.include('GuardrailPolicy');
    expect(all.find(({ kind }) => kind === 'Secret')?.stringData).to.deep.equal({ 'master-key': 'sk-x' });
    expect(all.filter(({ kind }) => kind === 'GatewayCustomer')).to.have.length.above(2);
  });

  it('are accepted by the API server, without unknown fields', async () => {
    for (const kind of ['gatewaycustomers', 'gatewayinstances', 'gatewaybudgets', 'gatewaykeys', 'guardrailpolicies']) {
      await cluster().kubectl([
        'apply',
        '--server-side',
        '--force-conflicts',
        '-f',
        join(root, `crds/${kind}.gateway.guardrail.dev.yaml`),
      ]);
    }
    await cluster().kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
    const items = samples({ url: 'http://127.0.0.1:1234', masterKey: 'sk-x' });
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const answer = await cluster().kubectl(['create', '--dry-run=server', '--validate=strict', '-f', '-'], list);
    expect(answer.trim().split('\n')).to.have.length(items.length);
  });
});
