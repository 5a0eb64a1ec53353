import type { V1Deployment } from '@kubernetes/client-node';
import { expect } from 'chai';
import type { FromServer } from '../runtime/runtime.ts';
import type { WorkloadInputs } from './workload.ts';
import type { ProxyDeployment, Rollout } from './sidecar.ts';
import { hasSidecar, listensEverywhere, mountsConfigMap, mountsSecret, proxyPatch, rolloutOf } from './sidecar.ts';
import { instanceOf } from '../instance/testing/instances.ts';

type Pod = NonNullable<NonNullable<FromServer<V1Deployment>['spec']>['template']['spec']>;

const inputs: WorkloadInputs = { defaultImage: 'operator:1', policy: undefined, keyRevision: '0.0', configHash: 'abc' };
const nothing = { sidecar: undefined, configHash: undefined, apiKeyHash: undefined };

function proxyOf(pod: Partial<Pod> = {}): ProxyDeployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'litellm', namespace: 'ai', uid: 'uid-2', resourceVersion: '1', generation: 4 },
    spec: { selector: {}, template: { spec: { containers: [{ name: 'litellm' }], ...pod } } },
  };
}

describe("the operator's part of the gateway's Deployment", () => {
  it('is empty if the spec requests nothing', () => {
    expect(proxyPatch(instanceOf(), proxyOf(), nothing)).to.deep.equal({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'litellm', namespace: 'ai', uid: 'uid-2' },
    });
  });

  it('has no container of the owner and no other field of the pod', () => {
    const patch = proxyPatch(instanceOf(), proxyOf(), { ...nothing, sidecar: { spec: {}, inputs } });
    expect(patch).to.have.nested.property('spec.template.spec').that.has.all.keys('initContainers', 'volumes');
    expect(patch).to.have.nested.property('spec.template.spec.initContainers[0].restartPolicy', 'Always');
    expect(patch).to.have.nested.property('spec.template.spec.initContainers').that.has.length(1);
  });

  it('has annotations that roll the gateway out with a new configuration or key', () => {
    const patch = proxyPatch(instanceOf(), proxyOf(), { ...nothing, configHash: 'one', apiKeyHash: 'two' });
    expect(patch).to.have.deep.nested.property('spec.template', {
      metadata: {
        annotations: { 'gateway.guardrail.dev/config-hash': 'one', 'gateway.guardrail.dev/api-key-hash': 'two' },
      },
    });
  });

  it('has a label on pods whose sidecar takes calls of applications', () => {
    const labels = (more: Partial<WorkloadInputs>): unknown =>
      (
        proxyPatch(instanceOf(), proxyOf(), { ...nothing, sidecar: { spec: {}, inputs: { ...inputs, ...more } } })
          .spec as { template: { metadata: { labels?: object } } }
      ).template.metadata.labels;
    const inline = { port: 8081, upstream: 'http://127.0.0.1:4000', ca: undefined, customerHeaders: [] };
    expect(labels({ inline })).to.deep.equal({ 'gateway.guardrail.dev/guarded-by': 'main' });
    expect(labels({})).to.equal(undefined);
  });

  it('has probes that run inside the pod', () => {
    const { spec } = proxyPatch(instanceOf(), proxyOf(), { ...nothing, sidecar: { spec: { port: 9000 }, inputs } });
    const text = JSON.stringify(spec);
    expect(text).to.include('http://127.0.0.1:9000/healthz').and.to.not.include('readyz').and.to.not.include('httpGet');
  });
});

