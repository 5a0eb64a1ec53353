import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import * as kinds from '../api/kinds.ts';
import { GROUP } from '../api/v1alpha1/v1alpha1.ts';

const sample = join(import.meta.dirname, '../../hack/samples/argocd');

describe('the health check for Argo CD', () => {
  const cluster = withControlPlane();

  it("adds one key for each kind to Argo CD's ConfigMap, and keeps its other keys", async function () {
    this.timeout(30_000);
    const kubectl = cluster().kubectl.bind(cluster());
    await kubectl(['create', 'namespace', 'argocd']);
    await kubectl(['create', 'configmap', 'argocd-cm', '-nargocd', '--from-literal=url=https://argocd.example.com']);
    await kubectl(['apply', '--server-side', '-k', sample]);
    const { data, metadata } = JSON.parse(await kubectl(['get', 'cm', 'argocd-cm', '-nargocd', '-ojson'])) as {
      data: Record<string, string>;
      metadata: { labels: Record<string, string> };
    };
    const script = readFileSync(join(sample, 'health.lua'), 'utf8');
    const keys = Object.values(kinds).map(({ kind }) => `resource.customizations.health.${GROUP}_${kind}`);
    expect(data).to.deep.equal({
      url: 'https://argocd.example.com',
      ...Object.fromEntries(keys.map((key) => [key, script])),
    });
    expect(metadata.labels).to.deep.equal({ 'app.kubernetes.io/part-of': 'argocd' });
  });
});
