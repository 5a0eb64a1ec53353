/** The labels of the objects that the operator creates for an instance. */
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { configMapObject } from '../proxy/configMap.ts';
import { ApiError, type KubeClient } from '../runtime/runtime.ts';
import { customerListObjects } from './customerList.ts';
import { exclusivePolicy, guardedService } from './guarded.ts';
import { ensureKeySecret } from './keySecrets.ts';
import { guardrailWorkload } from './workload.ts';

const instance = instanceOf({}, 'main');
const NAME = 'gateway-guardrail-operator';
const unversioned = {
  'app.kubernetes.io/name': 'guardrail',
  'app.kubernetes.io/instance': 'main',
  'app.kubernetes.io/component': 'guardrail',
  'app.kubernetes.io/part-of': 'gateway-guardrail',
  'app.kubernetes.io/managed-by': NAME,
  'gateway.guardrail.dev/instance': 'main',
};
const versioned = { ...unversioned, 'app.kubernetes.io/version': packageJson.version };

interface Made {
  readonly kind: string;
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly template?: Pick<Made, 'metadata'>; readonly selector?: object };
}

describe('the labels of the objects of an instance', () => {
  const inputs = { defaultImage: 'image', policy: 'a: 1', keyRevision: '0.0', configHash: 'h' };
  const spec = { redis: { urlSecretRef: { name: 'redis', key: 'url' } }, autoscaling: { maxReplicas: 4 } };
  const pods = { matchLabels: { app: 'gateway' } };
  const made = [
    ...guardrailWorkload(instance, spec, inputs),
    guardedService(instance, 'Deployment'),
    exclusivePolicy(instance, { pods, gatewayPort: 4000, hasForwarder: true, operatorNamespace: NAME }),
    ...customerListObjects(instance),
    configMapObject(instance, 'gateway', { data: {}, annotations: {} }),
  ].map(({ object }) => object as unknown as Made);

  it('are all that Kubernetes recommends, on each kind', () => {
    const kinds = new Set(made.map(({ kind }) => kind));
    expect(kinds).to.have.all.keys(
      ...['ServiceAccount', 'ConfigMap', 'Service', 'Deployment', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'],
      ...['NetworkPolicy', 'ServiceMonitor'],
    );
    const component = { 'app.kubernetes.io/component': 'gateway-configuration' };
    for (const [at, { kind, metadata }] of made.entries()) {
      const isGateways = at === made.length - 1;
      expect(metadata.labels, kind).to.deep.equal({ ...versioned, ...(isGateways ? component : {}) });
    }
  });

  it('have no version on pods, so that an upgrade does not restart guardrails with an image of their own', () => {
    const [deployment] = made.filter(({ kind }) => kind === 'Deployment');
    expect(deployment?.spec?.template?.metadata.labels).to.deep.equal(unversioned);
    expect(deployment?.spec?.selector).to.deep.equal({
      matchLabels: { 'app.kubernetes.io/name': 'guardrail', 'app.kubernetes.io/instance': 'main' },
    });
  });

  /** A client with at most one Secret, which keeps what is written. */
  class OneSecret {
    stored: object | undefined;
    written: Made | undefined;

    get(): Promise<object> {
      return this.stored === undefined
        ? Promise.reject(new ApiError('not found', { status: 404 }))
        : Promise.resolve(this.stored);
    }

    create(_kind: unknown, object: Made): Promise<object> {
      this.written = object;
      return Promise.resolve(stored(object.metadata.labels));
    }

    patch(_kind: unknown, _key: unknown, patch: Made): Promise<object> {
      this.written = patch;
      return Promise.resolve(stored(patch.metadata.labels));
    }
  }
  const stored = (labels: Readonly<Record<string, string>> | undefined): object => ({
    metadata: { name: 's', namespace: 'ai', uid: 'u', resourceVersion: '1', labels },
    data: {},
  });
  const ensure = (client: OneSecret, of: GatewayInstance = instance): Promise<unknown> =>
    ensureKeySecret(client as unknown as KubeClient, of, 's', (keys) => keys);

  it('are on the Secrets with keys, too', async () => {
    const client = new OneSecret();
    await ensure(client);
    expect(client.written?.metadata.labels).to.deep.equal(versioned);
  });

  it('tell that a Secret of an earlier version was restored from a backup, and are then completed', async () => {
    const client = new OneSecret();
    const { 'app.kubernetes.io/part-of': _partOf, ...earlier } = unversioned;
    client.stored = stored(earlier);
    await ensure(client);
    expect(client.written?.metadata.labels).to.deep.equal(versioned);
  });

  it('of another instance do not pass for those of this one', async () => {
    const client = new OneSecret();
    client.stored = stored({ ...versioned, 'app.kubernetes.io/instance': 'other' });
    const outcome = await ensure(client).catch((error: unknown) => (error as Error).name);
    expect(outcome).to.equal('NameTakenError');
  });
});
