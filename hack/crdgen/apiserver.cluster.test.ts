import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  gatewayKeyNames,
  guardrailPolicyNames,
  GROUP,
  hasInvisibleCharacters,
  VERSION,
} from '../../operator/api/v1alpha1/v1alpha1.ts';
import { withControlPlane } from '../harness/controlplane.ts';
import type { KindNames } from './crdgen.ts';

const crds = join(import.meta.dirname, '../../crds');

type Spec = Readonly<Record<string, unknown>>;
/** Fields of a spec beside the required ones, and a part of the API server's error. Without an error, they are admitted. */
type Row = readonly [what: string, fields: Spec, error?: string];
/** A spec, another one that replaces it, and a part of the API server's error. */
type Change = readonly [what: string, from: Spec, to: Spec, error?: string];

/** The required fields. */
const customer: Spec = { instanceRef: { name: 'main' }, customerId: 'acme' };
const instance: Spec = {
  endpoint: 'http://gateway.example.com:4000',
  masterKeySecretRef: { name: 'gateway', key: 'master-key' },
};
const budget: Spec = { instanceRef: { name: 'main' } };
const apiKey: Spec = { instanceRef: { name: 'main' }, secretRef: { name: 'app', key: 'api-key' } };
/** The kinds, with a valid spec of each. */
const kinds: readonly (readonly [names: KindNames, spec: Spec])[] = [
  [gatewayCustomerNames, { ...customer, maxBudget: 12.5 }],
  [gatewayInstanceNames, instance],
  [gatewayBudgetNames, budget],
  [gatewayKeyNames, apiKey],
  [guardrailPolicyNames, {}],
];

