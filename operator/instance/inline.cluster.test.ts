/** The integration Inline: its objects, and how an instance is switched to it and back without a gap. */
import { NetworkingV1Api, type V1Service } from '@kubernetes/client-node';
import { expect } from 'chai';
import { parse } from 'yaml';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import type { GatewayInstanceSpec } from '../api/v1alpha1/v1alpha1.ts';
import { annotations, GROUP } from '../api/v1alpha1/v1alpha1.ts';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { startTlsProxy } from '../gateway/testing/tlsProxy.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { gatewayManifest } from './testing/gatewayManifest.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { Testbed } from './testing/harness.ts';

const guardrail = 'main-guardrail';
const guarded = 'main-guarded';

const ports = [{ containerPort: 4000 }];

const sidecar: Partial<GatewayInstanceSpec> = {
  workloadRef: { name: 'litellm' },
  proxyConfig: { base: { inline: 'model_list: []\n' }, configMapName: 'litellm-config' },
};

describe('the integration Inline', function () {
  this.timeout(90_000);
  const plane = withControlPlane();
  let testbed: Testbed;
  let networking: NetworkingV1Api;

  before(async () => {
    await installCrds(plane());
    networking = plane().kubeConfig().makeApiClient(NetworkingV1Api);
  });
  beforeEach(async () => {
    testbed = await Testbed.start(plane());
  });
  afterEach(() => testbed.stop());

  const service = (): Promise<V1Service> =>
    testbed.core.readNamespacedService({ name: guarded, namespace: testbed.namespace });

  const lists = {
    service: () => testbed.core.listNamespacedService({ namespace: testbed.namespace }),
    deployment: () => testbed.apps.listNamespacedDeployment({ namespace: testbed.namespace }),
    networkpolicy: () => networking.listNamespacedNetworkPolicy({ namespace: testbed.namespace }),
  };

  /** Names of existing objects of a kind. */
  async function names(kind: keyof typeof lists): Promise<string[]> {
    const { items } = await lists[kind]();
    return items.map(({ metadata }) => metadata?.name ?? '');
  }

  /** Whether the gateway's configuration has the entry that makes the gateway call the guardrail. */
  async function hasEntry(): Promise<boolean> {
    const map = await testbed.core.readNamespacedConfigMap({ name: 'litellm-config', namespace: testbed.namespace });
    return 'guardrails' in (parse(map.data?.['config.yaml'] ?? '') as object);
  }

  /** The settings of the guardrail in a Deployment. */
  async function settings(name: string): Promise<Record<string, string | undefined>> {
    const pod = (await testbed.deployment(name)).spec?.template.spec;
    const containers = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])];
    const ours = containers.find((one) => ['gateway-guardrail', 'guardrail'].includes(one.name));
    return Object.fromEntries((ours?.env ?? []).map((one) => [one.name.replace('GUARDRAIL_', ''), one.value]));
  }

  async function status(): Promise<object> {
    const { mode, integration, clientEndpoint } = (await testbed.read()).status?.guardrail ?? {};
    return { mode, integration, clientEndpoint };
  }

  const inlineAt = (mode: string): object => ({
    mode,
    integration: 'Inline',
    clientEndpoint: `http://${guarded}.${testbed.namespace}.svc:8081`,
  });
  const callbackAt = (mode: string): object => ({
    mode,
    integration: 'Callback',
    clientEndpoint: testbed.gateway.url,
  });

  const bothAt = (mode: string): object => ({ ...inlineAt(mode), integration: 'CallbackAndInline' });

  /** Expects that calls of both addresses are guarded, and that the condition says so. */
  async function expectBoth(mode: string): Promise<void> {
    expect(await hasEntry()).to.equal(true);
    expect(await names('service')).to.include(guarded);
    expect(await settings(mode === 'Sidecar' ? 'litellm' : guardrail)).to.include.keys('PROXY_UPSTREAM');
    expect((await testbed.until('GuardrailReady', 'Ready')).message).to.match(
      /Applications can call http:\/\/main-guarded\.[\w-]+\.svc:8081 or the gateway itself: when all of them call the same, set spec\.guardrail\.integration to Inline or Callback\.$/,
    );
  }

  async function refusesOneStep(integration: string): Promise<void> {
    const refusal = await testbed.patch({ spec: { guardrail: { integration } } }).then(
      () => 'admitted',
      (error: unknown) => String(error),
    );
    expect(refusal).to.include('integration cannot change between Callback and Inline in one step');
  }

  /** Rolls out Deployments until the instance is ready; with a path of calls, until that is in use too. */
  async function ready(deployments: readonly string[], path?: object): Promise<void> {
    await eventually(async () => {
      for (const name of deployments) await testbed.rollOut(name);
      if (path !== undefined) expect(await status()).to.deep.equal(path);
      const { status: current, metadata } = await testbed.read();
      const condition = current?.conditions?.find(({ type }) => type === 'Ready');
      expect(condition).to.include({ status: 'True', observedGeneration: metadata.generation });
    }, 30_000);
  }

  describe('of a sidecar', () => {
    it('reads customers where the configuration of the gateway says so', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      const base = { inline: 'general_settings: {user_header_name: X-Customer}\n' };
      const proxyConfig = { ...sidecar.proxyConfig, base, configMapName: 'litellm-config' };
      await testbed.instance({ ...sidecar, proxyConfig, guardrail: { integration: 'Inline' } });
      await eventually(async () => {
        expect((await settings('litellm')).PROXY_CUSTOMER_HEADERS).to.equal(
          'x-litellm-customer-id,x-litellm-end-user-id,x-customer',
        );
      });
    });

    it('needs nothing of the gateway but its port, and leaves nothing in its configuration', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      await testbed.instance({ ...sidecar, guardrail: { integration: 'Inline' } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.rollOut('litellm');
      await testbed.until('GuardrailReady', 'Ready');
      await testbed.until('ProxyConfigured', 'Configured');
      await testbed.until('Ready', 'Ready');
      expect(await settings('litellm')).to.include({
        PROXY_UPSTREAM: 'http://127.0.0.1:4000',
        PROXY_PORT: '8081',
        HOST: '127.0.0.1',
        PROXY_HOST: '0.0.0.0',
        METRICS_PORT: 'off',
      });
      expect(await settings('litellm')).to.not.include.keys('PROXY_CUSTOMER_HEADERS');
      expect(await hasEntry()).to.equal(false);
      const { spec, metadata } = await service();
      expect(spec?.selector).to.deep.equal({ 'gateway.guardrail.dev/guarded-by': 'main' });
      expect(spec?.ports?.[0]).to.include({ port: 8081, targetPort: 8081 });
      const { uid } = (await testbed.read()).metadata;
      expect(metadata?.ownerReferences?.[0]).to.include({ uid, controller: true });
      const template = (await testbed.deployment('litellm')).spec?.template.metadata;
      expect(template?.labels).to.deep.equal({ app: 'litellm', 'gateway.guardrail.dev/guarded-by': 'main' });
      expect(template?.annotations).to.not.have.property(annotations.apiKeyHash);
      expect(await status()).to.deep.equal(inlineAt('Sidecar'));
      const wide = await plane().kubectl(['get', 'ginst', 'main', '-o', 'wide', '-n', testbed.namespace]);
      expect(wide)
        .to.match(/INTEGRATION +CLIENT ENDPOINT/)
        .and.to.match(/Inline +http:\/\/main-guarded/);
    });

    it('corrects changes of its Service, and is removed completely', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      const before = (await testbed.deployment('litellm')).spec;
      await testbed.instance({ ...sidecar, guardrail: { integration: 'Inline', exclusive: true } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready(['litellm']);
      const at = ['-n', testbed.namespace];
      const stray = JSON.stringify({ spec: { selector: { [`${GROUP}/guarded-by`]: 'other' } } });
      await plane().kubectl(['patch', 'service', guarded, '--type=merge', '-p', stray, ...at]);
      await eventually(async () => {
        expect((await service()).spec?.selector).to.deep.equal({ 'gateway.guardrail.dev/guarded-by': 'main' });
      });
      await plane().kubectl(['delete', `service/${guarded}`, `networkpolicy/${guarded}`, ...at]);
      await eventually(async () => {
        expect(await names('service')).to.include(guarded);
        expect(await names('networkpolicy')).to.include(guarded);
      });
      await testbed.patch({ spec: { guardrail: null } });
      await testbed.until('GuardrailReady', 'NotRequested');
      await testbed.rollOut('litellm');
      await eventually(async () => {
        expect(await names('service')).to.deep.equal([]);
        expect(await names('networkpolicy')).to.deep.equal([]);
      });
      await testbed.patch({ spec: { proxyConfig: null, workloadRef: null } });
      await eventually(async () => {
        expect((await testbed.deployment('litellm')).spec).to.deep.equal(before);
      });
    });

    it('writes nothing in a reconcile without drift', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      await testbed.instance({ ...sidecar, guardrail: { integration: 'Inline', exclusive: true } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready(['litellm']);
      const before = await testbed.versions();
      await testbed.look();
      await testbed.customer('one');
      await eventually(async () => {
        expect((await testbed.read()).status?.customers?.total).to.equal(1);
      });
      expect(await testbed.versions()).to.deep.equal(before);
    });

    it('does not overwrite a Service of the name that has another owner', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      const spec = { selector: { app: 'theirs' }, ports: [{ port: 80 }] };
      await testbed.apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: guarded }, spec });
      await testbed.instance({ ...sidecar, guardrail: { integration: 'Inline' } });
      const { message } = await testbed.until('GuardrailReady', 'NameTaken');
      expect(message).to.include(`Service ${guarded} exists and does not belong to this instance`);
      expect((await service()).spec?.selector).to.deep.equal({ app: 'theirs' });
    });

    it('reports a gateway whose port it cannot tell, until the spec names it', async () => {
      const manifest = JSON.parse(
        JSON.stringify(gatewayManifest({ ports })).replace('[{"containerPort":4000}]', '[]'),
      ) as object;
      await testbed.apply(manifest);
      await testbed.instance({ ...sidecar, guardrail: { integration: 'Inline' } });
      const { message } = await testbed.until('GuardrailReady', 'GatewayPortUnclear');
      expect(message).to.include('Set spec.workloadRef.port.');
      await testbed.patch({ spec: { workloadRef: { port: 8081 } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await settings('litellm')).to.include({ PROXY_UPSTREAM: 'http://127.0.0.1:8081', PROXY_PORT: '8082' });
      expect((await service()).spec?.ports?.[0]).to.include({ port: 8081, targetPort: 8082 });
    });

    it('takes over from Callback and hands back: both paths exist until the admin ends one', async () => {
      await testbed.apply(gatewayManifest({ ports, hasKey: true }));
      await testbed.instance({ ...sidecar, guardrail: {} });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready(['litellm'], callbackAt('Sidecar'));
      expect(await names('service')).to.deep.equal([]);

      await refusesOneStep('Inline');
      await testbed.patch({ spec: { guardrail: { integration: 'CallbackAndInline' } } });
      const { message } = await testbed.until('GuardrailReady', 'RollingOut');
      expect(message).to.match(/ The integration Callback stays in use until CallbackAndInline is ready\.$/);
      expect(await settings('litellm')).to.include({ PROXY_UPSTREAM: 'http://127.0.0.1:4000' });
      expect(await names('service')).to.deep.equal([guarded]);
      expect(await status()).to.deep.equal(callbackAt('Sidecar'));
      await ready(['litellm'], bothAt('Sidecar'));
      await expectBoth('Sidecar');

      await testbed.patch({ spec: { guardrail: { integration: 'Inline' } } });
      await eventually(async () => {
        expect(await status()).to.deep.equal(inlineAt('Sidecar'));
      });
      expect(await hasEntry()).to.equal(false);
      await ready(['litellm']);
      expect((await testbed.until('GuardrailReady', 'Ready')).message).to.not.include('Applications');

      await refusesOneStep('Callback');
      await testbed.patch({ spec: { guardrail: { integration: 'CallbackAndInline' } } });
      await testbed.until('ProxyConfigured', 'RollingOut');
      expect(await hasEntry()).to.equal(true);
      expect(await status(), 'not every pod calls the guardrail').to.deep.equal(inlineAt('Sidecar'));
      expect(await settings('litellm')).to.include.keys('PROXY_UPSTREAM');
      await ready(['litellm'], bothAt('Sidecar'));
      await expectBoth('Sidecar');

      await testbed.patch({ spec: { guardrail: { integration: 'Callback' } } });
      await eventually(async () => {
        expect(await status()).to.deep.equal(callbackAt('Sidecar'));
      });
      expect(await hasEntry()).to.equal(true);
      expect(await settings('litellm')).to.not.include.keys('PROXY_UPSTREAM');
      await ready(['litellm']);
      await eventually(async () => {
        expect(await names('service')).to.deep.equal([]);
      });
    });

    it('stays in use while the gateway has no key to call the guardrail', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      await testbed.instance({ ...sidecar, guardrail: { integration: 'Inline' } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready(['litellm']);
      await testbed.patch({ spec: { guardrail: { integration: 'CallbackAndInline' } } });
      await testbed.until('ProxyConfigured', 'KeyNotMounted');
      await testbed.patch({ spec: { guardrail: { integration: 'Callback' } } });
      await testbed.rollOut('litellm');
      await testbed.look();
      await testbed.customer('one');
      await eventually(async () => {
        expect((await testbed.read()).status?.customers?.total).to.equal(1);
      });
      expect(await status()).to.deep.equal(inlineAt('Sidecar'));
      expect(await names('service')).to.deep.equal([guarded]);
      await testbed.apply(gatewayManifest({ ports, hasKey: true }));
      await ready(['litellm'], callbackAt('Sidecar'));
    });

    it('rotates the API key although the gateway has none', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      await testbed.instance({ ...sidecar, guardrail: { integration: 'Inline' } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready(['litellm']);
      const key = async (): Promise<string | undefined> =>
        (await testbed.readSecret(`${guardrail}-api-key`))['api-keys'];
      const before = await key();
      await testbed.patch({ metadata: { annotations: { [annotations.rotateApiKey]: 'one' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready(['litellm']);
      await eventually(async () => {
        const { namespace } = testbed;
        const { metadata } = await testbed.core.readNamespacedSecret({ name: `${guardrail}-api-key`, namespace });
        expect(JSON.stringify(metadata?.annotations)).to.include('due');
      });
      testbed.advance(60_000);
      await testbed.look();
      await eventually(async () => {
        expect((await key())?.trim().split('\n')).to.have.length(1);
        expect(await key()).to.not.equal(before);
      });
    });
  });

  describe('with an exclusive guardrail', () => {
    /** The rules of the policy that closes the port. It is written after the instance is Ready. */
    async function ingress(): Promise<object[]> {
      const get = ['get', 'networkpolicy', guarded, '-n', testbed.namespace, '-o', 'json'];
      const policy = await eventually(() => plane().kubectl(get));
      return (JSON.parse(policy) as { spec: { ingress: object[] } }).spec.ingress;
    }

    it('closes the port of the gateway when the sidecar takes calls, and opens it at once', async () => {
      await testbed.apply(gatewayManifest({ ports, hasKey: true }));
      await testbed.instance({ ...sidecar, guardrail: { integration: 'Inline', exclusive: true } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await names('networkpolicy'), 'applications still call the gateway').to.deep.equal([]);
      await ready(['litellm']);
      const open = (await ingress()).flatMap(
        (rule) => (rule as { ports: { port?: number; endPort?: number }[] }).ports,
      );
      const admits = (port: number): boolean =>
        open.some((one) => one.port !== undefined && one.port <= port && port <= (one.endPort ?? one.port));
      expect([3999, 4000, 4001, 8081].map(admits)).to.deep.equal([true, false, true, true]);

      await testbed.patch({ spec: { guardrail: { exclusive: false } } });
      await eventually(async () => {
        expect(await names('networkpolicy')).to.deep.equal([]);
      });
      await testbed.patch({ spec: { guardrail: { exclusive: true } } });
      await eventually(async () => {
        expect(await names('networkpolicy')).to.deep.equal([guarded]);
      });
      await testbed.patch({ spec: { guardrail: { integration: 'CallbackAndInline', exclusive: null } } });
      await testbed.until('ProxyConfigured', 'RollingOut');
      await eventually(async () => {
        expect(await names('networkpolicy'), 'before applications return to the gateway').to.deep.equal([]);
      });
      expect(await status()).to.deep.equal(inlineAt('Sidecar'));
      await ready(['litellm'], bothAt('Sidecar'));
      await expectBoth('Sidecar');

      await testbed.patch({ spec: { guardrail: { integration: 'Inline', exclusive: true } } });
      await eventually(async () => {
        expect(await names('networkpolicy'), 'when no application calls the gateway').to.deep.equal([guarded]);
        // The status is written after the objects.
        expect(await status()).to.deep.equal(inlineAt('Sidecar'));
      });
    });

    it('lets a guardrail outside of the pods reach the gateway', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      await testbed.instance({
        ...sidecar,
        guardrail: { mode: 'Deployment', integration: 'Inline', exclusive: true, networkPolicy: { enabled: false } },
      });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await names('networkpolicy')).to.deep.equal([]);
      await testbed.rollOut(guardrail);
      await testbed.until('GuardrailReady', 'Ready');
      await eventually(async () => {
        expect((await ingress())[0]).to.deep.equal({
          from: [
            {
              podSelector: {
                matchLabels: { 'app.kubernetes.io/instance': 'main', 'app.kubernetes.io/name': 'guardrail' },
              },
            },
          ],
          ports: [{ port: 4000, protocol: 'TCP' }],
        });
      });
    });
  });

  describe('of a Deployment', () => {
    it('forwards calls to the address of the gateway', async () => {
      await testbed.instance({ guardrail: { integration: 'Inline' } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await settings(guardrail)).to.include({ PROXY_UPSTREAM: testbed.gateway.url, PROXY_PORT: '8081' });
      expect((await testbed.read()).status).to.not.have.property('guardrail');
      await testbed.rollOut(guardrail);
      await testbed.until('Ready', 'Ready');
      expect(await status()).to.deep.equal(inlineAt('Deployment'));
      const { spec } = await service();
      expect(spec?.selector).to.include({ 'app.kubernetes.io/name': 'guardrail' });
      expect(spec?.ports?.[0]).to.include({ port: 8081, targetPort: 'inline' });
      const own = await testbed.core.readNamespacedService({ name: guardrail, namespace: testbed.namespace });
      expect(own.spec?.ports?.map(({ name }) => name)).to.deep.equal(['http', 'metrics', 'inline']);
    });

    it('trusts the certificate authority of spec.tls, and stays as it is while that is missing', async () => {
      const authority = new TestAuthority();
      const gateway = await startTlsProxy(testbed.gateway.url, authority.server());
      const template = async (): Promise<object | undefined> => (await testbed.deployment(guardrail)).spec?.template;
      try {
        const endpoint = `https://127.0.0.1:${gateway.port}`;
        await testbed.secret('authority', { 'ca.crt': authority.ca });
        await testbed.instance({
          endpoint,
          tls: { caSecretRef: { name: 'authority', key: 'ca.crt' } },
          guardrail: { integration: 'Inline' },
        });
        await testbed.until('GuardrailReady', 'RollingOut');
        await ready([guardrail]);
        expect(await settings(guardrail)).to.include({
          PROXY_UPSTREAM: endpoint,
          NODE_EXTRA_CA_CERTS: '/etc/guardrail/ca/ca.crt',
        });
        const before = await template();
        expect(JSON.stringify(before)).to.include('"secretName":"authority"');

        const at = ['-n', testbed.namespace];
        await plane().kubectl(['delete', 'secret', 'authority', ...at]);
        await testbed.look();
        const { message } = await testbed.until('GuardrailReady', 'CaSecretMissing');
        expect(message).to.equal(
          `Secret authority in namespace ${testbed.namespace} has no value under key ca.crt. Store the certificates of the gateway's certificate authority in it, or correct spec.tls.caSecretRef.`,
        );
        expect(await template()).to.deep.equal(before);
        expect(await status()).to.deep.equal(inlineAt('Deployment'));
        expect(await names('service')).to.have.members([guardrail, guarded]);

        await testbed.secret('authority', { 'other.crt': authority.ca });
        await testbed.look();
        await testbed.until('GuardrailReady', 'CaSecretMissing');
        // Certificates are read at the start, so other ones start a rollout.
        await testbed.secret('authority', { 'ca.crt': `${authority.ca}${new TestAuthority().ca}` });
        await testbed.look();
        await testbed.until('GuardrailReady', 'RollingOut');
        expect(await template()).to.not.deep.equal(before);
        await ready([guardrail]);
      } finally {
        await gateway.stop();
      }
    });

    it('waits for the address of the gateway if the certificate authority was never there', async () => {
      await testbed.instance({
        endpoint: 'https://gateway.example.com',
        tls: { caSecretRef: { name: 'none', key: 'ca.crt' } },
        guardrail: { integration: 'Inline' },
      });
      // The connection needs the same Secret, so the address is not known either.
      await testbed.until('GuardrailReady', 'EndpointUnknown');
    });

    it('tells agents the address of the MCP proxy when every pod has it', async () => {
      await testbed.instance({ guardrail: { integration: 'Inline' } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready([guardrail]);
      const mcpEndpoint = async (): Promise<string | undefined> =>
        (await testbed.read()).status?.guardrail?.mcpEndpoint;
      expect(await mcpEndpoint()).to.equal(undefined);
      await testbed.patch({ spec: { guardrail: { mcp: { upstream: 'http://tools:3000' } } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await settings(guardrail)).to.include({ MCP_UPSTREAM: 'http://tools:3000' });
      expect(await mcpEndpoint(), 'while it rolls out').to.equal(undefined);
      await ready([guardrail]);
      const known = `http://${guardrail}.${testbed.namespace}.svc:8082`;
      expect(await mcpEndpoint()).to.equal(known);

      // Another server behind the same address: agents keep it during the rollout.
      await testbed.patch({ spec: { guardrail: { mcp: { upstream: 'http://others:3000' } } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await mcpEndpoint()).to.equal(known);
      await ready([guardrail]);
      await testbed.patch({ spec: { guardrail: { mcp: null } } });
      await eventually(async () => {
        expect(await mcpEndpoint()).to.equal(undefined);
      });
    });

    it('revokes the key of a removed tool also while the address of the gateway is unknown', async () => {
      const restore = [{ name: 'crm', sessions: 'Gateway' as const, types: ['PERSON'] }];
      await testbed.instance({ guardrail: { integration: 'Inline', restore } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready([guardrail]);
      const keys = (): Promise<Record<string, string>> => testbed.readSecret(`${guardrail}-api-key`);
      const { 'restore-crm': key = '' } = await keys();
      expect((await keys())['api-keys']).to.include(key);
      // Its authority is missing, so its address is not known.
      await testbed.patch({
        spec: {
          endpoint: 'https://gateway.example.com',
          tls: { caSecretRef: { name: 'none', key: 'ca.crt' } },
          guardrail: { restore: null },
        },
      });
      await eventually(async () => {
        expect((await keys())['api-keys']).to.not.include(key);
      });
      // The pods start with the name of the tool: without a key for it they would not start again.
      expect((await keys())['api-keys']).to.match(/^crm:revoked-/m);
      expect(await keys()).to.not.have.property('restore-crm');
    });

    it('takes over from Callback and hands back', async () => {
      await testbed.apply(gatewayManifest({ ports, hasKey: true }));
      await testbed.instance({ ...sidecar, guardrail: { mode: 'Deployment' } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready([guardrail, 'litellm']);
      expect(await hasEntry()).to.equal(true);

      await testbed.patch({ spec: { guardrail: { integration: 'CallbackAndInline' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await hasEntry()).to.equal(true);
      expect(await status()).to.deep.equal(callbackAt('Deployment'));
      await ready([guardrail, 'litellm'], bothAt('Deployment'));
      await expectBoth('Deployment');
      await testbed.patch({ spec: { guardrail: { integration: 'Inline' } } });
      await eventually(async () => {
        expect(await status()).to.deep.equal(inlineAt('Deployment'));
        expect(await hasEntry()).to.equal(false);
      });
      await ready([guardrail, 'litellm']);

      await testbed.patch({ spec: { guardrail: { integration: 'CallbackAndInline' } } });
      await testbed.until('ProxyConfigured', 'RollingOut');
      expect(await hasEntry()).to.equal(true);
      expect(await settings(guardrail)).to.include.keys('PROXY_UPSTREAM');
      expect(await status()).to.deep.equal(inlineAt('Deployment'));
      await ready([guardrail, 'litellm'], bothAt('Deployment'));
      await expectBoth('Deployment');
      await testbed.patch({ spec: { guardrail: { integration: 'Callback' } } });
      await eventually(async () => {
        expect(await status()).to.deep.equal(callbackAt('Deployment'));
      });
      await ready([guardrail, 'litellm']);
      expect(await hasEntry()).to.equal(true);
      expect(await settings(guardrail)).to.not.include.keys('PROXY_UPSTREAM');
      await eventually(async () => {
        expect(await names('service')).to.deep.equal([guardrail]);
      });
    });

    it('serves until the gateway calls the sidecar that takes its place, or as long as that one cannot be deployed', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      await testbed.instance({ ...sidecar, guardrail: { mode: 'Deployment', integration: 'Inline' } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready([guardrail, 'litellm']);
      const policy = { inline: 'entities: {PERSON: hide}' };
      for (const [change, type, reason] of [
        [{ mode: 'Sidecar', integration: 'CallbackAndInline' }, 'ProxyConfigured', 'KeyNotMounted'],
        [{ mode: 'Sidecar', integration: 'Callback', policy }, 'GuardrailReady', 'PolicyInvalid'],
      ] as const) {
        await testbed.patch({ spec: { guardrail: change } });
        await testbed.until(type, reason);
        await testbed.rollOut('litellm');
        await testbed.look();
        await testbed.customer(reason.toLowerCase());
        await eventually(async () => {
          const counted = reason === 'KeyNotMounted' ? 1 : 2;
          expect((await testbed.read()).status?.customers?.total).to.equal(counted);
        });
        expect(await names('deployment')).to.have.members([guardrail, 'litellm']);
        expect((await service()).spec?.selector).to.include({ 'app.kubernetes.io/name': 'guardrail' });
        expect(await status()).to.deep.equal(inlineAt('Deployment'));
      }
    });

    it('takes over from a sidecar and hands back: the Service leads to the one that takes calls', async () => {
      await testbed.apply(gatewayManifest({ ports }));
      await testbed.instance({ ...sidecar, guardrail: { integration: 'Inline' } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await ready(['litellm']);
      const target = async (): Promise<string[]> => Object.keys((await service()).spec?.selector ?? {});
      const sidecars = ['gateway.guardrail.dev/guarded-by'];

      await testbed.patch({ spec: { guardrail: { mode: 'Deployment' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await target()).to.deep.equal(sidecars);
      expect(await settings('litellm')).to.include.keys('PROXY_UPSTREAM');
      await testbed.rollOut(guardrail);
      await eventually(async () => {
        expect(await target()).to.include('app.kubernetes.io/name');
        expect(await settings('litellm')).to.not.include.keys('PROXY_UPSTREAM');
      });
      await ready(['litellm']);

      await testbed.patch({ spec: { guardrail: { mode: 'Sidecar' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await settings('litellm')).to.include.keys('PROXY_UPSTREAM');
      expect(await target()).to.include('app.kubernetes.io/name');
      expect(await names('deployment')).to.include(guardrail);
      await ready(['litellm'], inlineAt('Sidecar'));
      expect(await target()).to.deep.equal(sidecars);
      await eventually(async () => {
        expect(await names('deployment')).to.deep.equal(['litellm']);
      });
    });
  });
});
