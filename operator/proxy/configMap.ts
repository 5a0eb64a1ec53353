/** The ConfigMap with the gateway's configuration. */
import type { GatewayInstance, Guardrail, ProxyConfig } from '../api/v1alpha1/v1alpha1.ts';
import { annotations, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import type { OwnedObject, OwnedObjects } from '../cluster/cluster.ts';
import {
  configMaps,
  isRejection,
  labelsOf,
  namesOf,
  NameTakenError,
  parseDuration,
  readText,
} from '../cluster/cluster.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import type { ManagedSettings, RenderedProxyConfig } from '../configuration/configuration.ts';
import { ProxyConfigError, renderConfiguration } from '../configuration/configuration.ts';
import { integrationOf, isCalledByGateway, mountsSecret, trusts } from '../guardrail/guardrail.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { keyText, ownerReference } from '../runtime/runtime.ts';
import { configHashOf, configKeyOf } from './configKey.ts';
import type { DesiredProxy, ObservedProxy } from './state.ts';

/** The result of {@link writeConfigMap}. */
export interface WrittenConfig {
  /** Digest of the configuration; undefined if the operator does not manage it or could not write it. */
  readonly hash: string | undefined;
  /** The ConfigMap, if the operator manages it. */
  readonly objects: readonly OwnedObject[];
  readonly failure: ConditionState<'ProxyConfigured'> | undefined;
  /** Warnings about the base for the admin, in whole sentences. */
  readonly warnings: readonly string[];
}

/** The gateway waits this much longer for the guardrail than the guardrail waits for its detectors, in seconds. */
const SLACK_SECONDS = 9;
/** The guardrail answers each call within 25 s, with an error if necessary. Only images take that long. */
const WITH_IMAGES_SECONDS = 30;

type ConfiguredReason = ConditionState<'ProxyConfigured'>['reason'];

/** The configuration cannot be written. The ConfigMap is not changed. */
class ConfigMapError extends Error {
  readonly condition: ConditionState<'ProxyConfigured'>;

  constructor(reason: ConfiguredReason, message: string) {
    super(message);
    this.condition = { status: 'False', reason, message };
  }
}

const MAX_LISTED_NAMES = 10;

/** Renders the gateway's configuration and applies its ConfigMap. */
export async function writeConfigMap(
  client: KubeClient,
  ownedObjects: OwnedObjects,
  instance: GatewayInstance,
  observed: ObservedProxy,
  desired: DesiredProxy,
): Promise<WrittenConfig> {
  const { proxyConfig } = instance.spec;
  if (proxyConfig === undefined) return { hash: undefined, objects: [], failure: undefined, warnings: [] };
  try {
    const base = await readBase(client, instance, proxyConfig);
    const url = guardrailUrl(instance, observed, desired);
    const rendered = await render(instance, base, desired, url);
    const configMap = configMapObject(instance, proxyConfig.configMapName, {
      data: { [configKeyOf(proxyConfig)]: rendered.text },
      annotations: {
        ...(url === undefined ? {} : { [annotations.guardrailEndpoint]: url }),
        ...(desired.budget?.budgetId === undefined ? {} : { [annotations.defaultBudgetId]: desired.budget.budgetId }),
      },
    });
    await applyConfigMap(ownedObjects, instance, configMap);
    return {
      hash: configHashOf(rendered.text),
      objects: [configMap],
      failure: undefined,
      warnings: warningsOf(rendered),
    };
  } catch (error) {
    if (!(error instanceof ConfigMapError)) throw error;
    // The previous configuration remains.
    const configMap = configMapObject(instance, proxyConfig.configMapName, { data: {}, annotations: {} });
    return { hash: undefined, objects: [configMap], failure: error.condition, warnings: [] };
  }
}

/** The ConfigMap of an instance's gateway. */
export function configMapObject(
  instance: GatewayInstance,
  name: string,
  contents: Readonly<Record<'data' | 'annotations', Readonly<Record<string, string>>>>,
): OwnedObject {
  return {
    kind: configMaps,
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace: instance.metadata.namespace,
        labels: { ...labelsOf(instance), 'app.kubernetes.io/component': 'gateway-configuration' },
        annotations: contents.annotations,
        ownerReferences: [ownerReference(instance)],
      },
      data: contents.data,
    } as OwnedObject['object'],
  };
}