function many(count: number, length = 4): string[] {
  return Array.from({ length: count }, (_, index) => String(index).padEnd(length, 'x'));
}

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
  /** One resource of each kind in a namespace of its own, as the API server stored it. */
  let alone: string;
  const stored = new Map<string, object>();

  before(async () => {
    await cluster().kubectl(['apply', '--server-side', '--force-conflicts', '-k', crds]);
    const names = kinds.map(([{ plural }]) => `crd/${plural}.${GROUP}`);
    await cluster().kubectl(['wait', '--for=condition=Established', '--timeout=30s', ...names]);
    // A CRD is Established a moment before discovery lists its short names, which kubectl needs.
    while (!(await cluster().kubectl(['api-resources', `--api-group=${GROUP}`, '--cached=false'])).includes('gbud'));
    namespace = await cluster().createNamespace('crds');
    alone = await cluster().createNamespace('crds');
    api = cluster().kubeConfig().makeApiClient(CustomObjectsApi);
    for (const [names, spec] of kinds) stored.set(names.kind, await create(names, spec, 'one', alone));
  });

  async function create({ kind, plural }: KindNames, spec: Spec, name: string, where = namespace): Promise<object> {
    const body = { apiVersion: API_VERSION, kind, metadata: { name }, spec };
    const at = { group: GROUP, version: VERSION, namespace: where, plural };
    return (await api.createNamespacedCustomObject({ ...at, body })) as object;
  }

  /** Creates a resource as a dry run, or replaces its spec. Returns the API server's error; '' if it admits the resource. */
  async function answer({ kind, plural }: KindNames, spec: Spec, name = 'probe', before?: object): Promise<string> {
    const at = { group: GROUP, version: VERSION, namespace, plural };
    const body = { apiVersion: API_VERSION, kind, metadata: { name }, ...before, spec };
    try {
      if (before === undefined) await api.createNamespacedCustomObject({ ...at, body, dryRun: 'All' });
      else await api.replaceNamespacedCustomObject({ ...at, name, body, dryRun: 'All' });
      return '';
    } catch (error) {
      if (!(error instanceof ApiException)) throw error;
      const text: unknown = error.body;
      return (JSON.parse(typeof text === 'string' ? text : JSON.stringify(text)) as { message: string }).message;
    }
  }

  function check(result: string, error: string | undefined): void {
    if (error === undefined) expect(result).to.equal('');
    else expect(result).to.include(error);
  }

  function judges(names: KindNames, required: Spec, rows: readonly Row[]): void {
    for (const [what, fields, error] of rows) {
      it(`${error === undefined ? 'admits' : 'rejects'} ${what}`, async () => {
        check(await answer(names, { ...required, ...fields }), error);
      });
    }
  }

  function judgesChanges(names: KindNames, changes: readonly Change[]): void {
    for (const [what, from, to, error] of changes) {
      it(`${error === undefined ? 'admits' : 'rejects'} ${what}`, async () => {
        const name = what.toLowerCase().replaceAll(' ', '-');
        check(await answer(names, to, name, await create(names, from, name)), error);
      });
    }
  }

  it('are stored completely, with the revision that prevents an older operator from replacing them', async () => {
    const revision = { [annotations.crdRevision]: String(CRD_REVISION) };
    const { items } = JSON.parse(await cluster().kubectl(['get', 'crd', '-o', 'json'])) as { items: object[] };
    for (const [{ plural }] of kinds) {
      const crd = items.find((item) => (item as { metadata: { name: string } }).metadata.name === `${plural}.${GROUP}`);
      expect(crd).to.have.deep.nested.property('metadata.annotations', revision);
    }
    // kubectl diff finds no difference between the sent and the stored objects.
    expect(await cluster().kubectl(['diff', '--server-side', '--force-conflicts', '-k', crds])).to.equal('');
  });

  describe('GatewayCustomer', () => {
    const withBudget = 'spec.budgetId: Forbidden: budgetId cannot be used together with maxBudget or budgetDuration';
    const beside = 'budgetRef cannot be used together with maxBudget, budgetDuration, tpmLimit or rpmLimit';
    const noDuration = 'budgetDuration must be a whole number with a unit (s, m, h, d, w or mo), for example 1d';
    judges(gatewayCustomerNames, customer, [
      ['only the required fields', {}],
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
      ],
      ['a tier', { budgetId: 'gold' }],
      ['a tier together with limits', { budgetId: 'gold', tpmLimit: 5 }],
      ['a budget of nothing', { maxBudget: 0 }],
      ['a month', { maxBudget: 1, budgetDuration: '1mo' }],
      ['an e-mail address as id', { customerId: 'Zoë <zoe@example.com>' }],
      ['1,024 models', { models: many(1024) }],
      ['a reference to a budget', { budgetRef: { name: 'gold', namespace: 'ai' } }],
      ['a resource that only observes', { managementPolicy: 'Observe' }],
      ['maxBudget with budgetId', { maxBudget: 1, budgetId: 'gold' }, withBudget],
      ['budgetDuration with budgetId', { budgetDuration: '1d', budgetId: 'gold' }, withBudget],
      ['a negative budget', { maxBudget: -0.01 }, 'maxBudget must not be negative: set an amount in USD'],
      ['a negative tpmLimit', { tpmLimit: -1 }, 'tpmLimit must not be negative'],
      ['a negative rpmLimit', { rpmLimit: -1 }, 'rpmLimit must not be negative'],
      ['a tpmLimit that JavaScript rounds', { tpmLimit: 2 ** 53 }, 'tpmLimit must be at most 9007199254740991: remove'],
      ['an rpmLimit that JavaScript rounds', { rpmLimit: 2 ** 53 }, 'rpmLimit must be at most 9007199254740991'],
      ['half a token', { tpmLimit: 0.5 }, 'spec.tpmLimit in body must be of type int64'],
      ['a duration without a unit', { budgetDuration: '30' }, noDuration],
      ['a duration in words', { budgetDuration: 'monthly' }, noDuration],
      ['a duration of nothing', { budgetDuration: '0d' }, noDuration],
      ['a duration with a newline', { budgetDuration: '1d\n' }, noDuration],
      ['a budget row of another customer as tier', { budgetId: 'gcust-0000' }, 'budgetId must not begin with gcust-'],
      [
        'a reference to a budget beside an id',
        { budgetRef: { name: 'gold' }, budgetId: 'gold' },
        'budgetRef cannot be used together with budgetId: remove one of the two',
      ],
      ...Object.entries({ maxBudget: 1, tpmLimit: 1, rpmLimit: 1, budgetDuration: '1d' }).map(([field, value]): Row => [
        `a reference to a budget beside ${field}`,
        { budgetRef: { name: 'gold' }, [field]: value },
        beside,
      ]),
      ['no id', { customerId: undefined }, 'spec.customerId: Required value'],
      ['an empty id', { customerId: '' }, 'spec.customerId in body should be at least 1 chars long'],
      ['an id with a space at its end', { customerId: 'acme ' }, 'customerId must not begin or end with white space'],
      [
        'an id with a zero-width space',
        { customerId: 'ac\u200Bme' },
        'customerId must not contain invisible characters',
      ],
      ['an id with a newline in it', { customerId: 'ac\nme' }, 'white space or contain control characters'],
      [
        'an id of 257 characters',
        { customerId: 'x'.repeat(257) },
        'spec.customerId: Too long: may not be more than 256',
      ],
      ['no instance', { instanceRef: undefined }, 'spec.instanceRef: Required value'],
      ['1,025 models', { models: many(1025) }, 'spec.models: Too many: 1025: must have at most 1024 items'],
      [
        'a model of 257 characters',
        { models: ['x'.repeat(257)] },
        'spec.models[0]: Too long: may not be more than 256',
      ],
      ['a model twice', { models: ['a', 'a'] }, 'spec.models[1]: Duplicate value: "a"'],
      [
        '257 MCP servers',
        { objectPermission: { mcpServers: many(257) } },
        'mcpServers: Too many: 257: must have at most',
      ],
      [
        '129 metadata',
        { metadata: Object.fromEntries(many(129).map((key) => [key, ''])) },
        'spec.metadata: Too many: 129: must have at most 128 items',
      ],
      ['long metadata', { metadata: { a: 'x'.repeat(4097) } }, 'spec.metadata.a: Too long: may not be more than 4096'],
      ['an unknown management policy', { managementPolicy: 'Watch' }, 'supported values: "Manage", "Observe"'],
      ['an unknown deletion policy', { deletionPolicy: 'Keep' }, 'supported values: "Delete", "Orphan"'],
    ]);

    it('rejects exactly the customer ids that the operator rejects for their invisible characters', async () => {
      const suspects = [
        ...[
          0x20, 0x2d, 0x7f, 0x85, 0xa0, 0xad, 0xe4, 0x34f, 0x435, 0x61c, 0x115f, 0x1160, 0x1680, 0x17b4, 0x17b5, 0x180b,
        ],
        ...[
          0x180e, 0x180f, 0x2000, 0x200a, 0x200b, 0x200d, 0x2010, 0x2028, 0x2029, 0x202e, 0x202f, 0x205f, 0x2060,
          0x2065,
        ],
        ...[
          0x2066, 0x2800, 0x2801, 0x3000, 0x3001, 0x3164, 0x4e2d, 0xe000, 0xfe00, 0xfe0f, 0xfe10, 0xfeff, 0xffa0,
          0xfff0,
        ],
        ...[0xfff8, 0xfffb, 0xfffd, 0x1d173, 0x1f600, 0xe0001, 0xe0020, 0xe0100, 0xe01ef, 0xe0fff, 0x10fffd],
      ].map((code) => `a${String.fromCodePoint(code)}b`);
      for (const customerId of suspects) {
        const rejection = await answer(gatewayCustomerNames, { ...customer, customerId }, 'a');
        const code = customerId.codePointAt(1)?.toString(16);
        expect(rejection !== '', `U+${code}: ${rejection}`).to.equal(hasInvisibleCharacters(customerId));
      }
    });

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

    it('fills in the defaults', () => {
      // The default of adoptionPolicy depends on the namespaces of the customer and of its instance.
      expect(stored.get('GatewayCustomer'))
        .to.have.property('spec')
        .that.includes({ deletionPolicy: 'Delete' })
        .and.not.has.property('adoptionPolicy');
    });

    describe('has immutable fields', () => {
      const inNamespace = (of: string): Spec => ({ ...customer, instanceRef: { name: 'main', namespace: of } });
      judgesChanges(gatewayCustomerNames, [
        ['another limit', customer, { ...customer, maxBudget: 5 }],
        ['another customerId', customer, { ...customer, customerId: 'other' }, 'customerId cannot be changed: create'],
        [
          'another instance',
          customer,
          { ...customer, instanceRef: { name: 'other' } },
          'instanceRef cannot be changed',
        ],
        ['a namespace added to instanceRef', customer, inNamespace('a'), 'instanceRef cannot be changed'],
        ['a namespace taken from instanceRef', inNamespace('a'), customer, 'instanceRef cannot be changed'],
        ['another namespace in instanceRef', inNamespace('a'), inNamespace('b'), 'instanceRef cannot be changed'],
      ]);
    });
  });

  describe('GatewayInstance', () => {
    const guarded = (guardrail: Spec, more: Spec = {}): Spec => ({ guardrail, ...more });
    const sidecar = (guardrail: Spec): Spec =>
      guarded({ mode: 'Sidecar', ...guardrail }, { workloadRef: { name: 'a' } });
    const inline = (guardrail: Spec): Spec => guarded({ integration: 'Inline', ...guardrail });
    const oneGateway = 'either endpoint or serviceRef is required: set exactly one of the two';
    const noEndpoint = 'endpoint must be an http or https address without credentials';
    const oneDefault =
      'defaultCustomerBudget requires either maxBudget, budgetId or budgetRef: set exactly one of them';
    judges(gatewayInstanceNames, instance, [
      ['only the required fields', {}],
      ['a Service', { endpoint: undefined, serviceRef: { name: 'litellm', port: 4000 } }],
      ['an IPv6 endpoint', { endpoint: 'http://[::1]:4000/base/' }],
      ['the highest port', { endpoint: 'https://gateway-1.example.com:65535' }],
      ['a guardrail without settings', guarded({})],
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
      ],
      ['every namespace', { allowedNamespaces: ['*', 'team-1'] }],
      ['a key with a dot', { masterKeySecretRef: { name: 'a.b', key: '..data_A-1' } }],
      ['a reference to a default budget', { defaultCustomerBudget: { budgetRef: { name: 'a' } } }],
      [
        'TLS and client certificates',
        guarded({ mode: 'Deployment', tls: { issuerRef: { name: 'a' }, clientAuth: {} } }),
      ],
      ['a guardrail that is not exclusive', guarded({ exclusive: false })],
      ['Full without images, by choice', guarded({ callback: 'Full', images: 'Pass', remoteImages: 'Pass' })],
      ['both integrations', guarded({ integration: 'CallbackAndInline', inline: {} })],
      ['a reference to a policy', guarded({ policyRef: { name: 'strict' } })],

      ['no gateway', { endpoint: undefined }, oneGateway],
      ['two gateways', { serviceRef: { name: 'litellm' } }, oneGateway],
      ...[
        ...['gateway:4000', 'http://me:secret@gateway', 'http://gateway?a=b', 'ftp://gateway', 'http://gate way'],
        ...['http://gateway:x', 'http://', 'http://a\u0007b', 'http://a%zz', 'http://[::1'],
      ].map((endpoint): Row => [`the endpoint ${JSON.stringify(endpoint)}`, { endpoint }, noEndpoint]),
      ...['http://127.0.0.1:99999', 'http://gateway:0', 'http://[::1]:70000/base'].map((endpoint): Row => [
        `the endpoint ${endpoint}`,
        { endpoint },
        'endpoint must have a port between 1 and 65535',
      ]),
      [
        'a Presidio with an invalid port',
        guarded({ presidio: { url: 'http://a:99999' } }),
        'url must have a port between',
      ],
      ...['..', 'a.b'].map((name): Row => [
        `a Service ${name}`,
        { endpoint: undefined, serviceRef: { name } },
        'in body should match',
      ]),
      ['a long Service', { endpoint: undefined, serviceRef: { name: 'x'.repeat(64) } }, 'Too long'],
      ['a pattern of namespaces', { allowedNamespaces: ['team-*'] }, 'in body should match'],
      ['a key with a slash', { masterKeySecretRef: { name: 'a', key: 'a/b' } }, 'in body should match'],
      ['no key', { masterKeySecretRef: undefined }, 'spec.masterKeySecretRef: Required value'],
      ['a proxy name with a dash', { proxyName: 'lite-llm' }, 'proxyName must begin with a lowercase letter'],
      [
        'an interval without a unit',
        { syncInterval: '5' },
        'syncInterval must be a duration of whole numbers with units',
      ],
      ['an interval of zero', { syncInterval: '0s' }, 'syncInterval must be between 1s and 24h, for example 5m'],
      ['an interval of days', { syncInterval: '25h' }, 'syncInterval must be between 1s and 24h, for example 5m'],
      ...Object.entries({
        'both default budgets': { maxBudget: 1, budgetId: 'a' },
        'a default budget id beside a reference': { budgetId: 'a', budgetRef: { name: 'a' } },
        'an empty default budget': {},
      }).map(([what, defaultCustomerBudget]): Row => [what, { defaultCustomerBudget }, oneDefault]),
      ...[{ budgetRef: { name: 'a' } }, { budgetId: 'a' }].map((tier): Row => [
        `a period beside the default ${Object.keys(tier).join()}`,
        { defaultCustomerBudget: { ...tier, budgetDuration: '30d' } },
        'spec.defaultCustomerBudget.budgetDuration: Forbidden: budgetDuration cannot be used together with budgetId or budgetRef',
      ]),
      [
        'a default period alone',
        { defaultCustomerBudget: { budgetDuration: '30d' } },
        'budgetDuration requires maxBudget: set maxBudget, or remove budgetDuration',
      ],
      [
        'a default period that is not a duration',
        { defaultCustomerBudget: { maxBudget: 1, budgetDuration: 'monthly' } },
        'budgetDuration must be a whole number with a unit',
      ],
      ['a negative default budget', { defaultCustomerBudget: { maxBudget: -1 } }, 'maxBudget must not be negative'],
      [
        'two bases',
        { proxyConfig: { configMapName: 'a', base: { inline: '', configMapRef: { name: 'a', key: 'b' } } } },
        'either inline or configMapRef is required: set exactly one of the two',
      ],
      ['a sidecar without a workload', guarded({ mode: 'Sidecar' }), 'Sidecar mode requires workloadRef'],
      ['replicas of a sidecar', sidecar({ replicas: 2 }), 'replicas and autoscaling have no effect in Sidecar mode'],
      ['a sidecar with TLS', sidecar({ tls: {} }), 'tls has no effect in Sidecar mode, where the gateway calls'],
      [
        'a token for metrics of a sidecar',
        sidecar({ metricsTokenSecretRef: { name: 'a', key: 'a' } }),
        'metricsTokenSecretRef has no effect in Sidecar mode',
      ],
      [
        'an MCP server before which a sidecar stands',
        sidecar({ integration: 'Inline', mcp: { upstream: 'http://crm' } }),
        'mcp has no effect in Sidecar mode',
      ],
      [
        'a certificate from two sources',
        guarded({ tls: { issuerRef: { name: 'a' }, secretRef: { name: 'a' } } }),
        'issuerRef cannot be used together with secretRef',
      ],
      ...['Callback', 'CallbackAndInline'].map((integration): Row => [
        `an exclusive guardrail with the integration ${integration}`,
        guarded({ exclusive: true, integration }, { workloadRef: { name: 'a' } }),
        'exclusive requires the integration Inline',
      ]),
      [
        'an exclusive guardrail of a gateway without a workload',
        inline({ exclusive: true }),
        'exclusive requires workloadRef, whose pods it closes',
      ],
      ...['http://crm/?a=b', 'crm:3000'].map((upstream): Row => [
        `an MCP server at ${upstream}`,
        inline({ mcp: { upstream } }),
        'upstream must be an http or https address',
      ]),
      [
        'an MCP server whose sessions end with each call',
        inline({ sessionScope: 'Call', mcp: { upstream: 'http://crm' } }),
        'mcp has no effect with the sessionScope Call',
      ],
      ['an MCP server that applications cannot reach', guarded({ mcp: { upstream: 'http://crm' } }), 'mcp requires'],
      ...(
        [
          ['inline', ['PERSON'], "proxy and inline are the names of the guardrail's own callers"],
          ['CRM', ['PERSON'], 'should match'],
          ['crm', [], 'should have at least 1 items'],
          ['crm', ['*'], 'an entity type must begin with an upper-case letter'],
        ] as const
      ).map(([name, types, message]): Row => [
        `a tool ${name} that sees ${types.join() || 'nothing'}`,
        guarded({ restore: [{ name, sessions: 'Gateway', types }] }),
        message,
      ]),
      ...[{}, { images: 'Pass' }, { images: 'Block', remoteImages: 'Pass' }].map((images): Row => [
        `Full with ${JSON.stringify(images)}`,
        guarded({ callback: 'Full', ...images }),
        'callback Full shows no images and no files to the guardrail, so that they reach the model unchecked',
      ]),
      ['an unknown client', guarded({ callback: 'Other' }), 'supported values: "Generic", "Full"'],
      ['an unknown integration', guarded({ integration: 'A' }), 'values: "Callback", "Inline", "CallbackAndInline"'],
      [
        'settings for calls of applications without such calls',
        guarded({ inline: { unknownRoutes: 'Generic' } }),
        'inline has no effect with the integration Callback: set integration to Inline or CallbackAndInline',
      ],
      [
        'a header name that is none',
        inline({ inline: { identityHeaders: ['x-user-id', 'x user'] } }),
        'identityHeaders must contain names of headers in lowercase, without a colon',
      ],
      [
        'an empty list of headers',
        inline({ inline: { identityHeaders: [] } }),
        'identityHeaders in body should have at',
      ],
      [
        'the same header twice',
        inline({ inline: { identityHeaders: ['x-user-id', 'x-user-id'] } }),
        'spec.guardrail.inline.identityHeaders[1]: Duplicate value: "x-user-id"',
      ],
      ['unknown handling of routes', inline({ inline: { unknownRoutes: 'A' } }), 'values: "Block", "Generic", "Pass"'],
      [
        'a port out of range',
        { workloadRef: { name: 'a', port: 70_000 } },
        'spec.workloadRef.port in body should be less',
      ],
      [
        'replicas with autoscaling',
        guarded({ replicas: 2, autoscaling: { maxReplicas: 3 } }),
        'replicas cannot be used together with autoscaling',
      ],
      ['an invalid quantity', guarded({ resources: { requests: { cpu: 'lots' } } }), 'cpu in body should match'],
      ['an invalid duration', guarded({ mappingTTL: 'day' }), 'mappingTTL must be a number of days, or a duration'],
      ['an unknown output', guarded({ audit: { outputs: ['File'] } }), 'audit.outputs[0]: Unsupported value: "File"'],
      ['audit events to nowhere', guarded({ audit: { outputs: [] } }), 'in body should have at least 1 items'],
      [
        'an invalid language',
        guarded({ languages: ['english'] }),
        'languages[0]: Too long: may not be more than 2 bytes',
      ],
      ['a Presidio without scheme', guarded({ presidio: { url: 'presidio' } }), 'url must be an http or https address'],
      ['a collector with credentials', guarded({ telemetry: { endpoint: 'http://me:secret@collector' } }), noEndpoint],
      [
        'more than all traces',
        guarded({ telemetry: { endpoint: 'http://collector:4318', samplingRatio: 1.5 } }),
        'samplingRatio must be between 0 and 1',
      ],
      ['an unknown profile', guarded({ profile: 'personal' }), 'supported values: "Personal", "Confidential"'],
      ['an invalid body size', guarded({ maxBody: 'large' }), 'maxBody must be a number of bytes, Ki or Mi'],
      [
        'a privileged port',
        guarded({ port: 80 }),
        'spec.guardrail.port in body should be greater than or equal to 1024',
      ],
      [
        'a policy from two sources',
        guarded({ policyRef: { name: 'strict' }, policy: { inline: '' } }),
        'policyRef cannot be used together with policy',
      ],
    ]);

    for (const field of Object.keys(referring(''))) {
      it(`rejects what cannot be a name as ${field}`, async () => {
        for (const name of ['..', 'a\u001b[31m', 'a/b', 'A', '-a']) {
          const result = await answer(gatewayInstanceNames, { ...instance, ...referring(name)[field] });
          expect(result, JSON.stringify(name)).to.include('in body should match');
        }
      });
    }

    describe('changes its integration through a state with both', () => {
      const at = (integration: string, more: Spec = {}): Spec => ({
        ...instance,
        guardrail: { integration, ...more },
      });
      const byDefault = { ...instance, guardrail: {} };
      const oneStep = 'integration cannot change between Callback and Inline in one step';
      judgesChanges(gatewayInstanceNames, [
        ['from Callback to both', byDefault, at('CallbackAndInline')],
        ['from both to Inline', at('CallbackAndInline'), at('Inline')],
        ['from Inline to both', at('Inline'), at('CallbackAndInline')],
        ['from both to the default', at('CallbackAndInline'), byDefault],
        ['from Callback to Inline', at('Callback'), at('Inline'), oneStep],
        ['from the default to Inline', byDefault, at('Inline'), oneStep],
        ['from Inline to the default', at('Inline'), byDefault, oneStep],
        ['another setting of Inline', at('Inline'), at('Inline', { port: 9000 })],
        ['no guardrail any more', at('Inline'), instance],
        ['a first guardrail', instance, at('Inline')],
      ]);
    });
  });

  describe('GatewayBudget', () => {
    judges(gatewayBudgetNames, budget, [
      ['only the required fields', {}],
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
      ],
      ['a negative budget', { maxBudget: -1 }, 'maxBudget must not be negative'],
      ['a negative soft budget', { softBudget: -1 }, 'softBudget must not be negative'],
      ['a duration in words', { budgetDuration: 'monthly' }, 'budgetDuration must be a whole number with'],
      ['a rounded tpmLimit', { tpmLimit: 2 ** 53 }, 'tpmLimit must be at most 9007199254740991'],
      ['a negative rpmLimit', { rpmLimit: -1 }, 'rpmLimit must not be negative'],
      ['-1 parallel requests', { maxParallelRequests: -1 }, 'maxParallelRequests must not be negative'],
      ['2^31 parallel requests', { maxParallelRequests: 2 ** 31 }, 'with format int32 in spec.maxParallelRequests'],
      ['a negative budget of a model', { modelMaxBudget: { a: { maxBudget: -1 } } }, 'maxBudget must not be negative'],
      ["an id of the operator's own", { budgetId: 'gcust-1' }, 'budgetId must not begin with gcust-'],
      ['an id with a newline', { budgetId: 'go\nld' }, 'budgetId must not begin or end with white space'],
      ['no instance', { instanceRef: undefined }, 'spec.instanceRef: Required value'],
    ]);

    it("rejects a name that would be an id of the operator's own, except with an id", async () => {
      check(await answer(gatewayBudgetNames, budget, 'gcust-1'), 'the name must not begin with gcust-');
      check(await answer(gatewayBudgetNames, { ...budget, budgetId: 'gold' }, 'gcust-1'), undefined);
    });

    describe('has an immutable id and instance', () => {
      const withId = { ...budget, budgetId: 'a' };
      const noChange = 'budgetId cannot be changed, set or removed';
      judgesChanges(gatewayBudgetNames, [
        ['another limit', withId, { ...withId, maxBudget: 5 }],
        ['another id', withId, { ...budget, budgetId: 'b' }, noChange],
        ['an added id', budget, withId, noChange],
        ['a removed id', withId, budget, noChange],
        ['another instance', budget, { instanceRef: { name: 'other' } }, 'instanceRef cannot be changed'],
      ]);
    });
  });

  describe('GatewayKey', () => {
    judges(gatewayKeyNames, apiKey, [
      ['only the required fields', {}],
      [
        'all fields',
        {
          instanceRef: { name: 'main', namespace: 'gateways' },
          teamId: 'sales',
          models: ['gpt-4o-mini'],
          maxBudget: 10.5,
          budgetDuration: '30d',
          tpmLimit: 0,
          rpmLimit: 2 ** 53 - 1,
          maxParallelRequests: 4,
          rotationInterval: '30d',
          rotationGracePeriod: '0m',
          deletionPolicy: 'Orphan',
        },
      ],
      ['a negative budget', { maxBudget: -1 }, 'maxBudget must not be negative'],
      ['a duration in words', { budgetDuration: 'monthly' }, 'budgetDuration must be a whole number with'],
      ['a rotation each second', { rotationInterval: '1s' }, 'rotationInterval must be a whole number with'],
      ['a rotation without pause', { rotationInterval: '0m' }, 'rotationInterval must be a whole number with'],
      ['a grace period in words', { rotationGracePeriod: 'long' }, 'rotationGracePeriod must be a whole number with'],
      ['no Secret', { secretRef: undefined }, 'spec.secretRef: Required value'],
      ['no key of the Secret', { secretRef: { name: 'app' } }, 'spec.secretRef.key: Required value'],
      [
        'a Secret of another namespace',
        { secretRef: { name: 'a/b', key: 'k' } },
        'spec.secretRef.name in body should match',
      ],
    ]);

    describe('has an immutable team, instance and Secret', () => {
      const ofTeam = { ...apiKey, teamId: 'a' };
      const noChange = 'teamId cannot be changed, set or removed';
      judgesChanges(gatewayKeyNames, [
        ['another limit', ofTeam, { ...ofTeam, maxBudget: 5 }],
        ['another team', ofTeam, { ...apiKey, teamId: 'b' }, noChange],
        ['an added team', apiKey, ofTeam, noChange],
        ['a removed team', ofTeam, apiKey, noChange],
        ['another instance', apiKey, { ...apiKey, instanceRef: { name: 'other' } }, 'instanceRef cannot be changed'],
        ['another Secret', apiKey, { ...apiKey, secretRef: { name: 'b', key: 'k' } }, 'secretRef cannot be changed'],
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
    const noType = 'an entity type must begin with an upper';
    judges(guardrailPolicyNames, {}, [
      ['no fields', {}],
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
      ],
      ['lists of the maximum length', { deny: many(1000).map((value) => ({ value })) }],
      ['a longer list', { deny: many(1001).map((value) => ({ value })) }, 'must have at most 1000 items'],
      ['another profile', { profile: 'personal' }, 'supported values: "Personal", "Confidential"'],
      ['another action', { default: { action: 'Mask' } }, 'supported values: "Pseudonymize", "Block", "Ignore"'],
      ['a rule without a field', { entities: { PERSON: {} } }, 'action or threshold is required'],
      ['a threshold above 1', { default: { threshold: 1.1 } }, 'threshold must be between 0 and 1'],
      ['a negative score', { recognizers: [{ ...recognizer, score: -1 }] }, 'score must be between 0 and 1'],
      ['an allow entry with value and pattern', { allow: [{ value: 'ab', pattern: 'ab' }] }, 'either value or pattern'],
      ['an allow entry without both', { allow: [{ types: ['PERSON'] }] }, 'either value or pattern is required'],
      ['a type in lower case', { deny: [{ value: 'ab', type: 'project' }] }, noType],
      ['a type in lower case of a team', { teams: { a: { deny: [{ value: 'ab', type: 'b' }] } } }, noType],
      ['a long type', { recognizers: [{ ...recognizer, type: 'X'.repeat(41) }] }, 'may not be more than 40'],
      ['an additional type in lower case', { additionalEntityTypes: ['badge'] }, noType],
      ['a value of one character', { deny: [{ value: 'a' }] }, 'should be at least 2 chars long'],
      ['a long value', { deny: [{ value: 'x'.repeat(201) }] }, 'may not be more than 200'],
      ['white space around a value', { allow: [{ value: ' ab' }] }, 'must not begin or end with white space'],
      ['a long pattern', { allow: [{ pattern: 'x'.repeat(1001) }] }, 'may not be more than 1000'],
      ['a recognizer without a pattern', { recognizers: [{ name: 'a', type: 'A' }] }, 'pattern: Required value'],
      ['a retention in words', { retention: 'a day' }, 'retention must be a number of days, or a duration'],
      ['a retention of more than a year', { retention: '366d' }, 'retention must be between 1s and 365d'],
      ['a retention of nothing', { retention: '0s' }, 'retention must be between 1s and 365d'],
    ]);
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
      const found = kinds.find(([names]) => names.kind === kind);
      if (found === undefined) throw new Error(`A sample has the unknown kind ${kind}.`);
      expect(await answer(found[0], spec), metadata.name).to.equal('');
    }
  });

  it('mark each new resource as not yet observed, so that nobody takes it for complete', () => {
    for (const [{ kind }] of kinds) {
      expect(stored.get(kind), kind).to.have.deep.property('status', { observedGeneration: -1 });
    }
  });

  it('list all kinds by one category, with their columns in their order', async () => {
    const status = { synced: true, currentSpend: 0.75 };
    const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    await cluster().kubectl(['patch', 'gcust', 'one', `-n${alone}`, ...patch]);
    const rowsOf = async (...more: string[]): Promise<string[][]> => {
      const text = await cluster().kubectl(['get', 'gateway-guardrail', `-n${alone}`, ...more]);
      return text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/));
    };
    const rows = await rowsOf();
    const nameOf = ({ singular }: KindNames): string => `${singular}.${GROUP}/one`;
    const tables = rows.flatMap(([name = ''], at) => (name.includes('/') ? [[name, rows[at - 1]]] : []));
    expect(Object.fromEntries(tables)).to.deep.equal({
      [nameOf(gatewayCustomerNames)]: ['NAME', 'CUSTOMERID', 'MAXBUDGET', 'SPEND', 'SYNCED', 'AGE'],
      [nameOf(gatewayInstanceNames)]: ['NAME', 'ENDPOINT', 'READY', 'CUSTOMERS', 'GUARDRAIL', 'AGE'],
      [nameOf(gatewayBudgetNames)]: ['NAME', 'BUDGETID', 'INSTANCE', 'MAXBUDGET', 'CUSTOMERS', 'READY', 'AGE'],
      [nameOf(gatewayKeyNames)]: ['NAME', 'SECRET', 'INSTANCE', 'MAXBUDGET', 'ROTATED', 'READY', 'AGE'],
      [nameOf(guardrailPolicyNames)]: [
        ...['NAME', 'ACCEPTED', 'PROFILE', 'ENFORCEMENT', 'INSTANCES', 'CUSTOMERS', 'READY', 'AGE'],
      ],
    });
    const wide = await rowsOf('-o', 'wide');
    const at = wide.findIndex(([name]) => name === nameOf(gatewayCustomerNames));
    expect(wide[at - 1]?.slice(5)).to.deep.equal(['AGE', 'INSTANCE', 'TIER', 'BLOCKED', 'REASON', 'LAST SYNC']);
    expect(wide[at]?.slice(1, 5)).to.deep.equal(['acme', '12.5', '0.75', 'true']);
  });

  it('explain fields with their doc comments', async () => {
    const explained = await cluster().kubectl(['explain', 'gcust.spec']);
    // kubectl wraps its lines.
    expect(explained.replaceAll(/\s+/g, ' ')).to.include(
      'The maximum amount that the customer may spend, in USD, per budgetDuration. Without budgetDuration, the amount is a lifetime limit.',
    );
    expect(explained).to.match(/maxBudget\t<number>/);
    expect(await cluster().kubectl(['explain', 'ginst.spec.guardrail.redis'])).to.include('urlSecretRef');
  });
});
