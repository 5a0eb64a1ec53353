import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { KubernetesObject } from '@kubernetes/client-node';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { withControlPlane } from '../../harness/controlplane.ts';
import { temporaryFolder } from '../../harness/processes.ts';
import { operatorRights } from './operatorRights.ts';

const manifests = join(import.meta.dirname, '../../../operator/manifests');

describe('the permissions of the operator', () => {
  const cluster = withControlPlane();

  it('are those of kubectl apply -k with the component cluster-wide', async () => {
    const folder = temporaryFolder('kustomize-');
    const resources = [relative(folder, manifests)];
    const components = [join(relative(folder, manifests), 'components/cluster-wide')];
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify({ resources, components }));
    const text = await cluster().kubectl(['kustomize', folder]);
    const all = parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
    const bare = (objects: readonly KubernetesObject[]): unknown[] =>
      objects
        // Labels identify the owner of an object and grant no permission.
        .map(({ metadata, ...rest }) => ({ name: metadata?.name, namespace: metadata?.namespace, ...rest }))
        .sort((a, b) => `${a.kind} ${a.name}`.localeCompare(`${b.kind} ${b.name}`));
    const rights = operatorRights(manifests);
    const kinds = rights.map(({ kind }) => kind);
    expect(kinds).to.include.members(['Namespace', 'ServiceAccount', 'ClusterRoleBinding', 'RoleBinding']);
    expect(bare(rights)).to.deep.equal(bare(all.filter(({ kind }) => kinds.includes(kind))));
  });
});
