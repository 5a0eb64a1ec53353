import type { V1Container, V1Deployment, V1NetworkPolicyPeer, V1PodSpec, V1Service } from '@kubernetes/client-node';
import { expect } from 'chai';
import fc from 'fast-check';
import { readSettings } from '../../guardrail/settings/settings.ts';
import type { Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import type { OwnedObject } from '../cluster/cluster.ts';
import { guardrailContainer } from './container.ts';
import { guardrailPolicyObjects, guardrailWorkload, type WorkloadInputs } from './workload.ts';
import { labelsOf, namesOf, selectorOf } from '../cluster/names.ts';
import { guardrailEnvironment, type InlineListener, inlinePortOf, mcpPortOf } from './settings.ts';
import { bytes } from './memory.ts';
import { instanceOf } from '../instance/testing/instances.ts';

const redis = { urlSecretRef: { name: 'redis', key: 'url' } };
const inputs: WorkloadInputs = { defaultImage: 'operator:1', policy: undefined, keyRevision: '0.0', configHash: 'abc' };

function build(spec: Guardrail, more: Partial<WorkloadInputs> = {}): OwnedObject[] {
  return guardrailWorkload(instanceOf(), spec, { ...inputs, ...more });
}

/** The fields of a Deployment that the tests read. The builders set all of them. */
function deploymentOf(
  spec: Guardrail,
  more: Partial<WorkloadInputs> = {},
): { spec: Required<V1Deployment>['spec']; pod: V1PodSpec; container: V1Container } {
  const object = build(spec, more).find(({ kind }) => kind.kind === 'Deployment')?.object as V1Deployment | undefined;
  const pod = object?.spec?.template.spec;
  const container = pod?.containers[0];
  if (object?.spec === undefined || pod === undefined || container === undefined)
    throw new Error('The workload has no Deployment.');
  return { spec: object.spec, pod, container };
}

function environmentOf(spec: Guardrail): Record<string, unknown> {
  const variables = guardrailEnvironment(spec, 'litellm', 'Deployment');
  return Object.fromEntries(
    variables.map(({ name, value, valueFrom }) => [name.replace('GUARDRAIL_', ''), value ?? valueFrom]),
  );
}

describe('guardrail workload', () => {
  for (const [what, spec, policy, kinds] of [
    [
      'the least',
      {},
      undefined,
      ['ServiceAccount', 'Service', 'Deployment', 'PodDisruptionBudget', 'NetworkPolicy', 'ServiceMonitor'],
    ],
    [
      'a policy',
      {},
      'a: 1',
      [
        'ServiceAccount',
        'ConfigMap',
        'Service',
        'Deployment',
        'PodDisruptionBudget',
        'NetworkPolicy',
        'ServiceMonitor',
      ],
    ],
    [
      'an autoscaler',
      { redis, autoscaling: { maxReplicas: 4 } },
      undefined,
      [
        'ServiceAccount',
        'Service',
        'Deployment',
        'PodDisruptionBudget',
        'HorizontalPodAutoscaler',
        'NetworkPolicy',
        'ServiceMonitor',
      ],
    ],
    [
      'no NetworkPolicy',
      { networkPolicy: { enabled: false } },
      undefined,
      ['ServiceAccount', 'Service', 'Deployment', 'PodDisruptionBudget', 'ServiceMonitor'],
    ],
  ] as const) {
    it(`for ${what}: ${kinds.join(', ')}`, () => {
      expect(build(spec, { policy }).map(({ kind }) => kind.kind)).to.deep.equal(kinds);
    });
  }

  it('belongs to the instance and has its labels', () => {
    for (const { object } of build({ redis, autoscaling: { maxReplicas: 4 } }, { policy: 'a: 1' })) {
      expect(object.metadata).to.deep.include({
        name: 'main-guardrail',
        namespace: 'ai',
        labels: labelsOf(instanceOf()),
      });
      expect(object.metadata.ownerReferences).to.have.length(1);
      expect(object.metadata.ownerReferences[0]).to.include({
        kind: 'GatewayInstance',
        uid: 'uid-1',
        controller: true,
      });
    }
  });

  it('of a sidecar is only the policy', () => {
    expect(guardrailPolicyObjects(instanceOf(), {}, inputs)).to.deep.equal([]);
    expect(guardrailPolicyObjects(instanceOf(), {}, { ...inputs, policy: 'a: 1' })).to.have.length(1);
  });

  for (const [what, spec, replicas, strategy] of [
    ['in memory: one pod, and never two at the same time', {}, 1, 'Recreate'],
    ['in Redis: two pods, and one more during a rollout', { redis }, 2, 'RollingUpdate'],
    ['in Redis: the requested number of pods', { redis, replicas: 5 }, 5, 'RollingUpdate'],
    [
      'with an autoscaler, which owns the number',
      { redis, autoscaling: { maxReplicas: 3 } },
      undefined,
      'RollingUpdate',
    ],
  ] as const) {
    it(`keeps mappings ${what}`, () => {
      const { spec: made } = deploymentOf(spec);
      expect(made.replicas).to.equal(replicas);
      expect(made.strategy?.type).to.equal(strategy);
    });
  }

  it('rolls out new start settings and new keys, but no keys with a store in memory', () => {
    const notes = (spec: Guardrail, more: Partial<WorkloadInputs>): object | undefined =>
      deploymentOf(spec, more).spec.template.metadata?.annotations;
    expect(notes({ redis }, { configHash: 'other' })).to.not.deep.equal(notes({ redis }, {}));
    expect(notes({ redis }, { keyRevision: '1.0' })).to.not.deep.equal(notes({ redis }, {}));
    expect(notes({}, { keyRevision: '1.0' })).to.deep.equal(notes({}, {}));
    // The guardrail reloads a policy while it runs.
    expect(notes({ redis }, { policy: 'a: 2' })).to.deep.equal(notes({ redis }, { policy: 'a: 1' }));
  });

  it('mounts a policy in the same way, whether it is a text or a resource', () => {
    const { pod } = deploymentOf({ policyRef: { name: 'strict' } }, { policy: 'a: 1' });
    expect(pod).to.deep.equal(deploymentOf({ policy: { inline: 'a: 1' } }, { policy: 'a: 1' }).pod);
    expect(pod.volumes?.map(({ configMap }) => configMap?.name)).to.include('main-guardrail');
  });

  it('runs restricted, without a token, and with the requested resources', () => {
    const { pod, container } = deploymentOf({});
    expect(pod).to.include({
      automountServiceAccountToken: false,
      serviceAccountName: 'main-guardrail',
      enableServiceLinks: false,
    });
    expect(container.securityContext).to.deep.include({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources).to.deep.equal({
      requests: { cpu: '100m', memory: '192Mi' },
      limits: { memory: '1216Mi' },
    });
    // An autoscaler compares the use with the request.
    const scaled = deploymentOf({ autoscaling: { maxReplicas: 4 } }).container;
    expect(scaled.resources?.requests).to.deep.equal({ cpu: '500m', memory: '192Mi' });
    const asked = deploymentOf({
      autoscaling: { maxReplicas: 4 },
      resources: { requests: { cpu: 1 } },
      image: 'own:2',
      imagePullPolicy: 'Always',
    }).container;
    expect(asked.resources?.requests).to.deep.equal({ cpu: '1' });
    expect(asked).to.include({ image: 'own:2', imagePullPolicy: 'Always' });
    expect(container.image).to.equal('operator:1');
  });

  it('mounts keys as files of whole volumes, which a kubelet updates', () => {
    const { pod, container } = deploymentOf({ redis }, { policy: 'a: 1' });
    const mounts = container.volumeMounts ?? [];
    expect(mounts.every(({ subPath, readOnly }) => subPath === undefined && readOnly === true)).to.equal(true);
    expect(mounts.map(({ name }) => name)).to.have.members((pod.volumes ?? []).map(({ name }) => name));
    const values = (container.env ?? []).flatMap(({ value, valueFrom }) => [
      value ?? '',
      valueFrom?.secretKeyRef?.name ?? '',
    ]);
    expect(values).to.not.include('main-guardrail-keys').and.to.not.include('main-guardrail-api-key');
  });

  const ingressOf = (spec: Guardrail, more: Partial<WorkloadInputs> = {}): { from: V1NetworkPolicyPeer[] }[] => {
    const policies = build(spec, more).filter(({ kind }) => kind.kind === 'NetworkPolicy');
    expect(policies).to.have.length(1);
    // In JSON. The client's own types call the field _from.
    return (policies[0]?.object as unknown as { spec: { ingress: { from: V1NetworkPolicyPeer[] }[] } }).spec.ingress;
  };
  const named = (...values: string[]): object => ({
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }],
  });

  it("allows calls from the instance's namespace, the operator's pods and the namespaces of the spec", () => {
    const spec = { networkPolicy: { fromNamespaces: ['clients'] } };
    expect(ingressOf(spec, { operatorNamespace: 'system' })[0]).to.deep.equal({
      from: [
        { podSelector: {} },
        {
          namespaceSelector: named('system'),
          podSelector: {
            matchLabels: {
              'app.kubernetes.io/name': 'gateway-guardrail-operator',
              'app.kubernetes.io/component': 'operator',
            },
          },
        },
        { namespaceSelector: named('clients') },
      ],
      ports: [{ port: 'http', protocol: 'TCP' }],
    });
  });

  it('allows no pod by its labels alone, and no unneeded namespace', () => {
    const peers = ingressOf({}, { operatorNamespace: 'system' }).flatMap(({ from }) => from);
    for (const { namespaceSelector } of peers) expect(namespaceSelector).to.not.deep.equal({});
    expect(ingressOf({})[0]).to.have.deep.property('from', [{ podSelector: {} }]);
  });

  describe('with TLS', () => {
    const tls = { secretName: 'certificate', caConfigMap: 'authorities', hasPrivateCa: true, isMutual: false };
    const filesOf = (env: V1Container['env']): Record<string, string | undefined> =>
      Object.fromEntries((env ?? []).flatMap(({ name, value }) => (name.includes('_TLS_') ? [[name, value]] : [])));

    it('mounts the certificate, which probes do not need', () => {
      const { container, pod } = deploymentOf({}, { tls });
      expect(filesOf(container.env)).to.deep.equal({
        GUARDRAIL_TLS_CERT_FILE: '/etc/guardrail/tls/tls.crt',
        GUARDRAIL_TLS_KEY_FILE: '/etc/guardrail/tls/tls.key',
      });
      expect(container.volumeMounts).to.deep.include({
        name: 'gateway-guardrail-tls',
        mountPath: '/etc/guardrail/tls',
        readOnly: true,
      });
      expect(pod.volumes?.find(({ name }) => name === 'gateway-guardrail-tls')?.secret).to.include({
        secretName: 'certificate',
        defaultMode: 0o440,
      });
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      expect(probes.map((probe) => probe?.httpGet?.scheme)).to.deep.equal(['HTTPS', 'HTTPS', 'HTTPS']);
    });

    it('mounts the authorities of clients', () => {
      const { container, pod } = deploymentOf({}, { tls: { ...tls, isMutual: true } });
      expect(filesOf(container.env)).to.include({
        GUARDRAIL_TLS_CLIENT_CA_FILE: '/etc/guardrail/client-ca/client-ca.crt',
      });
      expect(pod.volumes?.find(({ name }) => name === 'gateway-guardrail-client-ca')?.configMap).to.deep.equal({
        name: 'authorities',
        items: [{ key: 'client-ca.crt', path: 'client-ca.crt' }],
      });
    });

    for (const hasPrivateCa of [true, false]) {
      it(`lets Prometheus verify a certificate of a ${hasPrivateCa ? 'private' : 'public'} authority`, () => {
        const monitor = build({}, { tls: { ...tls, hasPrivateCa } }).find(({ kind }) => kind.kind === 'ServiceMonitor');
        expect(monitor?.object).to.have.deep.nested.property('spec.endpoints', [
          {
            port: 'metrics',
            path: '/metrics',
            scheme: 'https',
            tlsConfig: {
              serverName: 'main-guardrail.ai.svc',
              ...(hasPrivateCa ? { ca: { configMap: { name: 'authorities', key: 'ca.crt' } } } : {}),
            },
          },
        ]);
      });
    }

    it('has none by default', () => {
      const { container, pod } = deploymentOf({});
      expect(filesOf(container.env)).to.deep.equal({});
      expect(container.readinessProbe?.httpGet).to.not.have.property('scheme');
      expect(JSON.stringify(pod.volumes)).to.not.include('tls');
    });
  });

  it('serves metrics on a separate port, for namespaces with a label and for the ServiceMonitor', () => {
    for (const [spec, port] of [
      [{}, 9090],
      [{ port: 9090 }, 9091],
    ] as const) {
      const children = build(spec);
      const service = children.find(({ kind }) => kind.kind === 'Service')?.object as V1Service;
      const metrics = { name: 'metrics', port, targetPort: 'metrics', protocol: 'TCP' };
      expect(service.spec?.ports?.[1]).to.deep.equal(metrics);
      expect(deploymentOf(spec).container.ports?.[1]).to.include({ name: 'metrics', containerPort: port });
      expect(environmentOf(spec)).to.include({ METRICS_PORT: String(port) });
      expect(ingressOf(spec)[1]).to.deep.equal({
        from: [{ namespaceSelector: { matchLabels: { 'gateway.guardrail.dev/metrics': 'true' } } }],
        ports: [{ port: 'metrics', protocol: 'TCP' }],
      });
      const monitor = children.find(({ kind }) => kind.kind === 'ServiceMonitor')?.object;
      expect(monitor).to.have.deep.nested.property('spec.endpoints', [{ port: 'metrics', path: '/metrics' }]);
    }
  });

  it('gives Prometheus the token of the metrics', () => {
    const spec: Guardrail = { metricsTokenSecretRef: { name: 'scrape', key: 'token' } };
    const monitor = build(spec).find(({ kind }) => kind.kind === 'ServiceMonitor')?.object;
    const authorization = { type: 'Bearer', credentials: { name: 'scrape', key: 'token' } };
    expect(monitor).to.have.deep.nested.property('spec.endpoints', [
      { port: 'metrics', path: '/metrics', authorization },
    ]);
    expect(environmentOf(spec)).to.deep.include({ METRICS_TOKEN: { secretKeyRef: { name: 'scrape', key: 'token' } } });
  });

  // The longest name that the API server accepts: the guardrail cuts it in pseudonyms.
  const longType = `A${'_NAME_OF_SEVERAL'.repeat(3)}`.slice(0, 40);

  describe('that takes calls of applications', () => {
    const inline: InlineListener = {
      ...{ port: 8081, upstream: 'https://gateway.example.com', ca: undefined },
      customerHeaders: [],
    };
    const ca = { ref: { name: 'ca', key: 'bundle.pem' }, digest: 'd1' };

    it('has a port for them, and admits the callers of its API to it', () => {
      const { container } = deploymentOf({}, { inline });
      expect(container.ports?.[2]).to.deep.equal({ name: 'inline', containerPort: 8081, protocol: 'TCP' });
      expect(ingressOf({}, { inline })[0]).to.deep.include({
        ports: [
          { port: 'http', protocol: 'TCP' },
          { port: 'inline', protocol: 'TCP' },
        ],
      });
    });

    it('has a port for agents before an MCP server, and admits the same callers to it', () => {
      const spec: Guardrail = { mcp: { upstream: 'http://crm:3000', restoreTypes: ['PERSON', 'EMAIL_ADDRESS'] } };
      const { container } = deploymentOf(spec, { inline });
      expect(container.ports?.[3]).to.deep.equal({ name: 'mcp', containerPort: 8082, protocol: 'TCP' });
      expect(container.env).to.deep.include.members([
        { name: 'GUARDRAIL_MCP_UPSTREAM', value: 'http://crm:3000' },
        { name: 'GUARDRAIL_MCP_PORT', value: '8082' },
        { name: 'GUARDRAIL_MCP_RESTORE_TYPES', value: 'PERSON|EMAIL_ADDRESS' },
      ]);
      const service = build(spec, { inline }).find(({ kind }) => kind.kind === 'Service')?.object as V1Service;
      expect(service.spec?.ports?.[3]).to.deep.equal({ name: 'mcp', port: 8082, targetPort: 'mcp', protocol: 'TCP' });
      expect(ingressOf(spec, { inline })[0])
        .to.have.deep.property('ports')
        .that.deep.includes({ port: 'mcp', protocol: 'TCP' });
    });

    for (const [what, spec, listener, expected] of [
      ['none by default', {}, inline, undefined],
      ['none before applications can call', { mcp: { upstream: 'http://crm' } }, undefined, undefined],
      ['8082', { mcp: { upstream: 'http://crm' } }, inline, 8082],
      ['another one if it is taken', { port: 8082, mcp: { upstream: 'http://crm' } }, { port: 8083 }, 8084],
    ] as const) {
      it(`listens before an MCP server on port: ${what}`, () => {
        expect(mcpPortOf(spec, listener)).to.equal(expected);
      });
    }

    it("trusts the gateway's certificate authority, and restarts when it changes", () => {
      const { pod, container, spec } = deploymentOf({}, { inline: { ...inline, ca } });
      expect(container.env).to.deep.include({ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/guardrail/ca/ca.crt' });
      const volume = pod.volumes?.find(({ secret }) => secret?.secretName === 'ca');
      expect(volume?.secret?.items).to.deep.equal([{ key: 'bundle.pem', path: 'ca.crt' }]);
      expect(container.volumeMounts?.find(({ name }) => name === volume?.name)?.mountPath).to.equal(
        '/etc/guardrail/ca',
      );
      const other = deploymentOf({}, { inline: { ...inline, ca: { ...ca, digest: 'd2' } } }).spec;
      expect(spec.template.metadata?.annotations).to.not.deep.equal(other.template.metadata?.annotations);
    });

    for (const [what, mode, listener, expected] of [
      ['a Deployment', 'Deployment', inline, { HOST: '0.0.0.0', METRICS_PORT: '9090', ADMIN_KEYS: 'proxy' }],
      [
        'a sidecar',
        'Sidecar',
        inline,
        { HOST: '127.0.0.1', PROXY_HOST: '0.0.0.0', METRICS_PORT: 'off', ADMIN_KEYS: 'proxy' },
      ],
      ['a sidecar that only its gateway calls', 'Sidecar', undefined, { HOST: '127.0.0.1', METRICS_PORT: 'off' }],
    ] as const) {
      it(`has the settings of ${what}`, () => {
        const variables = guardrailEnvironment({}, 'litellm', mode, listener);
        const found = Object.fromEntries(variables.map(({ name, value }) => [name.replace('GUARDRAIL_', ''), value]));
        expect(found).to.include(expected);
        const more = { PROXY_UPSTREAM: listener?.upstream, PROXY_PORT: listener && '8081' };
        expect([found.PROXY_UPSTREAM, found.PROXY_PORT]).to.deep.equal(Object.values(more));
      });
    }

    const headerCases: readonly (readonly [spec: string[], ofGateway: string[], setting: string | undefined])[] = [
      [[], [], undefined],
      [['x-a'], [], 'x-litellm-customer-id,x-litellm-end-user-id,x-a'],
      [[], ['x-b'], 'x-litellm-customer-id,x-litellm-end-user-id,x-b'],
      [['x-a', 'x-b'], ['x-b', 'x-c'], 'x-litellm-customer-id,x-litellm-end-user-id,x-b,x-c,x-a'],
    ];
    for (const [own, ofGateway, setting] of headerCases) {
      it(`reads customers from the headers of the spec (${own.join()}) and of the gateway (${ofGateway.join()})`, () => {
        const inline = { upstream: 'http://127.0.0.1:4000', port: 8081, ca: undefined, customerHeaders: ofGateway };
        const spec: Guardrail = own.length === 0 ? {} : { inline: { customerHeaders: own } };
        const found = guardrailEnvironment(spec, 'litellm', 'Sidecar', inline);
        expect(found.find(({ name }) => name === 'GUARDRAIL_PROXY_CUSTOMER_HEADERS')?.value).to.equal(setting);
      });
    }

    it('has the settings of spec.guardrail.inline only if it takes such calls', () => {
      const spec = {
        inline: { unknownRoutes: 'Generic', identityHeaders: ['x-user-id', 'x-guardrail-team'] },
      } as const;
      const expected = { PROXY_UNKNOWN: 'generic', PROXY_IDENTITY_HEADERS: 'x-user-id,x-guardrail-team' };
      const inline = { upstream: 'http://127.0.0.1:4000', port: 8081, ca: undefined, customerHeaders: [] };
      const found = guardrailEnvironment(spec as unknown as Guardrail, 'litellm', 'Sidecar', inline);
      expect(Object.fromEntries(found.map(({ name, value }) => [name.replace('GUARDRAIL_', ''), value]))).to.include(
        expected,
      );
      expect(environmentOf(spec as unknown as Guardrail)).to.not.have.any.keys(Object.keys(expected));
    });

    for (const [spec, taken, expected] of [
      [{}, [], 8081],
      [{ port: 8081 }, [], 8082],
      [{}, [4000, 8081], 8082],
      [{ port: 8082 }, [8081, 8083], 8084],
    ] as const) {
      it(`listens on ${expected} if its API has ${spec.port ?? 8080} and the pod ${taken.join(', ') || 'no port'}`, () => {
        expect(inlinePortOf(spec, taken)).to.equal(expected);
      });
    }
  });

  for (const [what, spec, expected] of [
    ['no audit events by default', {}, []],
    [
      'audit events with the name of the instance',
      { audit: { outputs: ['Stderr', 'OTLP'] } },
      [
        { name: 'GUARDRAIL_AUDIT', value: 'stderr,otlp' },
        { name: 'GUARDRAIL_INSTANCE', value: 'ai/main' },
      ],
    ],
  ] as const) {
    it(`writes ${what}, in both modes`, () => {
      for (const mode of ['Deployment', 'Sidecar'] as const) {
        const { env } = guardrailContainer(spec as unknown as Guardrail, 'litellm', mode, {
          ...inputs,
          instanceName: 'ai/main',
        });
        const found = env?.filter(({ name }) => ['GUARDRAIL_AUDIT', 'GUARDRAIL_INSTANCE'].includes(name));
        expect(found).to.deep.equal(expected);
      }
    });
  }

  it('serves no metrics as a sidecar', () => {
    const environment = guardrailEnvironment({}, 'litellm', 'Sidecar');
    expect(environment).to.deep.include({ name: 'GUARDRAIL_METRICS_PORT', value: 'off' });
  });

  describe('settings', () => {
    for (const [what, spec, expected] of [
      ['memory by default', {}, { STORE: 'memory', DETECTORS: 'builtin' }],
      [
        'Redis, from its Secret',
        { redis },
        {
          STORE: { secretKeyRef: { name: 'redis', key: 'url' } },
          ENCRYPTION_KEYS_FILE: '/etc/guardrail/keys/encryption-keys',
        },
      ],
      [
        'Presidio alone',
        { presidio: { url: 'http://presidio:3000' } },
        { DETECTORS: 'presidio', PRESIDIO_URL: 'http://presidio:3000' },
      ],
      [
        'Presidio and the built-in detector',
        { presidio: { url: 'http://presidio:3000', withBuiltin: true } },
        { DETECTORS: 'builtin,presidio' },
      ],
      [
        'enumerations in lower case',
        {
          profile: 'Confidential',
          recall: 'Thorough',
          sessionScope: 'Conversation',
          enforcement: 'Monitor',
          images: 'Block',
        },
        {
          PROFILE: 'confidential',
          RECALL: 'thorough',
          SESSION_SCOPE: 'conversation',
          MODE: 'monitor',
          IMAGES: 'block',
        },
      ],
      ['required end users', { requireEndUser: true }, { REQUIRE_END_USER: 'true' }],
      ['sizes in bytes', { maxBody: '20Mi' }, { MAX_BODY: '20971520' }],
      ['languages in a list', { languages: ['en', 'de'] }, { LANGUAGES: 'en,de' }],
      ['another port', { port: 9000 }, { PORT: '9000' }],
      [
        'which tools may restore what',
        {
          restore: [
            { name: 'mail', sessions: 'Gateway', types: ['PERSON', 'EMAIL_ADDRESS'] },
            { name: 'crm', sessions: 'Applications', types: ['PERSON'] },
          ],
        },
        { RESTORE_KEYS: 'mail@proxy:PERSON|EMAIL_ADDRESS,crm@inline:PERSON' },
      ],
      [
        'types of tools as they stand in pseudonyms',
        { restore: [{ name: 'hr', sessions: 'Gateway', types: ['A'.repeat(40), `${'A'.repeat(32)}_B`, 'TAX__ID_'] }] },
        { RESTORE_KEYS: `hr@proxy:${'A'.repeat(32)}|TAX_ID` },
      ],
      ["Presidio's API", { presidioApi: true }, { PRESIDIO_API: 'true' }],
      [
        'a collector',
        { telemetry: { endpoint: 'http://collector:4318' } },
        { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
      ],
      [
        'the headers for a collector from a Secret that may be missing, and the share of traces',
        {
          telemetry: {
            endpoint: 'http://collector:4318',
            headersSecretRef: { name: 'otlp', key: 'headers' },
            samplingRatio: 0.25,
          },
        },
        {
          OTEL_EXPORTER_OTLP_HEADERS: { secretKeyRef: { name: 'otlp', key: 'headers', optional: true } },
          OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
          OTEL_TRACES_SAMPLER_ARG: '0.25',
        },
      ],
    ] as const) {
      it(`say ${what}`, () => {
        expect(environmentOf(spec as Guardrail)).to.deep.include(expected);
      });
    }

    it('are absent if the spec does not set them', () => {
      expect(environmentOf({})).to.have.all.keys(
        'PORT',
        'HOST',
        'ADMIN_KEYS',
        'METRICS_PORT',
        'PROXY_NAMES',
        'API_KEYS_FILE',
        'SESSION_KEY_FILE',
        'CUSTOMERS',
        'STORE',
        'DETECTORS',
      );
    });

    const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
    const reserved = new Set(['proxy', 'inline']);
    const asked = fc.record({
      port: maybe(fc.oneof(fc.integer({ min: 1024, max: 65535 }), fc.constantFrom(9090, 9091))),
      mappingTTL: maybe(fc.constantFrom('30m', '24h', '7d')),
      enforcement: maybe(fc.constantFrom('Enforce', 'Monitor')),
      detectionTimeout: maybe(fc.constantFrom('500ms', '1s')),
      profile: maybe(fc.constantFrom('Personal', 'Confidential')),
      recall: maybe(fc.constantFrom('Precise', 'Balanced', 'Thorough')),
      languages: maybe(fc.subarray(['en', 'de', 'fr'], { minLength: 1 })),
      sessionScope: maybe(fc.constantFrom('User', 'Conversation', 'Call')),
      images: maybe(fc.constantFrom('Redact', 'Block', 'Pass')),
      remoteImages: maybe(fc.constantFrom('Block', 'Pass')),
      maxBody: maybe(fc.constantFrom('1Mi', '10Mi', '2048')),
      logLevel: maybe(fc.constantFrom('debug', 'info', 'warn', 'error')),
      audit: maybe(fc.record({ outputs: fc.subarray(['Stdout', 'Stderr', 'OTLP'], { minLength: 1 }) })),
      inline: maybe(
        fc.record({
          unknownRoutes: maybe(fc.constantFrom('Block', 'Generic', 'Pass')),
          identityHeaders: maybe(fc.uniqueArray(fc.stringMatching(/^[a-z0-9!#$%&*+.^_|~-]{1,64}$/), { minLength: 1 })),
          customerHeaders: maybe(fc.uniqueArray(fc.stringMatching(/^[a-z0-9!#$%&*+.^_|~-]{1,64}$/), { minLength: 1 })),
        }),
      ),
      presidioApi: maybe(fc.boolean()),
      restore: maybe(
        fc.uniqueArray(
          fc.record({
            name: fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/).filter((name) => !reserved.has(name)),
            sessions: fc.constantFrom('Gateway', 'Applications'),
            types: fc.subarray(['PERSON', 'EMPLOYEE_ID', longType], { minLength: 1 }),
          }),
          { minLength: 1, maxLength: 3, selector: ({ name }) => name },
        ),
      ),
      mcp: maybe(
        fc.record({
          upstream: fc.constantFrom('http://crm:3000', 'https://crm.example.com/base'),
          restoreTypes: maybe(fc.subarray(['PERSON', 'EMPLOYEE_ID', longType], { minLength: 1 })),
        }),
      ),
      presidio: maybe(
        fc.constantFrom({ url: 'http://presidio:3000' }, { url: 'http://presidio:3000', withBuiltin: true }),
      ),
    });

    it('property: the guardrail accepts the settings of every valid spec', () => {
      fc.assert(
        fc.property(asked, fc.constantFrom('Deployment', 'Sidecar'), fc.boolean(), (asJson, mode, isInline) => {
          const spec = JSON.parse(JSON.stringify(asJson)) as Guardrail;
          // The API server refuses it.
          fc.pre(spec.mcp === undefined || spec.sessionScope !== 'Call');
          const listener = isInline
            ? { upstream: 'http://127.0.0.1:4000', port: inlinePortOf(spec, []), ca: undefined, customerHeaders: [] }
            : undefined;
          const variables = guardrailEnvironment(spec, 'litellm', mode, listener)
            // The test has none of its files.
            .filter(({ name }) => !name.endsWith('_FILE'))
            .map(({ name, value }) => [name, value ?? '']);
          readSettings({
            ...(Object.fromEntries(variables) as object),
            GUARDRAIL_API_KEYS: [
              'proxy:12345678',
              ...(spec.restore ?? []).map(({ name }) => `${name}:key-of-${name}`),
            ].join(','),
            GUARDRAIL_SESSION_KEY: 'a session key of more than thirty-two characters',
          });
        }),
      );
    });

    it('reject a text that is no size', () => {
      expect(() => bytes('10 MB')).to.throw(RangeError);
    });
  });
});

describe('names', () => {
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/);

  it('are the name of the instance if possible', () => {
    expect(namesOf(instanceOf())).to.deep.equal({
      guardrail: 'main-guardrail',
      guarded: 'main-guarded',
      apiKeySecret: 'main-guardrail-api-key',
      keySecret: 'main-guardrail-keys',
      ca: 'main-guardrail-ca',
      tlsSecret: 'main-guardrail-tls',
      issuedSecret: 'main-guardrail-cert',
      clientSecret: 'main-guardrail-client',
    });
  });

  it('property: are DNS labels that start with a letter, for every name of an instance', () => {
    fc.assert(
      fc.property(name, (called) => {
        const instance = instanceOf({}, called);
        const all = Object.values<string>({ ...namesOf(instance), ...selectorOf(instance) });
        for (const each of all) expect(each).to.match(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
      }),
    );
  });

  it('property: are different for different instances', () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        fc.pre(one !== other);
        expect(namesOf(instanceOf({}, one)).guardrail).to.not.equal(namesOf(instanceOf({}, other)).guardrail);
      }),
    );
  });
});
