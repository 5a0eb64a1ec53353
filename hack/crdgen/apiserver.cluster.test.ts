import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ApiException, CustomObjectsApi } from '@kubernetes/client-node';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import {
  API_VERSION,
  annotations,
  CRD_REVISION,
  gatewayBudgetNames,
  gatewayCustomerNames,
  gatewayInstanceNames,
  guardrailPolicyNames,
  GROUP,
  VERSION,
} from '../../operator/api/v1alpha1/v1alpha1.ts';
import { withControlPlane } from '../harness/controlplane.ts';

const crds = join(import.meta.dirname, '../../crds');
const kinds = [gatewayCustomerNames, gatewayInstanceNames, gatewayBudgetNames, guardrailPolicyNames];
const ADMITTED = '';

type Spec = Readonly<Record<string, unknown>>;

const customer: Spec = { instanceRef: { name: 'main' }, customerId: 'acme' };
const instance: Spec = {
  endpoint: 'http://gateway.example.com:4000',
  masterKeySecretRef: { name: 'gateway', key: 'master-key' },
};

function many(count: number, length = 4): string[] {
  return Array.from({ length: count }, (_, index) => String(index).padEnd(length, 'x'));
}

/** Invalid names of resources. */
const notNames = ['..', 'a\u001b[31m', 'a/b', 'A', '-a'];

/** All references of an instance, by field. */
function referring(name: string): Readonly<Record<string, Spec>> {
  const key = { name, key: 'a' };
  return {
    masterKeySecretRef: { masterKeySecretRef: key },
    'tls.caSecretRef': { tls: { caSecretRef: key } },
    workloadRef: { workloadRef: { name } },
    'proxyConfig.configMapName': { proxyConfig: { configMapName: name } },
    'proxyConfig.base': { proxyConfig: { configMapName: 'a', base: { configMapRef: key } } },
    'guardrail.redis': { guardrail: { redis: { urlSecretRef: key } } },
    'guardrail.telemetry': { guardrail: { telemetry: { endpoint: 'http://collector', headersSecretRef: key } } },
    'guardrail.metricsTokenSecretRef': { guardrail: { metricsTokenSecretRef: key } },
    'guardrail.policy': { guardrail: { policy: { configMapRef: key } } },
    'guardrail.networkPolicy': { guardrail: { networkPolicy: { fromNamespaces: [name] } } },
    allowedNamespaces: { allowedNamespaces: [name] },
  };
}

function isOurs(value: unknown): value is { kind: string; metadata: { name: string }; spec: Spec } {
  return typeof value === 'object' && value !== null && 'apiVersion' in value && value.apiVersion === API_VERSION;
}

