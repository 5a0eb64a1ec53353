import { expect } from 'chai';
import { instanceOf } from '../instance/testing/instances.ts';
import { proxyCondition, type ProxyFacts } from './condition.ts';

type Pod = NonNullable<
  NonNullable<Exclude<ProxyFacts['deployment'], 'missing' | undefined>['spec']>['template']['spec']
>;

/** The condition of a gateway that must call the guardrail by TLS. */
function conditionOf(
  trust: Partial<NonNullable<ProxyFacts['desired']['trust']>>,
  pod: Partial<Pod> | undefined,
): ReturnType<typeof proxyCondition> {
  const deployment = pod && {
    metadata: { name: 'litellm', namespace: 'ai', uid: 'u', resourceVersion: '1', generation: 1 },
    spec: { selector: {}, template: { spec: { containers: [], ...pod } } },
  };
  return proxyCondition({
    instance: instanceOf({
      workloadRef: { name: 'litellm' },
      proxyConfig: { configMapName: 'config' },
      guardrail: { tls: {} },
    }),
    deployment: deployment as ProxyFacts['deployment'],
    rollout: pod && 'complete',
    desired: {
      ...{ budget: undefined, callback: 'https://guardrail', apiKeyHash: 'a', sidecar: undefined, frozen: false },
      trust: { configMap: undefined, clientSecret: undefined, digest: 'd', ...trust },
    },
    warnings: [],
  });
}

/** A pod of the gateway that mounts these. */
function podWith(configMaps: readonly string[], secrets: readonly string[]): Partial<Pod> {
  const volumes = [
    ...configMaps.map((name) => ({ name, configMap: { name } })),
    ...secrets.map((name) => ({ name, secret: { secretName: name } })),
  ];
  return {
    volumes,
    containers: [{ name: 'litellm', volumeMounts: volumes.map(({ name }) => ({ name, mountPath: name })) }],
  };
}

describe('the condition of a gateway that calls the guardrail by TLS', () => {
  const CA = { configMap: 'main-guardrail-ca' };
  const CLIENT = { clientSecret: 'main-guardrail-client' };
  const KEY = 'main-guardrail-api-key';

  const CASES: [what: string, trust: object, configMaps: string[], secrets: string[], reason: string][] = [
    ['has everything', { ...CA, ...CLIENT }, ['config', CA.configMap], [KEY, CLIENT.clientSecret], 'Configured'],
    ['needs no authority', {}, ['config'], [KEY], 'Configured'],
    ['lacks the authorities', CA, ['config'], [KEY], 'CaNotMounted'],
    ['lacks its certificate', { ...CA, ...CLIENT }, ['config', CA.configMap], [KEY], 'CaNotMounted'],
    ['lacks the API key too', CA, ['config'], [], 'KeyNotMounted'],
  ];
  for (const [what, trust, configMaps, secrets, reason] of CASES) {
    it(`says that it ${what}`, () => {
      expect(conditionOf(trust, podWith(configMaps, secrets)).reason).to.equal(reason);
    });
  }

  it('says which lines to add, also for client certificates', () => {
    expect(conditionOf({ ...CA, ...CLIENT }, podWith(['config'], [KEY])).message).to.equal(
      'The gateway cannot call the guardrail by TLS. Add to the pod in Deployment litellm under volumes ' +
        '{name: guardrail-ca, configMap: {name: main-guardrail-ca}}, ' +
        '{name: guardrail-client, secret: {secretName: main-guardrail-client}}, ' +
        'and to its container under volumeMounts {name: guardrail-ca, mountPath: /etc/guardrail-ca}, ' +
        '{name: guardrail-client, mountPath: /etc/guardrail-client} and under env ' +
        '{name: SSL_CERT_FILE, value: /etc/guardrail-ca/ca-bundle.crt}, ' +
        '{name: SSL_CERTIFICATE, value: /etc/guardrail-client/client.pem}, ' +
        '{name: DISABLE_AIOHTTP_TRANSPORT, value: "True"}.',
    );
  });

  it('names what to mount if the Deployment is not known', () => {
    expect(conditionOf(CA, undefined).message).to.match(
      / To call the guardrail by TLS, the gateway must mount ConfigMap main-guardrail-ca\.$/,
    );
    expect(conditionOf({}, undefined).message).to.not.include('TLS');
  });
});
