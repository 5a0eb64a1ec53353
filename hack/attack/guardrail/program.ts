/** The guardrail with the settings of its pod. */
import { guardrailContainer } from '../../../operator/guardrail/container.ts';
import { quantityBytes } from '../../../operator/guardrail/sizes.ts';

/** The command line and limits of the guardrail's pod. */
export interface PodProgram {
  /** Node.js arguments before the program. */
  readonly nodeArguments: readonly string[];
  /** The container's memory limit, in bytes. */
  readonly memoryBytes: number;
}

/**
 * Reads the settings from the operator's manifests.
 *
 * @throws Error if they do not set the heap size
 */
export function podProgram(): PodProgram {
  const { env, resources } = guardrailContainer({}, 'litellm', 'Deployment', { defaultImage: 'guardrail' });
  const options = env?.find(({ name }) => name === 'NODE_OPTIONS')?.value;
  if (options === undefined) throw new Error('The container of the guardrail has no NODE_OPTIONS.');
  return { nodeArguments: options.split(' '), memoryBytes: limitBytes(resources?.limits?.memory ?? '') };
}

/**
 * @returns a container's memory limit in bytes.
 * @throws Error if it is not a quantity
 */
export function limitBytes(quantity: string): number {
  const bytes = quantityBytes(quantity);
  if (bytes === undefined) throw new Error(`The container's memory limit ${quantity} is not a memory quantity.`);
  return bytes;
}