describe('CRDs at the API server', function () {
  this.timeout(60_000);
  const cluster = withControlPlane();
  let namespace: string;
  let api: CustomObjectsApi;

  before(async () => {
    await cluster().kubectl(['apply', '--server-side', '--force-conflicts', '-k', crds]);
    const names = kinds.map(({ plural }) => `crd/${plural}.${GROUP}`);
    await cluster().kubectl(['wait', '--for=condition=Established', '--timeout=30s', ...names]);
    // A CRD is Established a moment before discovery lists its short names, which kubectl needs.
    while (!(await cluster().kubectl(['api-resources', `--api-group=${GROUP}`, '--cached=false'])).includes('gbud')) {
      await setTimeout(100);
    }
    namespace = await cluster().createNamespace('crds');
    api = cluster().kubeConfig().makeApiClient(CustomObjectsApi);
  });

  /** Creates a resource as a dry run. Returns {@link ADMITTED} or the API server's error. */
  async function answer(names: { kind: string; plural: string }, spec: Spec, name = 'probe'): Promise<string> {
    const body = { apiVersion: API_VERSION, kind: names.kind, metadata: { name }, spec };
    const { plural } = names;
    try {
      await api.createNamespacedCustomObject({
        group: GROUP,
        version: VERSION,
        namespace,
        plural,
        body,
        dryRun: 'All',
      });
      return ADMITTED;
    } catch (error) {
      return messageOf(error);
    }
  }

  function messageOf(error: unknown): string {
    if (!(error instanceof ApiException)) throw error;
    const body: unknown = error.body;
    return (JSON.parse(typeof body === 'string' ? body : JSON.stringify(body)) as { message: string }).message;
  }

  it('are stored completely, with the revision that prevents an older operator from replacing them', async () => {
    for (const { plural } of kinds) {
      const file = join(crds, `${plural}.${GROUP}.yaml`);
      const stored = JSON.parse(await cluster().kubectl(['get', 'crd', `${plural}.${GROUP}`, '-o', 'json'])) as object;
      expect(stored).to.have.deep.nested.property('metadata.annotations', {
        [annotations.crdRevision]: String(CRD_REVISION),
      });
      // kubectl diff finds no difference between the sent and the stored object.
      expect(await cluster().kubectl(['diff', '--server-side', '--force-conflicts', '-f', file])).to.equal('');
    }
  });

  describe('GatewayCustomer', () => {
    for (const [what, fields, message] of [
      ['only the required fields', {}, ADMITTED],
      [
        'all fields, with its own limits',
        {
          instanceRef: { name: 'main', namespace: 'gateways' },
          alias: 'Acme',
          maxBudget: 10.5,
          budgetDuration: '30d',
          tpmLimit: Number.MAX_SAFE_INTEGER,
          rpmLimit: 0,
          models: ['gpt-4o', 'fast'],
          defaultModel: 'fast',
          allowedModelRegion: 'eu',
          blocked: false,
          objectPermission: { mcpServers: ['a'], accessGroups: ['b'], vectorStores: ['c'], agents: ['d'] },
          metadata: { team: 'sales', 'with/slash': '' },
          deletionPolicy: 'Orphan',
          adoptionPolicy: 'Refuse',
        },
        ADMITTED,
      ],
      ['a tier', { budgetId: 'gold' }, ADMITTED],
      ['a tier together with limits', { budgetId: 'gold', tpmLimit: 5 }, ADMITTED],
      ['a budget of nothing', { maxBudget: 0 }, ADMITTED],
      ['a month', { maxBudget: 1, budgetDuration: '1mo' }, ADMITTED],
      ['an e-mail address as id', { customerId: 'Zoë <zoe@example.com>' }, ADMITTED],
      ['1,024 models', { models: many(1024) }, ADMITTED],
      [
        'maxBudget with budgetId',
        { maxBudget: 1, budgetId: 'gold' },
        'spec.budgetId: Forbidden: budgetId cannot be used together with maxBudget or budgetDuration: remove budgetId',
      ],
      [
        'budgetDuration with budgetId',
        { budgetDuration: '1d', budgetId: 'gold' },
        'spec.budgetId: Forbidden: budgetId cannot be used together with maxBudget or budgetDuration: remove budgetId',
      ],
      ['a negative budget', { maxBudget: -0.01 }, 'maxBudget must not be negative: set an amount in USD'],
      ['a negative tpmLimit', { tpmLimit: -1 }, 'tpmLimit must not be negative'],
      ['a negative rpmLimit', { rpmLimit: -1 }, 'rpmLimit must not be negative'],
      ['a tpmLimit that JavaScript rounds', { tpmLimit: 2 ** 53 }, 'tpmLimit must be at most 9007199254740991: remove'],
      [
        'an rpmLimit that JavaScript rounds',
        { rpmLimit: 2 ** 53 },
        'rpmLimit must be at most 9007199254740991: remove',
      ],
      ['half a token', { tpmLimit: 0.5 }, 'spec.tpmLimit in body must be of type int64'],
      [
        'a duration without a unit',
        { budgetDuration: '30' },
        'budgetDuration must be a whole number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d',
      ],
      ['a duration in words', { budgetDuration: 'monthly' }, 'budgetDuration must be a whole number with a unit'],
      ['a duration of nothing', { budgetDuration: '0d' }, 'budgetDuration must be a whole number with a unit'],
      ['a duration with a newline', { budgetDuration: '1d\n' }, 'budgetDuration must be a whole number with a unit'],
      ['a budget row of another customer as tier', { budgetId: 'gcust-0000' }, 'budgetId must not begin with gcust-'],
      ['a reference to a budget', { budgetRef: { name: 'gold', namespace: 'ai' } }, ADMITTED],
      [
        'a reference to a budget beside an id',
        { budgetRef: { name: 'gold' }, budgetId: 'gold' },
        'budgetRef cannot be used together with budgetId: remove one of the two',
      ],
      ...['maxBudget', 'tpmLimit', 'rpmLimit'].map(
        (limit) =>
          [
            `a reference to a budget beside ${limit}`,
            { budgetRef: { name: 'gold' }, [limit]: 1 },
            'budgetRef cannot be used together with maxBudget, budgetDuration, tpmLimit or rpmLimit',
          ] as const,
      ),
      [
        'a reference to a budget beside a period',
        { budgetRef: { name: 'gold' }, budgetDuration: '1d' },
        'budgetRef cannot be used together with maxBudget, budgetDuration, tpmLimit or rpmLimit',
      ],
      ['no id', { customerId: undefined }, 'spec.customerId: Required value'],
      [
        'an empty id',
        { customerId: '' },
        'spec.customerId: Invalid value: "": spec.customerId in body should be at least 1 chars long',
      ],
      ['an id with a space at its end', { customerId: 'acme ' }, 'customerId must not begin or end with white space'],
      [
        'an id with a newline in it',
        { customerId: 'ac\nme' },
        'customerId must not begin or end with white space or contain control characters',
      ],
      [
        'an id of 257 characters',
        { customerId: 'x'.repeat(257) },
        'spec.customerId: Too long: may not be more than 256 bytes',
      ],
      ['no instance', { instanceRef: undefined }, 'spec.instanceRef: Required value'],
      ['1,025 models', { models: many(1025) }, 'spec.models: Too many: 1025: must have at most 1024 items'],
      [
        'a model of 257 characters',
        { models: ['x'.repeat(257)] },
        'spec.models[0]: Too long: may not be more than 256 bytes',
      ],
      ['a model twice', { models: ['a', 'a'] }, 'spec.models[1]: Duplicate value: "a"'],
      [
        '257 MCP servers',
        { objectPermission: { mcpServers: many(257) } },
        'spec.objectPermission.mcpServers: Too many: 257: must have at most 256 items',
      ],
      [
        '129 metadata',
        { metadata: Object.fromEntries(many(129).map((key) => [key, ''])) },
        'spec.metadata: Too many: 129: must have at most 128 items',
      ],
      [
        'long metadata',
        { metadata: { a: 'x'.repeat(4097) } },
        'spec.metadata.a: Too long: may not be more than 4096 bytes',
      ],
      ['a resource that only observes', { managementPolicy: 'Observe' }, ADMITTED],
      [
        'an unknown management policy',
        { managementPolicy: 'Watch' },
        'spec.managementPolicy: Unsupported value: "Watch": supported values: "Manage", "Observe"',
      ],
      [
        'an unknown deletion policy',
        { deletionPolicy: 'Keep' },
        'spec.deletionPolicy: Unsupported value: "Keep": supported values: "Delete", "Orphan"',
      ],
    ] as const) {
      it(`${message === ADMITTED ? 'admits' : 'rejects'} ${what}`, async () => {
        const result = await answer(gatewayCustomerNames, { ...customer, ...fields });
        if (message === ADMITTED) expect(result).to.equal(ADMITTED);
        else expect(result).to.include(message);
      });
    }

    it('rejects the largest 64-bit integer, which no JavaScript client can send', async () => {
      const text = JSON.stringify({
        apiVersion: API_VERSION,
        kind: gatewayCustomerNames.kind,
        metadata: { name: 'large', namespace },
        spec: { ...customer, tpmLimit: 0 },
      }).replace('"tpmLimit":0', '"tpmLimit":9223372036854775807');
      const result = await cluster().kubectl(['create', '--dry-run=server', '-f', '-'], text).catch(String);
      expect(result).to.include('tpmLimit must be at most 9007199254740991');
    });

    it('fills in the defaults', async () => {
      const body = {
        apiVersion: API_VERSION,
        kind: gatewayCustomerNames.kind,
        metadata: { name: 'd' },
        spec: customer,
      };
      const { plural } = gatewayCustomerNames;
      const created: unknown = await api.createNamespacedCustomObject({
        group: GROUP,
        version: VERSION,
        namespace,
        plural,
        body,
      });
      // The default of adoptionPolicy depends on the namespaces of the customer and of its instance.
      expect(created)
        .to.have.property('spec')
        .that.includes({ deletionPolicy: 'Delete' })
        .and.not.has.property('adoptionPolicy');
    });

    describe('has immutable fields', () => {
      const referring: Spec = { ...customer, instanceRef: { name: 'main', namespace: 'gateways' } };

      for (const [what, from, to, message] of [
        ['another limit', customer, { ...customer, maxBudget: 5 }, ADMITTED],
        [
          'another customerId',
          customer,
          { ...customer, customerId: 'other' },
          'customerId cannot be changed: create another GatewayCustomer',
        ],
        [
          'another instance',
          customer,
          { ...customer, instanceRef: { name: 'other' } },
          'instanceRef cannot be changed: create another GatewayCustomer',
        ],
        ['a namespace added to instanceRef', customer, referring, 'instanceRef cannot be changed'],
        ['a namespace taken from instanceRef', referring, customer, 'instanceRef cannot be changed'],
        [
          'another namespace in instanceRef',
          referring,
          { ...customer, instanceRef: { name: 'main', namespace: 'b' } },
          'instanceRef cannot be changed',
        ],
      ] as const) {
        it(`${message === ADMITTED ? 'admits' : 'rejects'} ${what}`, async () => {
          const result = await change(gatewayCustomerNames, what, from, to);
          if (message === ADMITTED) expect(result).to.equal(ADMITTED);
          else expect(result).to.include(message);
        });
      }
    });

    it('is listed with its columns in their order, and with more of them for -o wide', async () => {
      const name = 'columns';
      await cluster().kubectl(
        ['create', '-f', '-'],
        JSON.stringify({
          apiVersion: API_VERSION,
          kind: gatewayCustomerNames.kind,
          metadata: { name, namespace },
          spec: { ...customer, customerId: 'listed', maxBudget: 12.5 },
        }),
      );
      const status = { synced: true, currentSpend: 0.75 };
      await cluster().kubectl([
        'patch',
        'gcust',
        name,
        `-n${namespace}`,
        '--subresource=status',
        '--type=merge',
        '-p',
        JSON.stringify({ status }),
      ]);
      const [head, row] = (await cluster().kubectl(['get', 'gcust', name, `-n${namespace}`])).split('\n');
      expect(head?.split(/\s+/)).to.deep.equal(['NAME', 'CUSTOMERID', 'MAXBUDGET', 'SPEND', 'SYNCED', 'AGE']);
      expect(row?.split(/\s+/).slice(0, 5)).to.deep.equal([name, 'listed', '12.5', '0.75', 'true']);
      const wide = await cluster().kubectl(['get', 'gcust', name, `-n${namespace}`, '-o', 'wide']);
      expect(wide.split('\n')[0]).to.match(/AGE\s+INSTANCE\s+TIER\s+BLOCKED\s+REASON\s+LAST SYNC/);
    });
  });

  /** Creates a resource and changes its spec. @returns the message of the rejection */
  async function change(
    { kind, plural }: typeof gatewayCustomerNames | typeof gatewayInstanceNames,
    what: string,
    from: Spec,
    to: Spec,
  ): Promise<string> {
    const name = what.toLowerCase().replaceAll(' ', '-');
    const at = { group: GROUP, version: VERSION, plural, namespace };
    const body = { apiVersion: API_VERSION, kind, metadata: { name }, spec: from };
    const created = (await api.createNamespacedCustomObject({ ...at, body })) as typeof body;
    try {
      await api.replaceNamespacedCustomObject({ ...at, name, body: { ...created, spec: to } });
      return ADMITTED;
    } catch (error) {
      return messageOf(error);
    }
  }

  describe('GatewayInstance', () => {
    const guarded = (guardrail: Spec, more: Spec = {}): Spec => ({ guardrail, ...more });
    for (const [what, fields, message] of [
      ['only the required fields', {}, ADMITTED],
      ['a Service', { endpoint: undefined, serviceRef: { name: 'litellm', port: 4000 } }, ADMITTED],
      ['an IPv6 endpoint', { endpoint: 'http://[::1]:4000/base/' }, ADMITTED],
      ['a guardrail without settings', guarded({}), ADMITTED],
      [
        'everything',
        {
          proxyName: 'litellm',
          tls: { caSecretRef: { name: 'ca', key: 'ca.crt' } },
          allowedNamespaces: ['a', '*'],
          rateLimit: { qps: 5, burst: 10, maxConcurrent: 2 },
          syncInterval: '1h30m',
          defaultCustomerBudget: { maxBudget: 5, budgetDuration: '30d' },
          proxyConfig: { base: { inline: 'a: 1' }, configMapName: 'litellm' },
          workloadRef: { name: 'litellm', port: 4000 },
          guardrail: {
            integration: 'Inline',
            inline: { unknownRoutes: 'Generic', identityHeaders: ['x-user-id', 'x-guardrail-team'] },
            exclusive: true,
            mode: 'Deployment',
            image: 'example.com/guardrail:1',
            imagePullPolicy: 'Always',
            imagePullSecrets: ['pull'],
            autoscaling: { maxReplicas: 5 },
            resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: 1 } },
            nodeSelector: { 'kubernetes.io/os': 'linux' },
            tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 60 }],
            networkPolicy: { fromNamespaces: ['clients'] },
            port: 9000,
            callback: 'Generic',
            redis: { urlSecretRef: { name: 'redis', key: 'url' } },
            mappingTTL: '7d',
            enforcement: 'Monitor',
            presidio: { url: 'http://presidio:3000', withBuiltin: true },
            presidioApi: true,
            mcp: { upstream: 'http://crm:3000', restoreTypes: ['PERSON'] },
            metricsTokenSecretRef: { name: 'scrape', key: 'token' },
            restore: [{ name: 'crm', sessions: 'Applications', types: ['PERSON'] }],
            detectionTimeout: '500ms',
            profile: 'Confidential',
            recall: 'Thorough',
            languages: ['en', 'de'],
            sessionScope: 'Conversation',
            policy: { configMapRef: { name: 'policy', key: 'policy.yaml' } },
            images: 'Block',
            remoteImages: 'Pass',
            maxBody: '20Mi',
            logLevel: 'debug',
            telemetry: {
              endpoint: 'http://otel-collector.monitoring:4318',
              headersSecretRef: { name: 'otlp', key: 'headers' },
              samplingRatio: 0.1,
            },
            audit: { outputs: ['Stdout', 'OTLP'] },
          },
        },
        ADMITTED,
      ],
      ['no gateway', { endpoint: undefined }, 'either endpoint or serviceRef is required: set exactly one of the two'],
      [
        'two gateways',
        { serviceRef: { name: 'litellm' } },
        'either endpoint or serviceRef is required: set exactly one of the two',
      ],
      [
        'an endpoint without a scheme',
        { endpoint: 'gateway:4000' },
        'endpoint must be an http or https address without credentials',
      ],
      [
        'an endpoint with credentials',
        { endpoint: 'http://me:secret@gateway' },
        'endpoint must be an http or https address without credentials',
      ],
      [
        'an endpoint with a query',
        { endpoint: 'http://gateway?a=b' },
        'endpoint must be an http or https address without credentials',
      ],
      ['an endpoint of another scheme', { endpoint: 'ftp://gateway' }, 'endpoint must be an http or https address'],
      ...['http://127.0.0.1:99999', 'http://gateway:0', 'http://[::1]:70000/base'].map(
        (endpoint) =>
          [`the endpoint ${endpoint}`, { endpoint }, 'endpoint must have a port between 1 and 65535'] as const,
      ),
      ...['http://gate way', 'http://gateway:x', 'http://', 'http://a\u0007b', 'http://a%zz', 'http://[::1'].map(
        (endpoint) =>
          [`the endpoint ${JSON.stringify(endpoint)}`, { endpoint }, 'endpoint must be an http or https'] as const,
      ),
      [
        'a Presidio with an invalid port',
        guarded({ presidio: { url: 'http://presidio:99999' } }),
        'url must have a port between',
      ],
      ['the highest port', { endpoint: 'https://gateway-1.example.com:65535' }, ADMITTED],
      ...notNames.flatMap((name) =>
        Object.entries(referring(name)).map(
          ([field, fields]) => [`${JSON.stringify(name)} as ${field}`, fields, 'in body should match'] as const,
        ),
      ),
      ...['..', 'main', 'a.b', 'x'.repeat(64)].map(
        (name) =>
          [
            `${name} as the name of a Service`,
            { endpoint: undefined, serviceRef: { name } },
            name === 'main' ? ADMITTED : name.length > 63 ? 'Too long' : 'in body should match',
          ] as const,
      ),
      ['every namespace', { allowedNamespaces: ['*', 'team-1'] }, ADMITTED],
      ['a pattern of namespaces', { allowedNamespaces: ['team-*'] }, 'in body should match'],
      ['a key with a slash', { masterKeySecretRef: { name: 'a', key: 'a/b' } }, 'in body should match'],
      ['a key with a dot', { masterKeySecretRef: { name: 'a.b', key: '..data_A-1' } }, ADMITTED],
      ['no key', { masterKeySecretRef: undefined }, 'spec.masterKeySecretRef: Required value'],
      ['a proxy name with a dash', { proxyName: 'lite-llm' }, 'proxyName must begin with a lowercase letter'],
      [
        'an interval without a unit',
        { syncInterval: '5' },
        'syncInterval must be a duration of whole numbers with units',
      ],
      ['an interval of zero', { syncInterval: '0s' }, 'syncInterval must be between 1s and 24h, for example 5m'],
      ['an interval of days', { syncInterval: '25h' }, 'syncInterval must be between 1s and 24h, for example 5m'],
      [
        'both default budgets',
        { defaultCustomerBudget: { maxBudget: 1, budgetId: 'a' } },
        'defaultCustomerBudget requires either maxBudget, budgetId or budgetRef: set exactly one of them',
      ],
      [
        'a default budget id beside a reference',
        { defaultCustomerBudget: { budgetId: 'a', budgetRef: { name: 'a' } } },
        'defaultCustomerBudget requires either maxBudget, budgetId or budgetRef: set exactly one of them',
      ],
      ['a reference to a default budget', { defaultCustomerBudget: { budgetRef: { name: 'a' } } }, ADMITTED],
      [
        'a reference to a default budget with a period',
        { defaultCustomerBudget: { budgetRef: { name: 'a' }, budgetDuration: '30d' } },
        'budgetDuration cannot be used together with budgetId or budgetRef',
      ],
      [
        'an empty default budget',
        { defaultCustomerBudget: {} },
        'defaultCustomerBudget requires either maxBudget, budgetId or budgetRef',
      ],
      [
        'a default tier with a period',
        { defaultCustomerBudget: { budgetId: 'a', budgetDuration: '30d' } },
        'spec.defaultCustomerBudget.budgetDuration: Forbidden: budgetDuration cannot be used together with budgetId or budgetRef, because the tier has its own period: remove budgetDuration, or replace the tier by maxBudget',
      ],
      [
        'a default period alone',
        { defaultCustomerBudget: { budgetDuration: '30d' } },
        'budgetDuration requires maxBudget: set maxBudget, or remove budgetDuration',
      ],
      [
        'a default period that is not a duration',
        { defaultCustomerBudget: { maxBudget: 1, budgetDuration: 'monthly' } },
        'budgetDuration must be a whole number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d',
      ],
      ['a negative default budget', { defaultCustomerBudget: { maxBudget: -1 } }, 'maxBudget must not be negative'],
      [
        'two bases',
        { proxyConfig: { configMapName: 'a', base: { inline: '', configMapRef: { name: 'a', key: 'b' } } } },
        'either inline or configMapRef is required: set exactly one of the two',
      ],
      [
        'a sidecar without a workload',
        guarded({ mode: 'Sidecar' }),
        "Sidecar mode requires workloadRef: set it to the gateway's Deployment",
      ],
      [
        'replicas of a sidecar',
        guarded({ mode: 'Sidecar', replicas: 2 }, { workloadRef: { name: 'a' } }),
        'replicas and autoscaling have no effect in Sidecar mode',
      ],
      [
        'a sidecar with TLS',
        guarded({ mode: 'Sidecar', tls: {} }, { workloadRef: { name: 'a' } }),
        'tls has no effect in Sidecar mode, where the gateway calls the guardrail within its pod',
      ],
      [
        'a certificate from two sources',
        guarded({ tls: { issuerRef: { name: 'a' }, secretRef: { name: 'a' } } }),
        'issuerRef cannot be used together with secretRef',
      ],
      [
        'a guardrail with TLS and client certificates',
        guarded({ mode: 'Deployment', tls: { issuerRef: { name: 'a' }, clientAuth: {} } }),
        ADMITTED,
      ],
      [
        'an exclusive guardrail that the gateway calls',
        guarded({ exclusive: true }, { workloadRef: { name: 'a' } }),
        'exclusive requires the integration Inline',
      ],
      [
        'an exclusive guardrail of a gateway without a workload',
        guarded({ exclusive: true, integration: 'Inline' }),
        'exclusive requires workloadRef, whose pods it closes',
      ],
      ...['http://crm/?a=b', 'crm:3000'].map(
        (upstream) =>
          [
            `an MCP server at ${upstream}`,
            guarded({ integration: 'Inline', mcp: { upstream } }),
            'upstream must be an http or https address',
          ] as const,
      ),
      [
        'an MCP server whose sessions end with each call',
        guarded({ integration: 'Inline', sessionScope: 'Call', mcp: { upstream: 'http://crm' } }),
        'mcp has no effect with the sessionScope Call',
      ],
      ['an MCP server that applications cannot reach', guarded({ mcp: { upstream: 'http://crm' } }), 'mcp requires'],
      [
        'an MCP server before which a sidecar stands',
        guarded(
          { mode: 'Sidecar', integration: 'Inline', mcp: { upstream: 'http://crm' } },
          { workloadRef: { name: 'a' } },
        ),
        'mcp has no effect in Sidecar mode',
      ],
      ...(
        [
          ['inline', ['PERSON'], "proxy and inline are the names of the guardrail's own callers"],
          ['CRM', ['PERSON'], 'should match'],
          ['crm', [], 'should have at least 1 items'],
          ['crm', ['*'], 'an entity type must begin with an upper-case letter'],
        ] as const
      ).map(
        ([name, types, message]) =>
          [
            `a tool ${name} that sees ${types.join() || 'nothing'}`,
            guarded({ restore: [{ name, sessions: 'Gateway', types }] }),
            message,
          ] as const,
      ),
      [
        'a token for metrics of a sidecar',
        guarded({ mode: 'Sidecar', metricsTokenSecretRef: { name: 'a', key: 'a' } }, { workloadRef: { name: 'a' } }),
        'metricsTokenSecretRef has no effect in Sidecar mode',
      ],
      ['a guardrail that is not exclusive', guarded({ exclusive: false }), ADMITTED],
      [
        'a client without images, which are accepted',
        guarded({ callback: 'Full', images: 'Pass', remoteImages: 'Pass' }),
        ADMITTED,
      ],
      ...[{}, { images: 'Pass' }, { images: 'Block', remoteImages: 'Pass' }].map(
        (images) =>
          [
            `a client without images, with ${JSON.stringify(images)}`,
            guarded({ callback: 'Full', ...images }),
            'callback Full shows no images and no files to the guardrail, so that they reach the model unchecked: set images and remoteImages to Pass to accept this, or set callback to Generic',
          ] as const,
      ),
      [
        'an unknown client',
        guarded({ callback: 'Other' }),
        'spec.guardrail.callback: Unsupported value: "Other": supported values: "Generic", "Full"',
      ],
      [
        'an unknown integration',
        guarded({ integration: 'Both' }),
        'spec.guardrail.integration: Unsupported value: "Both": supported values: "Callback", "Inline", "CallbackAndInline"',
      ],
      ['both integrations', guarded({ integration: 'CallbackAndInline', inline: {} }), ADMITTED],
      [
        'an exclusive guardrail that the gateway calls too',
        guarded({ exclusive: true, integration: 'CallbackAndInline' }, { workloadRef: { name: 'a' } }),
        'exclusive requires the integration Inline',
      ],
      [
        'settings for calls of applications without such calls',
        guarded({ inline: { unknownRoutes: 'Generic' } }),
        'inline has no effect with the integration Callback: set integration to Inline or CallbackAndInline, or remove inline',
      ],
      [
        'a header name that is none',
        guarded({ integration: 'Inline', inline: { identityHeaders: ['x-user-id', 'x user'] } }),
        'identityHeaders must contain names of headers in lowercase, without a colon, for example x-user-id',
      ],
      [
        'an empty list of headers',
        guarded({ integration: 'Inline', inline: { identityHeaders: [] } }),
        'spec.guardrail.inline.identityHeaders in body should have at least 1 items',
      ],
      [
        'the same header twice',
        guarded({ integration: 'Inline', inline: { identityHeaders: ['x-user-id', 'x-user-id'] } }),
        'spec.guardrail.inline.identityHeaders[1]: Duplicate value: "x-user-id"',
      ],
      [
        'an unknown handling of routes',
        guarded({ integration: 'Inline', inline: { unknownRoutes: 'Allow' } }),
        'spec.guardrail.inline.unknownRoutes: Unsupported value: "Allow": supported values: "Block", "Generic", "Pass"',
      ],
      [
        'a port out of range',
        guarded({}, { workloadRef: { name: 'a', port: 70_000 } }),
        'spec.workloadRef.port in body should be less than or equal to 65535',
      ],
      [
        'replicas with autoscaling',
        guarded({ replicas: 2, autoscaling: { maxReplicas: 3 } }),
        'replicas cannot be used together with autoscaling',
      ],
      [
        'an invalid quantity',
        guarded({ resources: { requests: { cpu: 'lots' } } }),
        'spec.guardrail.resources.requests.cpu in body should match',
      ],
      ['an invalid duration', guarded({ mappingTTL: 'day' }), 'mappingTTL must be a number of days, or a duration'],
      [
        'an invalid language',
        guarded({ audit: { outputs: ['File'] } }),
        'spec.guardrail.audit.outputs[0]: Unsupported value: "File"',
      ],
      ['audit events to nowhere', guarded({ audit: { outputs: [] } }), 'in body should have at least 1 items'],
      [
        'an invalid language',
        guarded({ languages: ['english'] }),
        'spec.guardrail.languages[0]: Too long: may not be more than 2 bytes',
      ],
      ['a Presidio without scheme', guarded({ presidio: { url: 'presidio' } }), 'url must be an http or https address'],
      [
        'a collector with credentials',
        guarded({ telemetry: { endpoint: 'http://me:secret@collector' } }),
        'endpoint must be an http or https address without credentials',
      ],
      [
        'more than all traces',
        guarded({ telemetry: { endpoint: 'http://collector:4318', samplingRatio: 1.5 } }),
        'samplingRatio must be between 0 and 1',
      ],
      [
        'an unknown profile',
        guarded({ profile: 'personal' }),
        'spec.guardrail.profile: Unsupported value: "personal": supported values: "Personal", "Confidential"',
      ],
      ['an invalid body size', guarded({ maxBody: 'large' }), 'maxBody must be a number of bytes, Ki or Mi'],
      [
        'a privileged port',
        guarded({ port: 80 }),
        'spec.guardrail.port in body should be greater than or equal to 1024',
      ],
    ] as const) {
      it(`${message === ADMITTED ? 'admits' : 'rejects'} ${what}`, async () => {
        const result = await answer(gatewayInstanceNames, { ...instance, ...fields });
        if (message === ADMITTED) expect(result).to.equal(ADMITTED);
        else expect(result).to.include(message);
      });
    }

    describe('changes its integration through a state with both', () => {
      const oneStep = 'integration cannot change between Callback and Inline in one step';
      for (const [what, from, to, message] of [
        ['from Callback to both', {}, { integration: 'CallbackAndInline' }, ADMITTED],
        ['from both to Inline', { integration: 'CallbackAndInline' }, { integration: 'Inline' }, ADMITTED],
        ['from Inline to both', { integration: 'Inline' }, { integration: 'CallbackAndInline' }, ADMITTED],
        ['from both to the default', { integration: 'CallbackAndInline' }, {}, ADMITTED],
        ['from Callback to Inline', { integration: 'Callback' }, { integration: 'Inline' }, oneStep],
        ['from the default to Inline', {}, { integration: 'Inline' }, oneStep],
        ['from Inline to the default', { integration: 'Inline' }, {}, oneStep],
        ['another setting of Inline', { integration: 'Inline' }, { integration: 'Inline', port: 9000 }, ADMITTED],
        ['no guardrail any more', { integration: 'Inline' }, undefined, ADMITTED],
        ['a first guardrail', undefined, { integration: 'Inline' }, ADMITTED],
      ] as const) {
        it(`${message === ADMITTED ? 'admits' : 'rejects'} ${what}`, async () => {
          const spec = (guardrail: Spec | undefined): Spec => ({ ...instance, ...(guardrail && { guardrail }) });
          const result = await change(gatewayInstanceNames, what, spec(from), spec(to));
          if (message === ADMITTED) expect(result).to.equal(ADMITTED);
          else expect(result).to.include(message);
        });
      }
    });

    it('is listed with its columns in their order', async () => {
      const body = JSON.stringify({
        apiVersion: API_VERSION,
        kind: gatewayInstanceNames.kind,
        metadata: { name: 'columns', namespace },
        spec: instance,
      });
      await cluster().kubectl(['create', '-f', '-'], body);
      const [head] = (await cluster().kubectl(['get', 'ginst', 'columns', `-n${namespace}`])).split('\n');
      expect(head?.split(/\s+/)).to.deep.equal(['NAME', 'ENDPOINT', 'READY', 'CUSTOMERS', 'GUARDRAIL', 'AGE']);
    });
  });

  describe('GatewayBudget', () => {
    const budget: Spec = { instanceRef: { name: 'main' } };
    for (const [what, fields, message, name] of [
      ['only the required fields', {}, ADMITTED, 'gold'],
      [
        'all fields',
        {
          instanceRef: { name: 'main', namespace: 'gateways' },
          budgetId: 'Gold tier',
          maxBudget: 10.5,
          softBudget: 8,
          budgetDuration: '30d',
          tpmLimit: 0,
          rpmLimit: 2 ** 53 - 1,
          maxParallelRequests: 4,
          modelMaxBudget: { 'gpt-4o': { maxBudget: 1, budgetDuration: '1d', tpmLimit: 10, rpmLimit: 1 } },
          deletionPolicy: 'Orphan',
          adoptionPolicy: 'Refuse',
        },
        ADMITTED,
        'gold',
      ],
      ['a negative budget', { maxBudget: -1 }, 'maxBudget must not be negative', 'gold'],
      ['a negative soft budget', { softBudget: -1 }, 'softBudget must not be negative', 'gold'],
      ['a duration in words', { budgetDuration: 'monthly' }, 'budgetDuration must be a whole number with', 'gold'],
      ['a rounded tpmLimit', { tpmLimit: 2 ** 53 }, 'tpmLimit must be at most 9007199254740991', 'gold'],
      ['a negative rpmLimit', { rpmLimit: -1 }, 'rpmLimit must not be negative', 'gold'],
      ['-1 parallel requests', { maxParallelRequests: -1 }, 'maxParallelRequests must not be negative', 'gold'],
      [
        '2^31 parallel requests',
        { maxParallelRequests: 2 ** 31 },
        'integer with format int32 in spec.maxParallelRequests',
        'gold',
      ],
      [
        'a negative budget of a model',
        { modelMaxBudget: { a: { maxBudget: -1 } } },
        'maxBudget must not be negative',
        'gold',
      ],
      ["an id of the operator's own", { budgetId: 'gcust-1' }, 'budgetId must not begin with gcust-', 'gold'],
      ["a name that would be an id of the operator's own", {}, 'the name must not begin with gcust-', 'gcust-1'],
      ['such a name with an id', { budgetId: 'gold' }, ADMITTED, 'gcust-1'],
      ['an id with a newline', { budgetId: 'go\nld' }, 'budgetId must not begin or end with white space', 'gold'],
      ['no instance', { instanceRef: undefined }, 'spec.instanceRef: Required value', 'gold'],
    ] as const) {
      it(`${message === ADMITTED ? 'admits' : 'rejects'} ${what}`, async () => {
        const result = await answer(gatewayBudgetNames, { ...budget, ...fields }, name);
        if (message === ADMITTED) expect(result).to.equal(ADMITTED);
        else expect(result).to.include(message);
      });
    }

    it('has an immutable id and instance', async () => {
      const at = { group: GROUP, version: VERSION, plural: gatewayBudgetNames.plural, namespace };
      const change = async (name: string, from: Spec, to: Spec): Promise<string> => {
        const body = { apiVersion: API_VERSION, kind: gatewayBudgetNames.kind, metadata: { name }, spec: from };
        const created = (await api.createNamespacedCustomObject({ ...at, body })) as typeof body;
        return await api.replaceNamespacedCustomObject({ ...at, name, body: { ...created, spec: to } }).then(
          () => ADMITTED,
          (error: unknown) => messageOf(error),
        );
      };
      const withId = { ...budget, budgetId: 'a' };
      expect(await change('limit', withId, { ...withId, maxBudget: 5 })).to.equal(ADMITTED);
      expect(await change('changed', withId, { ...budget, budgetId: 'b' })).to.include('budgetId cannot be changed');
      expect(await change('added', budget, withId)).to.include('budgetId cannot be changed, set or removed');
      expect(await change('removed', withId, budget)).to.include('budgetId cannot be changed, set or removed');
      const moved = { instanceRef: { name: 'other' } };
      expect(await change('moved', budget, moved)).to.include('instanceRef cannot be changed');
    });

    it('is listed with its columns in their order', async () => {
      const body = JSON.stringify({
        apiVersion: API_VERSION,
        kind: gatewayBudgetNames.kind,
        metadata: { name: 'columns', namespace },
        spec: budget,
      });
      await cluster().kubectl(['create', '-f', '-'], body);
      const [head] = (await cluster().kubectl(['get', 'gbud', 'columns', `-n${namespace}`])).split('\n');
      expect(head?.split(/\s+/)).to.deep.equal([
        ...['NAME', 'BUDGETID', 'INSTANCE', 'MAXBUDGET', 'CUSTOMERS', 'READY', 'AGE'],
      ]);
    });
  });

  describe('GuardrailPolicy', () => {
    const recognizer = { name: 'number', type: 'EMPLOYEE_ID', pattern: 'E-[0-9]{6}' };
    const rules = {
      profile: 'Confidential',
      default: { action: 'Block' },
      entities: { PERSON: { threshold: 0.6 }, COORDINATE: { action: 'Ignore' } },
      allow: [{ value: 'Acme' }, { pattern: 'support@acme[.]example', types: ['EMAIL_ADDRESS'] }],
      deny: [{ value: 'Project Nightjar', type: 'PROJECT' }, { value: 'Fjord' }],
    };
    const LONG = 'x'.repeat(201);
    for (const [what, spec, message] of [
      ['no fields', {}, ADMITTED],
      [
        'all fields',
        {
          ...rules,
          recall: 'Thorough',
          recognizers: [{ ...recognizer, score: 0.5, context: ['staff'] }],
          teams: { research: rules },
          images: 'Redact',
          remoteImages: 'Pass',
          enforcement: 'Monitor',
          retention: '30d',
          additionalEntityTypes: ['BADGE'],
        },
        ADMITTED,
      ],
      ['lists of the maximum length', { deny: many(1000).map((value) => ({ value })) }, ADMITTED],
      ['a longer list', { deny: many(1001).map((value) => ({ value })) }, 'must have at most 1000 items'],
      ['another profile', { profile: 'personal' }, 'supported values: "Personal", "Confidential"'],
      ['another action', { default: { action: 'Mask' } }, 'supported values: "Pseudonymize", "Block", "Ignore"'],
      ['a rule without a field', { entities: { PERSON: {} } }, 'action or threshold is required'],
      ['a threshold above 1', { default: { threshold: 1.1 } }, 'threshold must be between 0 and 1'],
      ['a negative score', { recognizers: [{ ...recognizer, score: -1 }] }, 'score must be between 0 and 1'],
      ['an allow entry with value and pattern', { allow: [{ value: 'ab', pattern: 'ab' }] }, 'either value or pattern'],
      ['an allow entry without both', { allow: [{ types: ['PERSON'] }] }, 'either value or pattern is required'],
      ['a type in lower case', { deny: [{ value: 'ab', type: 'project' }] }, 'an entity type must begin with an upper'],
      [
        'a type in lower case of a team',
        { teams: { a: { deny: [{ value: 'ab', type: 'b' }] } } },
        'an entity type must',
      ],
      ['a long type', { recognizers: [{ ...recognizer, type: 'X'.repeat(41) }] }, 'may not be more than 40'],
      ['an additional type in lower case', { additionalEntityTypes: ['badge'] }, 'an entity type must begin with'],
      ['a value of one character', { deny: [{ value: 'a' }] }, 'should be at least 2 chars long'],
      ['a long value', { deny: [{ value: LONG }] }, 'may not be more than 200'],
      ['white space around a value', { allow: [{ value: ' ab' }] }, 'must not begin or end with white space'],
      ['a long pattern', { allow: [{ pattern: 'x'.repeat(1001) }] }, 'may not be more than 1000'],
      ['a recognizer without a pattern', { recognizers: [{ name: 'a', type: 'A' }] }, 'pattern: Required value'],
      ['a retention in words', { retention: 'a day' }, 'retention must be a number of days, or a duration'],
      ['a retention of more than a year', { retention: '366d' }, 'retention must be between 1s and 365d'],
      ['a retention of nothing', { retention: '0s' }, 'retention must be between 1s and 365d'],
    ] as const) {
      it(`${message === ADMITTED ? 'admits' : 'rejects'} ${what}`, async () => {
        const result = await answer(guardrailPolicyNames, spec);
        if (message === ADMITTED) expect(result).to.equal(ADMITTED);
        else expect(result).to.include(message);
      });
    }

    it('is an alternative to the policy of an instance', async () => {
      const given = (guardrail: Spec): Promise<string> => answer(gatewayInstanceNames, { ...instance, guardrail });
      expect(await given({ policyRef: { name: 'strict' } })).to.equal(ADMITTED);
      expect(await given({ policyRef: { name: 'strict' }, policy: { inline: '' } })).to.include(
        'policyRef cannot be used together with policy',
      );
    });

    it('is listed with its columns in their order', async () => {
      const metadata = { name: 'columns', namespace };
      const body = JSON.stringify({ apiVersion: API_VERSION, kind: guardrailPolicyNames.kind, metadata, spec: {} });
      await cluster().kubectl(['create', '-f', '-'], body);
      const [head] = (await cluster().kubectl(['get', 'gpol', 'columns', `-n${namespace}`])).split('\n');
      expect(head?.split(/\s+/)).to.deep.equal([
        ...['NAME', 'ACCEPTED', 'PROFILE', 'ENFORCEMENT', 'INSTANCES', 'CUSTOMERS', 'READY', 'AGE'],
      ]);
    });
  });

  it('admit every sample', async () => {
    const folder = join(import.meta.dirname, '../samples');
    const samples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml'))
      .flatMap((name) => parseAllDocuments(readFileSync(join(folder, name), 'utf8')))
      .map((document): unknown => document.toJS())
      .filter(isOurs);
    expect(samples.map(({ kind }) => kind)).to.include.members([gatewayCustomerNames.kind, gatewayInstanceNames.kind]);
    for (const { kind, metadata, spec } of samples) {
      const names = kinds.find((each) => each.kind === kind);
      if (names === undefined) throw new Error(`A sample has the unknown kind ${kind}.`);
      expect(await answer(names, spec), metadata.name).to.equal(ADMITTED);
    }
  });

  it('mark each new resource as not yet observed, so that nobody takes it for complete', async () => {
    for (const [{ kind, plural }, spec] of [
      [gatewayCustomerNames, { ...customer, customerId: 'born' }],
      [gatewayInstanceNames, instance],
      [gatewayBudgetNames, { instanceRef: { name: 'main' } }],
      [guardrailPolicyNames, {}],
    ] as const) {
      const manifest = { apiVersion: API_VERSION, kind, metadata: { name: 'born', namespace }, spec };
      const created = await cluster().kubectl(['create', '-f', '-', '-o', 'json'], JSON.stringify(manifest));
      expect(JSON.parse(created), kind).to.have.deep.property('status', { observedGeneration: -1 });
      const stored = await cluster().kubectl(['get', plural, 'born', `-n${namespace}`, '-o', 'json']);
      expect(JSON.parse(stored), kind).to.have.deep.property('status', { observedGeneration: -1 });
    }
  });

  it('list all kinds by one category, and each kind has it', async () => {
    const names = async (args: readonly string[]): Promise<string[]> =>
      (await cluster().kubectl([...args, '-o', 'name'])).split('\n').filter((name) => name !== '');
    const inCategory = await names(['api-resources', '--categories=gateway-guardrail']);
    const all = kinds.map(({ plural }) => `${plural}.${GROUP}`);
    expect(inCategory).to.have.members(all);
    expect(await names(['api-resources', `--api-group=${GROUP}`])).to.have.members(all);
    const own = await cluster().createNamespace();
    for (const [{ kind }, spec] of [
      [gatewayCustomerNames, customer],
      [gatewayInstanceNames, instance],
      [gatewayBudgetNames, { instanceRef: { name: 'main' } }],
      [guardrailPolicyNames, {}],
    ] as const) {
      const manifest = { apiVersion: API_VERSION, kind, metadata: { name: 'one', namespace: own }, spec };
      await cluster().kubectl(['create', '-f', '-'], JSON.stringify(manifest));
    }
    const listed = await names(['get', 'gateway-guardrail', `-n${own}`]);
    expect(listed).to.have.members(kinds.map(({ singular }) => `${singular}.${GROUP}/one`));
  });

  it('explain every field of a customer with its doc comment', async () => {
    const explained = await cluster().kubectl(['explain', 'gcust.spec', '--recursive=false']);
    // kubectl wraps its lines.
    expect(explained.replaceAll(/\s+/g, ' ')).to.include(
      'The maximum amount that the customer may spend, in USD, per budgetDuration. Without budgetDuration, the amount is a lifetime limit.',
    );
    const budget = await cluster().kubectl(['explain', 'gcust.spec.maxBudget']);
    expect(budget).to.match(/FIELD: maxBudget <number>/);
    expect(await cluster().kubectl(['explain', 'ginst.spec.guardrail.redis'])).to.include('urlSecretRef');
    const parts = ['gcust.spec', 'gcust.status', 'ginst.spec', 'ginst.status', 'ginst.spec.guardrail'];
    for (const part of [...parts, 'gbud.spec', 'gbud.status', 'gpol.spec', 'gpol.status']) {
      expect(await cluster().kubectl(['explain', part]), part).to.not.include('<no description>');
    }
  });
});