describe("the gateway's Deployment", () => {
  const key = { valueFrom: { secretKeyRef: { name: 'key', key: 'api-key' } } };
  for (const [what, pod, expected] of [
    ['nowhere', {}, false],
    ['as a variable', { containers: [{ name: 'a', env: [{ name: 'K', ...key }] }] }, true],
    ['as all variables', { containers: [{ name: 'a', envFrom: [{ secretRef: { name: 'key' } }] }] }, true],
    [
      'as a file',
      {
        containers: [{ name: 'a', volumeMounts: [{ name: 'v', mountPath: '/k' }] }],
        volumes: [{ name: 'v', secret: { secretName: 'key' } }],
      },
      true,
    ],
    [
      'as a projected file',
      {
        containers: [{ name: 'a', volumeMounts: [{ name: 'v', mountPath: '/k' }] }],
        volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'key' } }] } }],
      },
      true,
    ],
    ['in a volume that no container mounts', { volumes: [{ name: 'v', secret: { secretName: 'key' } }] }, false],
    ['of another name', { containers: [{ name: 'a', envFrom: [{ secretRef: { name: 'other' } }] }] }, false],
  ] as const) {
    it(`${expected ? 'has' : 'does not have'} a Secret ${what}`, () => {
      expect(mountsSecret(proxyOf(pod as unknown as Partial<Pod>), 'key')).to.equal(expected);
    });
  }

  it('has a ConfigMap if a container mounts it', () => {
    const volumes = [{ name: 'v', configMap: { name: 'config' } }];
    const containers = [{ name: 'a', volumeMounts: [{ name: 'v', mountPath: '/c' }] }];
    expect(mountsConfigMap(proxyOf({ volumes, containers }), 'config')).to.equal(true);
    expect(mountsConfigMap(proxyOf({ volumes }), 'config')).to.equal(false);
  });

  it('has the sidecar if it is among its init containers', () => {
    expect(hasSidecar(proxyOf())).to.equal(false);
    expect(hasSidecar(proxyOf({ initContainers: [{ name: 'gateway-guardrail' }] }))).to.equal(true);
  });

  const label = { 'gateway.guardrail.dev/guarded-by': 'main' };
  const complete = { observedGeneration: 4, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  for (const [what, labels, initContainers, status, expected] of [
    ['every pod is new', label, [{ name: 'gateway-guardrail' }], complete, true],
    ['the sidecar was removed', label, [], complete, false],
    ['the sidecar takes no calls', {}, [{ name: 'gateway-guardrail' }], complete, false],
    ['an old pod is left', label, [{ name: 'gateway-guardrail' }], { ...complete, replicas: 2 }, false],
  ] as const) {
    it(`takes calls of applications in ${expected ? 'every pod' : 'not every pod'} if ${what}`, () => {
      const proxy = proxyOf({ initContainers: [...initContainers] });
      const template = { ...proxy.spec?.template, metadata: { labels } };
      const deployment = { ...proxy, spec: { ...proxy.spec, template }, status } as unknown as ProxyDeployment;
      expect(listensEverywhere(instanceOf(), deployment)).to.equal(expected);
    });
  }

  const counts = { replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
  const stuck = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
  for (const [what, status, expected] of [
    ['nothing known', undefined, 'inProgress'],
    ['an older generation', { ...counts, observedGeneration: 3 }, 'inProgress'],
    ['all pods are new and available', { ...counts, observedGeneration: 4 }, 'complete'],
    ['one old pod is left', { ...counts, observedGeneration: 4, replicas: 3 }, 'inProgress'],
    ['a new pod is not available', { ...counts, observedGeneration: 4, availableReplicas: 1 }, 'inProgress'],
    ['a pod to come', { observedGeneration: 4, replicas: 1, updatedReplicas: 1, availableReplicas: 1 }, 'inProgress'],
    ['no way on', { ...counts, observedGeneration: 4, availableReplicas: 0, conditions: stuck }, 'failed'],
    [
      'an exceeded deadline of an older generation',
      { ...counts, observedGeneration: 3, conditions: stuck },
      'inProgress',
    ],
  ] as const) {
    it(`with ${what}: its rollout is ${expected satisfies Rollout}`, () => {
      const proxy = proxyOf();
      const deployment = { ...proxy, spec: { ...proxy.spec, replicas: 2 }, status } as unknown as ProxyDeployment;
      expect(rolloutOf(deployment)).to.equal(expected);
    });
  }
});
