/** The guardrail as its pod runs it. */
import { guardrailContainer } from '../../../operator/guardrail/container.ts';
import { quantityBytes } from '../../../operator/guardrail/sizes.ts';

/** How the pod starts the guardrail. */
export interface PodProgram {
  /** Arguments of Node before the program. */
  readonly nodeArguments: readonly string[];
  /** The container's memory limit, in bytes. */
  readonly memoryBytes: number;
}

/** Reads it from what the operator deploys. @throws Error where that says nothing of the heap */
export function podProgram(): PodProgram {
  const { env, resources } = guardrailContainer({}, 'litellm', 'Deployment', { defaultImage: 'guardrail' });
  const options = env?.find(({ name }) => name === 'NODE_OPTIONS')?.value;
  if (options === undefined) throw new Error('The container of the guardrail has no NODE_OPTIONS.');
  return { nodeArguments: options.split(' '), memoryBytes: limitBytes(resources?.limits?.memory ?? '') };
}

/** A container's memory limit in bytes. @throws Error where it is none */
export function limitBytes(quantity: string): number {
  const bytes = quantityBytes(quantity);
  if (bytes === undefined) throw new Error(`The container's memory limit ${quantity} is no quantity of memory.`);
  return bytes;
}
