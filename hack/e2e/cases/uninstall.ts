import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { OPERATOR_NAME } from '../../../operator/operatorName.ts';
import { temporaryFolder } from '../../harness/processes.ts';
import { cluster } from '../environment.ts';
import {
  CRDS,
  install,
  OPERATOR_NAMESPACE,
  operatorAvailable,
  operatorPods,
  remove,
  type Reach,
} from '../installation.ts';
import { othersEnded } from '../sideBySide.ts';
import { apply, becomes, becomesEqual, get, kubectlIn, mayDo, POD_MS, resourceIn, Testbed } from '../testbed.ts';

const ROOT = join(import.meta.dirname, '../../..');
const REVISION = 'gateway.guardrail.dev/crd-revision';
const [CUSTOMERS = ''] = CRDS;

interface Definition {
  metadata: { annotations: Record<string, string> };
  spec: {
    versions: {
      schema: { openAPIV3Schema: { properties: { spec: { properties: Record<string, unknown> } } } };
      additionalPrinterColumns: unknown[];
    }[];
  };
}

/** The customer CRD of a fictitious earlier release, without some newer fields. */
function olderDefinition(): string {
  const crd = parse(readFileSync(join(ROOT, 'crds', `${CUSTOMERS}.yaml`), 'utf8')) as Definition;
  crd.metadata.annotations[REVISION] = '0';
  for (const version of crd.spec.versions) {
    delete version.schema.openAPIV3Schema.properties.spec.properties.adoptionPolicy;
    version.additionalPrinterColumns.splice(2);
  }
  return stringify(crd, { aliasDuplicateObjects: false });
}

/** The scope of an operator that watches all namespaces. */
const CLUSTER_WIDE: Reach = { components: ['cluster-wide'] };

const revision = async (): Promise<string | undefined> =>
  (await get('crd', CUSTOMERS))?.metadata.annotations?.[REVISION];

/** Starts beside the other cases, so that this one need not wait. */
const started = start();
// The case that awaits the promise reports the failure.
started.catch(() => undefined);

async function start(): Promise<Testbed> {
  const testbed = await Testbed.start('uninstall', 1);
  await testbed.instance({});
  await testbed.customer('kept', { maxBudget: 4 });
  await testbed.synced('kept');
  return testbed;
}

describe('uninstalling and upgrading', () => {
  let testbed: Testbed;
  before(async () => {
    testbed = await started;
    await othersEnded('uninstall');
  });
  after(() => testbed.end());

  it('kubectl delete -k removes the operator, and keeps CRDs, resources and records', async () => {
    await remove();
    expect(await get('namespace', OPERATOR_NAMESPACE)).to.equal(undefined);
    for (const name of CRDS) expect(await get('crd', name), name).not.to.equal(undefined);
    expect(await get('gcust', 'kept', testbed.namespace)).not.to.equal(undefined);
    expect(await testbed.record('kept')).not.to.equal(undefined);
    const roles = await cluster().kubectl(['get', 'clusterroles,clusterrolebindings', '-o', 'name']);
    expect(roles.split('\n').filter((name) => name.includes('gateway-guardrail'))).to.deep.equal([]);
  });

  it('a new installation for all namespaces continues where the previous one stopped', async () => {
    await install(CLUSTER_WIDE);
    await kubectlIn(testbed.namespace, 'patch', 'gcust/kept', '--type=merge', '-p', '{"spec":{"alias":"Kept"}}');
    await testbed.synced('kept', POD_MS);
    expect(await testbed.record('kept')).to.include({ alias: 'Kept' });
  });

  it('upgrades CRDs of an earlier release, and keeps stored resources', async () => {
    const expected = await revision();
    await cluster().kubectl(['scale', `deployment/${OPERATOR_NAME}`, '-n', OPERATOR_NAMESPACE, '--replicas=0']);
    await becomesEqual(operatorPods, [], POD_MS);
    const file = join(temporaryFolder('older-'), 'crd.yaml');
    writeFileSync(file, olderDefinition());
    await cluster().kubectl(['replace', '-f', file]);
    await testbed.customer('stored', { maxBudget: 5 });
    await install(CLUSTER_WIDE);
    await becomesEqual(revision, expected);
    for (const name of ['kept', 'stored']) await testbed.synced(name, POD_MS);
    // Accepts a field that the older CRD lacks.
    await testbed.customer('stored', { maxBudget: 5, adoptionPolicy: 'Refuse' });
    expect((await get('gcust', 'stored', testbed.namespace))?.spec).to.include({ adoptionPolicy: 'Refuse' });
  });

  it('never replaces a newer CRD with an older one', async () => {
    const before = await revision();
    await cluster().kubectl(['annotate', 'crd', CUSTOMERS, `${REVISION}=999999`, '--overwrite']);
    try {
      await cluster().kubectl(['rollout', 'restart', `deployment/${OPERATOR_NAME}`, '-n', OPERATOR_NAMESPACE]);
      await operatorAvailable();
      await testbed.customer('under-newer');
      await testbed.synced('under-newer', POD_MS);
      expect(await revision()).to.equal('999999');
    } finally {
      await cluster().kubectl(['annotate', 'crd', CUSTOMERS, `${REVISION}=${before ?? ''}`, '--overwrite']);
    }
  });

  it('watches only its own namespace with kubectl apply -k ., and has no access to others', async () => {
    await remove(CLUSTER_WIDE);
    await install({});
    const other = await get('ginst', 'main', testbed.namespace);
    const spec = {
      endpoint: `http://gateway-admin.${testbed.namespace}.svc.cluster.local:4000`,
      masterKeySecretRef: { name: 'missing', key: 'key' },
    };
    await apply([resourceIn(OPERATOR_NAMESPACE, 'GatewayInstance', 'own', spec)]);
    await becomes('ginst', 'own', OPERATOR_NAMESPACE, { type: 'Ready', status: 'False' }, POD_MS);
    await kubectlIn(testbed.namespace, 'annotate', 'ginst/main', 'look=again');
    expect((await get('ginst', 'main', testbed.namespace))?.status).to.deep.equal(other?.status);
    const user = `system:serviceaccount:${OPERATOR_NAMESPACE}:${OPERATOR_NAME}`;
    expect(await mayDo(user, 'get', 'secrets', 'kube-system')).to.equal(false);
    await kubectlIn(OPERATOR_NAMESPACE, 'delete', 'ginst/own', '--timeout=30s');
  });

  it('a complete uninstallation leaves nothing behind', async () => {
    await install({ namespaces: [testbed.namespace] });
    await cluster().kubectl(['delete', 'gcust,gbud,ginst,gpol', '--all', '-A', '--timeout=90s']);
    expect(await testbed.record('kept')).to.equal(undefined);
    await remove({ namespaces: [testbed.namespace] });
    await cluster().kubectl(['delete', '-k', join(ROOT, 'crds'), '--timeout=60s']);
    const kinds = await cluster().kubectl(['api-resources', '--api-group=gateway.guardrail.dev', '-o', 'name']);
    expect(kinds).to.equal('');
  });
});
