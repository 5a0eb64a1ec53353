/** The condition ProxyConfigured. Pure. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { namesOf } from '../cluster/cluster.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { notRequested } from '../conditions/conditions.ts';
import { API_KEY_VARIABLE } from '../configuration/configuration.ts';
import type { ProxyDeployment, Rollout } from '../guardrail/guardrail.ts';
import {
  integrationOf,
  isCalledByGateway,
  mountsConfigMap,
  mountsSecret,
  tlsFiles,
  trusts,
} from '../guardrail/guardrail.ts';
import { configKeyOf } from './configKey.ts';
import type { DesiredProxy } from './state.ts';

/** The inputs of the condition. */
export interface ProxyFacts {
  readonly instance: GatewayInstance;
  /** The gateway's Deployment after the operator's part was applied; undefined if the spec names none, or none exists. */
  readonly deployment: ProxyDeployment | 'missing' | undefined;
  readonly rollout: Rollout | undefined;
  readonly desired: DesiredProxy;
  readonly warnings: readonly string[];
}

type Condition = ConditionState<'ProxyConfigured'>;

/** In the order in which an admin must fix them. */
const checks: readonly ((facts: ProxyFacts) => Condition | undefined)[] = [
  notManaged,
  workloadMissing,
  guardrailNotDeployed,
  keyNotMounted,
  caNotMounted,
  configNotMounted,
  rollingOut,
];

/** The condition ProxyConfigured, after the configuration is written. */
export function proxyCondition(facts: ProxyFacts): Condition {
  for (const check of checks) {
    const failed = check(facts);
    if (failed !== undefined) return failed;
  }
  const state =
    facts.rollout === undefined
      ? 'The configuration is written. Restart the gateway after each change, or set spec.workloadRef so that the operator restarts it.'
      : 'Every pod of the gateway runs with its configuration.';
  return { status: 'True', reason: 'Configured', message: [state, ...trustNote(facts), ...facts.warnings].join(' ') };
}

/** Without a Deployment, the operator cannot check what the gateway mounts. */
function trustNote({ deployment, desired: { trust } }: ProxyFacts): string[] {
  if (deployment !== undefined || trust === undefined) return [];
  const sources = [
    ...(trust.configMap === undefined ? [] : [`ConfigMap ${trust.configMap}`]),
    ...(trust.clientSecret === undefined ? [] : [`Secret ${trust.clientSecret}`]),
  ];
  return sources.length === 0 ? [] : [`To call the guardrail by TLS, the gateway must mount ${sources.join(' and ')}.`];
}

function no(reason: Condition['reason'], message: string): Condition {
  return { status: 'False', reason, message };
}

function notManaged({ instance: { spec }, desired }: ProxyFacts): Condition | undefined {
  const isCalled =
    desired.apiKeyHash !== undefined ||
    (spec.guardrail !== undefined && isCalledByGateway(integrationOf(spec.guardrail)));
  if (spec.proxyConfig !== undefined || (isCalled && spec.workloadRef !== undefined)) return undefined;
  return notRequested(
    'The operator does not manage the configuration of the gateway. Set spec.proxyConfig to enable it.',
  );
}

function workloadMissing({ deployment, instance: { spec, metadata } }: ProxyFacts): Condition | undefined {
  if (deployment !== 'missing') return undefined;
  return no(
    'WorkloadNotFound',
    `Deployment ${spec.workloadRef?.name ?? ''} does not exist in namespace ${metadata.namespace}. Create it, or correct spec.workloadRef.name.`,
  );
}

function guardrailNotDeployed({ instance, desired }: ProxyFacts): Condition | undefined {
  const { guardrail } = instance.spec;
  if (guardrail === undefined || !isCalledByGateway(integrationOf(guardrail)) || desired.callback !== undefined)
    return undefined;
  return no(
    'GuardrailNotDeployed',
    'The gateway does not call the guardrail yet, because the guardrail is not running. See the condition GuardrailReady.',
  );
}

function keyNotMounted({ instance, deployment, desired }: ProxyFacts): Condition | undefined {
  const { apiKeySecret } = namesOf(instance);
  if (deployment === undefined || deployment === 'missing' || desired.apiKeyHash === undefined) return undefined;
  if (mountsSecret(deployment, apiKeySecret)) return undefined;
  return no(
    'KeyNotMounted',
    `The gateway does not have the guardrail's API key. Add to env of its container in Deployment ${deployment.metadata.name}: ` +
      `{name: ${API_KEY_VARIABLE}, valueFrom: {secretKeyRef: {name: ${apiKeySecret}, key: api-key}}}.`,
  );
}

/** The lines are for LiteLLM, which reads one file with all authorities, and one with its certificate and its key. */
function caNotMounted({ deployment, desired: { trust } }: ProxyFacts): Condition | undefined {
  if (deployment === undefined || deployment === 'missing' || trust === undefined) return undefined;
  if (trusts(deployment, trust)) return undefined;
  const { configMap, clientSecret } = trust;
  const lines = {
    volumes: [
      ...(configMap === undefined ? [] : [`{name: guardrail-ca, configMap: {name: ${configMap}}}`]),
      ...(clientSecret === undefined ? [] : [`{name: guardrail-client, secret: {secretName: ${clientSecret}}}`]),
    ],
    volumeMounts: [
      ...(configMap === undefined ? [] : ['{name: guardrail-ca, mountPath: /etc/guardrail-ca}']),
      ...(clientSecret === undefined ? [] : ['{name: guardrail-client, mountPath: /etc/guardrail-client}']),
    ],
    env: [
      ...(configMap === undefined ? [] : [`{name: SSL_CERT_FILE, value: /etc/guardrail-ca/${tlsFiles.bundle}}`]),
      ...(clientSecret === undefined
        ? []
        : [
            `{name: SSL_CERTIFICATE, value: /etc/guardrail-client/${tlsFiles.client}}`,
            '{name: DISABLE_AIOHTTP_TRANSPORT, value: "True"}',
          ]),
    ],
  };
  return no(
    'CaNotMounted',
    `The gateway cannot call the guardrail by TLS. Add to the pod in Deployment ${deployment.metadata.name} under volumes ${lines.volumes.join(', ')}, ` +
      `and to its container under volumeMounts ${lines.volumeMounts.join(', ')} and under env ${lines.env.join(', ')}.`,
  );
}

function configNotMounted({ instance, deployment }: ProxyFacts): Condition | undefined {
  const { proxyConfig } = instance.spec;
  if (deployment === undefined || deployment === 'missing' || proxyConfig === undefined) return undefined;
  if (mountsConfigMap(deployment, proxyConfig.configMapName)) return undefined;
  return no(
    'ConfigNotMounted',
    `The gateway does not mount the configuration that the operator writes. Add to volumes of the pod in Deployment ${deployment.metadata.name}: ` +
      `{name: config, configMap: {name: ${proxyConfig.configMapName}}}, and mount it where the gateway reads ${configKeyOf(proxyConfig)}.`,
  );
}

function rollingOut({ instance: { spec, metadata }, rollout }: ProxyFacts): Condition | undefined {
  const name = spec.workloadRef?.name ?? '';
  if (rollout === 'inProgress') {
    return no(
      'RollingOut',
      `Deployment ${name} is rolling out: not every pod of the gateway has its configuration yet.`,
    );
  }
  if (rollout !== 'failed') return undefined;
  return no(
    'RolloutFailed',
    `Deployment ${name} is not progressing. Run kubectl describe deployment/${name} -n ${metadata.namespace} to see why.`,
  );
}
