import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The container of the operator in its Deployment, as far as tests and benchmarks follow it. */
export interface OperatorContainer {
  /** Flags of Node, and the program. */
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

interface Deployment {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [OperatorContainer] } } };
}

export function operatorContainer(): OperatorContainer {
  const manifest = readFileSync(join(import.meta.dirname, '../../operator/manifests/deployment.yaml'), 'utf8');
  return (parse(manifest) as Deployment).spec.template.spec.containers[0];
}

/** The flags of Node with which the container starts the operator. */
export const nodeFlagsOf = ({ args }: OperatorContainer): readonly string[] =>
  args.slice(0, args.indexOf('operator/main.ts'));
