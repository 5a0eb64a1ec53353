/** Reads the policy of a guardrail: a text, or a GuardrailPolicy. */
import type { GatewayInstance, Guardrail, GuardrailPolicy, GuardrailPolicySpec } from '../api/v1alpha1/v1alpha1.ts';
import { configMaps, ignoreNotFound, isOwnedBy, namesOf, readText } from '../cluster/cluster.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { policyProblem } from '../configuration/configuration.ts';
import { PolicyNotUsableError, usablePolicy, type UsablePolicy } from '../policy/policy.ts';
import { type FromServer, keyText, type KubeClient, type Lister } from '../runtime/runtime.ts';
import { GuardrailNotReadyError } from './basics.ts';
import type { V1ConfigMap } from '@kubernetes/client-node';
import { policyRevision } from '../../guardrail/guardrail.ts';
import { files } from './settings.ts';

/** The policy file of a guardrail. */
export interface PolicyFile {
  /** undefined: the guardrail has no policy file. */
  readonly text: string | undefined;
  /** Why the file is an earlier one; undefined: it is the one that the spec requests. */
  readonly kept?: ConditionState<'GuardrailReady'>;
  /** A sentence on the policy for the condition. */
  readonly note?: string;
}

/** The sources of a policy. */
export interface PolicySources {
  readonly client: KubeClient;
  readonly policies: Pick<Lister<GuardrailPolicy>, 'get'>;
}

/** @throws GuardrailNotReadyError if there is no valid policy, and no earlier one that the guardrail can keep */
export async function readPolicy(
  sources: PolicySources,
  instance: GatewayInstance,
  spec: Guardrail,
): Promise<PolicyFile> {
  if (spec.policyRef !== undefined) return await readReferenced(sources, instance, spec, spec.policyRef.name);
  if (spec.policy === undefined) return { text: undefined };
  const text = await readText(sources.client, instance, spec.policy);
  if (text === undefined) {
    const { name = '', key = '' } = spec.policy.configMapRef ?? {};
    throw new GuardrailNotReadyError(
      'PolicyNotFound',
      `ConfigMap ${name} with key ${key} does not exist. Create it, or correct spec.guardrail.policy.configMapRef.`,
    );
  }
  const problem = await policyProblem(keyText(instance.metadata), text);
  if (problem !== undefined) throw new GuardrailNotReadyError('PolicyInvalid', problem);
  return { text };
}

/** A policy that becomes invalid must neither open the guardrail nor stop its other changes, such as the rotation of keys. */
async function readReferenced(
  { client, policies }: PolicySources,
  instance: GatewayInstance,
  spec: Guardrail,
  name: string,
): Promise<PolicyFile> {
  const { namespace } = instance.metadata;
  let policy: UsablePolicy;
  try {
    policy = await usablePolicy(policies, { namespace, name });
    checkImages(spec, policy.spec, `GuardrailPolicy ${namespace}/${name}`);
  } catch (error) {
    if (!(error instanceof PolicyNotUsableError)) throw error;
    const text = await storedPolicy(client, instance);
    if (text === undefined) throw new GuardrailNotReadyError(error.reason, error.message);
    const message = `${error.message} The guardrail keeps the policy that it has.`;
    return { text, kept: { status: 'False', reason: error.reason, message } };
  }
  if (!policy.isPaused) return { text: policy.text };
  const text = await storedPolicy(client, instance);
  return { text: text ?? policy.text, note: `GuardrailPolicy ${name} is paused: its changes wait.` };
}

/** The client Full shows no images to the guardrail, so a policy for images would have no effect. */
function checkImages({ callback }: Guardrail, { images, remoteImages }: GuardrailPolicySpec, name: string): void {
  if (callback !== 'Full' || [images, remoteImages].every((each) => each === undefined || each === 'Pass')) return;
  throw new PolicyNotUsableError(
    'PolicyInvalid',
    `${name} is about images, which spec.guardrail.callback Full does not show to the guardrail. Set callback to Generic, or images and remoteImages of the policy to Pass.`,
  );
}

async function storedPolicy(client: KubeClient, instance: GatewayInstance): Promise<string | undefined> {
  const key = { namespace: instance.metadata.namespace, name: namesOf(instance).guardrail };
  return writtenPolicy(await client.get(configMaps, key).catch(ignoreNotFound), instance);
}

/**
 * The policy file that the operator has written last.
 * @param map the ConfigMap of the guardrail; undefined: there is none
 * @returns undefined if there is no such file, or if another client has changed it
 */
export function writtenPolicy(map: FromServer<V1ConfigMap> | undefined, instance: GatewayInstance): string | undefined {
  const text = map !== undefined && isOwnedBy(map, instance) ? map.data?.[files.policy] : undefined;
  if (text === undefined) return undefined;
  return policyRevision(text) === instance.status?.guardrail?.policyRevision ? text : undefined;
}
