/** A guardrail with TLS on a real API server: its certificates, and the guardrail as a real process. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, rootCertificates } from 'node:tls';
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { startWorkloadRunner, type WorkloadRunner } from '../../hack/harness/workloads.ts';
import type { GatewayInstance, GuardrailTls } from '../api/v1alpha1/v1alpha1.ts';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { gatewayManifest } from '../instance/testing/gatewayManifest.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { Testbed } from '../instance/testing/harness.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { callGuardrail } from './callGuardrail.ts';

const root = join(import.meta.dirname, '../..');
const DAY = 86_400_000;
const HOST = (namespace: string): string => `main-guardrail.${namespace}.svc`;

/** The CustomResourceDefinition of cert-manager, without its schema. */
const CERTIFICATES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'certificates.cert-manager.io', annotations: { 'api-approved.kubernetes.io': 'test' } },
  spec: {
    group: 'cert-manager.io',
    scope: 'Namespaced',
    names: { kind: 'Certificate', plural: 'certificates', singular: 'certificate' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('a guardrail with TLS', function () {
  this.timeout(120_000);
  const plane = withControlPlane();
  let testbed: Testbed;
  before(() => installCrds(plane()));
  afterEach(() => testbed.stop());

  const ca = async (): Promise<Record<string, string>> =>
    (await testbed.core.readNamespacedConfigMap({ name: 'main-guardrail-ca', namespace: testbed.namespace })).data ??
    {};
  const endpointOf = ({ status }: GatewayInstance): string | undefined => status?.guardrail?.endpoint;

  describe('as a process', () => {
    let runner: WorkloadRunner;
    let logFolder: string;
    beforeEach(async () => {
      logFolder = mkdtempSync(join(tmpdir(), 'guardrail-'));
      runner = startWorkloadRunner({ kubeConfig: plane().kubeConfig(), logFolder, workingDirectory: root });
      testbed = await Testbed.start(plane(), (url) => runner.resolve(url) ?? url);
    });
    afterEach(async () => {
      await runner.stop();
      rmSync(logFolder, { recursive: true, force: true });
    });

    /** @returns the status, or the code of the error */
    async function call(authorities: string, identity: { cert?: string; key?: string } = {}): Promise<number | string> {
      const servername = HOST(testbed.namespace);
      const url = runner.resolve(`https://${servername}:8080`) ?? '';
      const apiKey = (await testbed.readSecret('main-guardrail-api-key'))['api-key'] ?? '';
      try {
        const { status } = await callGuardrail(
          { url, apiKey, tls: { servername, ca: authorities, ...identity } },
          { method: 'GET', path: '/configuration', signal: AbortSignal.timeout(5000) },
        );
        return status;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? String(error);
      }
    }

    /** The fingerprint of the certificate that the guardrail serves. */
    async function served(authorities: string): Promise<string> {
      const servername = HOST(testbed.namespace);
      const { port } = new URL(runner.resolve(`https://${servername}:8080`) ?? '');
      const socket = connect({ host: '127.0.0.1', port: Number(port), servername, ca: authorities });
      await once(socket, 'secureConnect');
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    }

    it('serves a certificate that its ConfigMap verifies, and a new one before it expires, without a restart', async () => {
      await testbed.instance({ guardrail: { tls: {} } });
      await testbed.until('GuardrailReady', 'Ready', 'main', 60_000);
      expect(endpointOf(await testbed.read())).to.equal(`https://${HOST(testbed.namespace)}:8080`);
      const { 'ca.crt': first = '', 'ca-bundle.crt': bundle = '' } = await ca();
      expect(await call(first)).to.equal(200);
      expect(await call(bundle)).to.equal(200);
      expect(await call(new TestAuthority().ca)).to.not.equal(200);
      expect(bundle).to.include(rootCertificates[0]);
      const { spec } = await testbed.deployment('main-guardrail');

      // A lost certificate is replaced, and the running guardrail serves the new one.
      await testbed.secret('main-guardrail-tls', { 'tls.crt': '' });
      await testbed.patch({ metadata: { annotations: { touched: 'zero' } } });
      const before = await eventually(async () => {
        const { 'tls.crt': certificate = '' } = await testbed.readSecret('main-guardrail-tls');
        expect(await served(first)).to.equal(new X509Certificate(certificate).fingerprint256);
        return certificate;
      }, 30_000);
      expect(await call(first)).to.equal(200);

      testbed.advance(61 * DAY);
      await testbed.patch({ metadata: { annotations: { touched: 'one' } } });
      const renewed = await eventually(async () => {
        const { 'tls.crt': certificate } = await testbed.readSecret('main-guardrail-tls');
        expect(certificate).to.not.equal(before);
        return certificate;
      }, 30_000);
      expect((await ca())['ca.crt']).to.equal(first);
      expect((await testbed.deployment('main-guardrail')).spec).to.deep.equal(spec);

      // The next authority is published, and does not issue anything yet.
      testbed.advance(184 * DAY);
      await testbed.patch({ metadata: { annotations: { touched: 'two' } } });
      await eventually(async () => {
        const { 'ca.crt': authorities = '' } = await ca();
        expect(authorities.match(/BEGIN/g)).to.have.length(2);
        expect(authorities.endsWith(first)).to.equal(true);
        expect((await testbed.readSecret('main-guardrail-tls'))['tls.crt']).to.not.equal(renewed);
      }, 30_000);
    });

    it('refuses clients without a certificate, but not the operator', async () => {
      const clients = new TestAuthority();
      await testbed.secret('clients', { 'ca.crt': clients.ca });
      const clientAuth = { caSecretRef: { name: 'clients', key: 'ca.crt' } };
      await testbed.instance({ guardrail: { tls: { clientAuth } } });
      await testbed.until('GuardrailReady', 'Ready', 'main', 60_000);
      const { 'ca.crt': authorities = '' } = await ca();
      const { 'tls.crt': cert, 'tls.key': key, 'client.pem': both } = await testbed.readSecret('main-guardrail-client');
      if (cert === undefined || key === undefined) throw new Error('The Secret of clients has no certificate.');
      expect(both).to.equal(cert + key);
      expect(await call(authorities)).to.equal(401);
      expect(await call(authorities, { cert, key })).to.equal(200);
      // The operator asks the pod whether it accepts a new key.
      await testbed.patch({ metadata: { annotations: { 'gateway.guardrail.dev/rotate-api-key': 'one' } } });
      await eventually(async () => {
        expect((await testbed.read()).status?.guardrail?.lastHandledApiKeyRotation).to.equal('one');
      }, 30_000);
    });
  });

  describe('in the cluster', () => {
    beforeEach(async () => {
      testbed = await Testbed.start(plane());
    });

    async function runGuardrail(): Promise<void> {
      await eventually(() => testbed.rollOut('main-guardrail'), 20_000);
    }

    const settings = async (): Promise<string[]> => {
      const [container] = (await testbed.deployment('main-guardrail')).spec?.template.spec?.containers ?? [];
      return container?.env?.map(({ name }) => name) ?? [];
    };
    const secretsOfGuardrail = async (): Promise<(string | undefined)[]> => {
      const volumes = (await testbed.deployment('main-guardrail')).spec?.template.spec?.volumes ?? [];
      return volumes.map(({ secret }) => secret?.secretName);
    };

    it('keeps plain HTTP until every pod of the gateway trusts it, and says which lines are missing', async () => {
      await testbed.apply(gatewayManifest({ hasKey: true }));
      await testbed.instance({
        guardrail: { mode: 'Deployment' },
        workloadRef: { name: 'litellm' },
        proxyConfig: { base: { inline: 'model_list: []\n' }, configMapName: 'litellm-config' },
      });
      await runGuardrail();
      await eventually(() => testbed.rollOut('litellm'));
      await eventually(async () => {
        await testbed.rollOut('litellm');
        await testbed.until('ProxyConfigured', 'Configured', 'main', 0);
      }, 30_000);
      expect(endpointOf(await testbed.read())).to.match(/^http:/);

      await testbed.patch({ spec: { guardrail: { tls: {} } } });
      const { message } = await testbed.until('ProxyConfigured', 'CaNotMounted');
      expect(message).to.equal(
        'The gateway cannot call the guardrail by TLS. Add to the pod in Deployment litellm under volumes ' +
          '{name: guardrail-ca, configMap: {name: main-guardrail-ca}}, and to its container under volumeMounts ' +
          '{name: guardrail-ca, mountPath: /etc/guardrail-ca} and under env ' +
          '{name: SSL_CERT_FILE, value: /etc/guardrail-ca/ca-bundle.crt}.',
      );
      await testbed.until('GuardrailReady', 'Ready');
      const plain = (await testbed.deployment('main-guardrail')).spec?.template.spec?.containers[0];
      expect(plain?.env?.map(({ name }) => name)).to.not.include('GUARDRAIL_TLS_CERT_FILE');
      expect(plain?.readinessProbe?.httpGet?.scheme).to.equal('HTTP');

      await testbed.apply(gatewayManifest({ hasKey: true, trusts: true }));
      await eventually(async () => {
        const template = (await testbed.deployment('litellm')).spec?.template;
        expect(template?.metadata?.annotations).to.have.property('gateway.guardrail.dev/trust-hash');
      }, 20_000);
      // Its pods have not been replaced yet.
      const still = (await testbed.deployment('main-guardrail')).spec?.template.spec?.containers[0];
      expect(still?.env?.map(({ name }) => name)).to.not.include('GUARDRAIL_TLS_CERT_FILE');
      await eventually(async () => {
        await testbed.rollOut('litellm');
        const [container] = (await testbed.deployment('main-guardrail')).spec?.template.spec?.containers ?? [];
        expect(container?.env?.map(({ name }) => name)).to.include('GUARDRAIL_TLS_CERT_FILE');
        expect(container?.readinessProbe?.httpGet?.scheme).to.equal('HTTPS');
      }, 30_000);
      // A pod of the gateway that is not ready for a moment does not bring back plain HTTP.
      await testbed.apps.patchNamespacedDeploymentStatus(
        { name: 'litellm', namespace: testbed.namespace, body: { status: { availableReplicas: 0, readyReplicas: 0 } } },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      );
      await testbed.until('ProxyConfigured', 'RollingOut');
      expect(await settings()).to.include('GUARDRAIL_TLS_CERT_FILE');
      await runGuardrail();
      await eventually(async () => {
        const map = await testbed.core.readNamespacedConfigMap({
          name: 'litellm-config',
          namespace: testbed.namespace,
        });
        expect(map.data?.['config.yaml']).to.include(`api_base: https://${HOST(testbed.namespace)}:8080`);
        expect(endpointOf(await testbed.read())).to.match(/^https:/);
      }, 30_000);
    });

    it('asks for client certificates, and changes its own, when every pod of the gateway can follow', async () => {
      await testbed.apply(gatewayManifest({ hasKey: true, trusts: true }));
      await testbed.instance({
        guardrail: { mode: 'Deployment', tls: {} },
        workloadRef: { name: 'litellm' },
        proxyConfig: { base: { inline: 'model_list: []\n' }, configMapName: 'litellm-config' },
      });
      await runGuardrail();
      /** Rolls out both Deployments until the gateway calls the guardrail. */
      const settled = (): Promise<void> =>
        eventually(async () => {
          await testbed.rollOut('main-guardrail');
          await testbed.rollOut('litellm');
          await testbed.until('ProxyConfigured', 'Configured', 'main', 0);
          await testbed.until('GuardrailReady', 'Ready', 'main', 0);
        }, 40_000);
      await settled();

      await testbed.patch({ spec: { guardrail: { tls: { clientAuth: {} } } } });
      await testbed.until('ProxyConfigured', 'CaNotMounted');
      expect(await settings()).to.not.include('GUARDRAIL_TLS_CLIENT_CA_FILE');
      await testbed.apply(gatewayManifest({ hasKey: true, trusts: true, hasCertificate: true }));
      await testbed.until('ProxyConfigured', 'RollingOut');
      expect(await settings()).to.not.include('GUARDRAIL_TLS_CLIENT_CA_FILE');
      await eventually(async () => {
        await testbed.rollOut('litellm');
        expect(await settings()).to.include('GUARDRAIL_TLS_CLIENT_CA_FILE');
      }, 30_000);
      await settled();

      const own = (await ca())['ca.crt'] ?? '';
      const authority = new TestAuthority();
      const { cert, key } = authority.server({ hosts: [HOST(testbed.namespace)] });
      await testbed.secret('own', { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca });
      await testbed.patch({ spec: { guardrail: { tls: { secretRef: { name: 'own' } } } } });
      await testbed.until('ProxyConfigured', 'RollingOut');
      expect(await secretsOfGuardrail())
        .to.include('main-guardrail-tls')
        .and.not.include('own');
      // Gateways that start now can call the guardrail before and after the change.
      expect((await ca())['ca.crt'])
        .to.include(authority.ca.trim())
        .and.include(own.trim());
      expect(await testbed.readSecret('main-guardrail-tls')).to.have.property('tls.crt');
      await eventually(async () => {
        await testbed.rollOut('litellm');
        expect(await secretsOfGuardrail())
          .to.include('own')
          .and.not.include('main-guardrail-tls');
      }, 30_000);
      await settled();
      await eventually(async () => {
        expect((await ca())['ca.crt']?.trim()).to.equal(authority.ca.trim());
      }, 20_000);
    });

    it('uses the certificate of its owner, and says what is missing', async () => {
      await testbed.instance({ guardrail: { tls: { secretRef: { name: 'own' } } } });
      const { message } = await testbed.until('GuardrailReady', 'CertificateMissing');
      expect(message).to.include(`Secret own in namespace ${testbed.namespace} has no values under the keys tls.crt`);
      const authority = new TestAuthority();
      const { cert, key } = authority.server({ hosts: [HOST(testbed.namespace)] });
      await testbed.secret('own', { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca });
      await testbed.patch({ metadata: { annotations: { touched: 'one' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect((await ca())['ca.crt']?.trim()).to.equal(authority.ca.trim());
      const volumes = (await testbed.deployment('main-guardrail')).spec?.template.spec?.volumes ?? [];
      expect(volumes.flatMap(({ secret }) => secret?.secretName ?? [])).to.include('own');
    });

    it('requests a certificate of cert-manager, if that is installed', async () => {
      const tls: GuardrailTls = { issuerRef: { name: 'company', kind: 'ClusterIssuer' } };
      await testbed.instance({ guardrail: { tls } });
      const { message } = await testbed.until('GuardrailReady', 'CertificateMissing');
      expect(message).to.match(/^The cluster has no CustomResourceDefinition for Certificates of cert-manager/);

      await plane().kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(CERTIFICATES));
      await plane().kubectl([
        'wait',
        '--for=condition=Established',
        '--timeout=30s',
        'crd/certificates.cert-manager.io',
      ]);
      await testbed.patch({ metadata: { annotations: { touched: 'one' } } });
      await eventually(async () => {
        const condition = await testbed.until('GuardrailReady', 'CertificateMissing', 'main', 0);
        expect(condition.message).to.match(/^cert-manager has not issued the certificate yet/);
      }, 30_000);
      const certificate = JSON.parse(
        await plane().kubectl(['get', 'certificates', 'main-guardrail', '-n', testbed.namespace, '-o', 'json']),
      ) as { spec: object };
      expect(certificate.spec).to.deep.include({
        secretName: 'main-guardrail-cert',
        issuerRef: { name: 'company', kind: 'ClusterIssuer', group: 'cert-manager.io' },
      });
      expect(certificate.spec).to.have.property('dnsNames').that.includes(HOST(testbed.namespace));

      // What cert-manager does.
      const authority = new TestAuthority();
      const { cert, key } = authority.server({ hosts: [HOST(testbed.namespace)] });
      await testbed.secret('main-guardrail-cert', { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca });
      await testbed.patch({ metadata: { annotations: { touched: 'two' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect((await ca())['ca.crt']?.trim()).to.equal(authority.ca.trim());
    });

    it('renews its certificates while an invalid setting keeps the guardrail as it is', async () => {
      await testbed.instance({ guardrail: { tls: { clientAuth: {} } } });
      await runGuardrail();
      await testbed.until('GuardrailReady', 'Ready');
      const names = ['main-guardrail-tls', 'main-guardrail-client'];
      const certificates = (): Promise<(string | undefined)[]> =>
        Promise.all(names.map(async (name) => (await testbed.readSecret(name))['tls.crt']));
      const before = await certificates();
      const { spec } = await testbed.deployment('main-guardrail');
      await testbed.patch({ spec: { guardrail: { policy: { inline: 'no policy' } } } });
      await testbed.until('GuardrailReady', 'PolicyInvalid');
      testbed.advance(61 * DAY);
      await testbed.patch({ metadata: { annotations: { touched: 'one' } } });
      await eventually(async () => {
        const after = await certificates();
        expect(after[0]).to.not.equal(before[0]);
        expect(after[1]).to.not.equal(before[1]);
      }, 20_000);
      expect((await testbed.deployment('main-guardrail')).spec).to.deep.equal(spec);
    });

    it('deletes its certificates when TLS is no longer requested', async () => {
      await testbed.instance({ guardrail: { tls: { clientAuth: {} } } });
      await runGuardrail();
      await testbed.until('GuardrailReady', 'Ready');
      const secrets = ['main-guardrail-ca', 'main-guardrail-tls', 'main-guardrail-client'];
      for (const name of secrets) expect(Object.keys(await testbed.readSecret(name))).to.not.deep.equal([]);
      await testbed.patch({ spec: { guardrail: { tls: null } } });
      await eventually(async () => {
        await testbed.rollOut('main-guardrail');
        const left = await plane().kubectl(['get', 'secrets,configmaps', '-n', testbed.namespace, '-o', 'name']);
        // Without a garbage collector, emptied Secrets remain.
        for (const name of secrets.slice(0, 2)) expect(await testbed.readSecret(name), name).to.deep.equal({});
        // The gateway may mount these: without spec.workloadRef, the operator does not know.
        expect(left).to.include('secret/main-guardrail-client\n').and.include('configmap/main-guardrail-ca\n');
        expect(endpointOf(await testbed.read())).to.match(/^http:/);
      }, 30_000);
    });
  });
});