async function readBase(client: KubeClient, instance: GatewayInstance, { base }: ProxyConfig): Promise<string> {
  if (base === undefined) return '';
  const text = await readText(client, instance, base);
  if (text !== undefined) return text;
  const { name = '', key = '' } = base.configMapRef ?? {};
  throw new ConfigMapError(
    'BaseNotFound',
    `ConfigMap ${name} with key ${key} does not exist. Create it, or correct spec.proxyConfig.base.configMapRef.`,
  );
}

async function render(
  instance: GatewayInstance,
  base: string,
  { budget }: DesiredProxy,
  url: string | undefined,
): Promise<RenderedProxyConfig> {
  try {
    return await renderConfiguration(keyText(instance.metadata), base, {
      proxyName: instance.spec.proxyName ?? instanceDefaults.proxyName,
      budget,
      guardrail: entryOf(instance.spec.guardrail, url),
    });
  } catch (error) {
    if (!(error instanceof ProxyConfigError)) throw error;
    throw new ConfigMapError('BaseInvalid', error.message);
  }
}

function entryOf(guardrail: Guardrail | undefined, url: string | undefined): ManagedSettings['guardrail'] {
  const { callback = instanceDefaults.guardrail.callback } = guardrail ?? {};
  if (url !== undefined) return { callback, url, timeoutSeconds: timeoutSecondsOf(guardrail) };
  return guardrail !== undefined && !isCalledByGateway(integrationOf(guardrail)) ? 'absent' : undefined;
}

/**
 * The gateway's timeout of a call to the guardrail, in seconds. It is longer than the guardrail's own timeout, so that
 * the guardrail's reason reaches the gateway.
 */
export function timeoutSecondsOf(spec: Guardrail = {}): number {
  const { detectionTimeout, images } = { ...instanceDefaults.guardrail, ...spec };
  const forTexts = Math.ceil(parseDuration(detectionTimeout) / 1000) + SLACK_SECONDS;
  return images === 'Redact' ? Math.max(WITH_IMAGES_SECONDS, forTexts) : forTexts;
}

async function applyConfigMap(
  ownedObjects: OwnedObjects,
  instance: GatewayInstance,
  configMap: OwnedObject,
): Promise<void> {
  const { name } = configMap.object.metadata;
  try {
    await ownedObjects.apply(instance, [configMap]);
  } catch (error) {
    if (error instanceof NameTakenError) {
      throw new ConfigMapError(
        'ConfigMapTaken',
        `${error.state} Name another ConfigMap in spec.proxyConfig.configMapName, or delete this one.`,
      );
    }
    if (!isRejection(error)) throw error;
    throw new ConfigMapError('BaseInvalid', `The API server rejected ConfigMap ${name}: ${error.message}`);
  }
}

/**
 * The guardrail's address in the configuration. It is not set before the guardrail runs and the gateway has its key and trusts its certificate,
 * because the gateway would reject every call. After that, it is always set, because a gateway that does not call the
 * guardrail forwards every value.
 */
function guardrailUrl(
  instance: GatewayInstance,
  { deployment, configured }: ObservedProxy,
  { callback, trust }: DesiredProxy,
): string | undefined {
  if (callback === undefined) return undefined;
  const hasKey =
    deployment === undefined ||
    (deployment !== 'missing' &&
      mountsSecret(deployment, namesOf(instance).apiKeySecret) &&
      (trust === undefined || trusts(deployment, trust)));
  return hasKey || configured.guardrailUrl !== undefined ? callback : undefined;
}

function warningsOf({ removed, hasIncludes }: RenderedProxyConfig): string[] {
  const rest = removed.length - MAX_LISTED_NAMES;
  const listed = [...removed.slice(0, MAX_LISTED_NAMES), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  return [
    ...(removed.length === 0
      ? []
      : [
          `The operator removed settings that let requests bypass the guardrail: ${listed}. Remove them from the base.`,
        ]),
    ...(hasIncludes
      ? ['The operator does not check files under include. Make sure that they change neither guardrails nor policies.']
      : []),
  ];
}
