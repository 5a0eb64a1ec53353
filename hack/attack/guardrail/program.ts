/** The guardrail as its pod runs it. */
import { guardrailContainer } from '../../../operator/instance/guardrailContainer.ts';

/** Half of the container's memory is what Node takes for its heap where nothing else is said. */
const NODES_SHARE = 0.5;
const MIB = 2 ** 20;

/** How the pod starts the guardrail. */
export interface PodProgram {
  /** Arguments of Node before the program. */
  readonly nodeArguments: readonly string[];
  /** The container's memory limit, in bytes. */
  readonly memoryBytes: number;
}

/** Reads it from what the operator deploys. */
export function podProgram(): PodProgram {
  const container = guardrailContainer({}, 'litellm', 'Deployment', { defaultImage: 'guardrail' });
  const memoryBytes = bytesOf(container.resources?.limits?.memory ?? '');
  const [, ...rest] = container.command ?? [];
  const flags = rest.filter((argument) => argument.startsWith('--'));
  const fromEnvironment = container.env?.find(({ name }) => name === 'NODE_OPTIONS')?.value?.split(' ') ?? [];
  const given = [...fromEnvironment, ...flags];
  const heap = `--max-old-space-size=${Math.floor((memoryBytes * NODES_SHARE) / MIB)}`;
  const saysHeap = given.some((flag) => flag.startsWith('--max-old-space-size') || flag.startsWith('--max-heap-size'));
  return { nodeArguments: saysHeap ? given : [...given, heap], memoryBytes };
}

/** A Kubernetes quantity of memory in binary units. */
export function bytesOf(quantity: string): number {
  const [, number, unit] = /^(\d+)(Ki|Mi|Gi)$/.exec(quantity) ?? [];
  const powers: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3 };
  const power = powers[unit ?? ''];
  if (power === undefined)
    throw new Error(`The container's memory limit ${quantity} is in no unit that is known here.`);
  return Number(number) * 1024 ** power;
}
