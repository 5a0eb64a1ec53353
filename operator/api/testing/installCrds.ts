/** For tests: the kinds of the operator on a control plane. */
import { join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { installDefinitions } from '../../runtime/testing/testing.ts';
import {
  annotations,
  gatewayBudgetNames,
  gatewayCustomerNames,
  gatewayInstanceNames,
  gatewayKeyNames,
  GROUP,
  guardrailPolicyNames,
} from '../v1alpha1/v1alpha1.ts';

const FOLDER = join(import.meta.dirname, '../../../crds');
const FILES = [
  gatewayBudgetNames,
  gatewayCustomerNames,
  gatewayInstanceNames,
  gatewayKeyNames,
  guardrailPolicyNames,
].map(({ plural }) => join(FOLDER, `${plural}.${GROUP}.yaml`));
/** The control planes of this process that have them, by their addresses. */
const installed = new Map<string, Promise<void>>();

/** Installs the kinds of the operator, once for each control plane, and waits until the API server serves them. */
export async function installCrds(plane: { readonly url: string; kubeConfig(): KubeConfig }): Promise<void> {
  const installing = installed.get(plane.url) ?? installDefinitions(plane.kubeConfig(), FILES, annotations.crdRevision);
  installed.set(plane.url, installing);
  await installing;
}

/**
 * Does something while the API server checks instances less strictly, as if they were stored before a rule existed. Files share the
 * control plane, so that the rules are there again afterwards.
 * @param rules JSON pointers to rules, from the properties of the spec
 */
export async function withoutInstanceRules(
  plane: { kubectl(args: readonly string[]): Promise<string> },
  rules: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const crd = `crd/${gatewayInstanceNames.plural}.${GROUP}`;
  const properties = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/';
  const definition: unknown = JSON.parse(await plane.kubectl(['get', crd, '-o', 'json']));
  const known = rules.map((rule) => ({ path: properties + rule, value: valueAt(definition, properties + rule) }));
  const patch = (operations: readonly object[]): Promise<string> =>
    plane.kubectl(['patch', crd, '--type=json', '-p', JSON.stringify(operations)]);
  await patch(known.map(({ path }) => ({ op: 'remove', path })));
  try {
    await work();
  } finally {
    await patch(known.map(({ path, value }) => ({ op: 'add', path, value })));
  }
}

/** The value at a JSON pointer without escapes. */
function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], document);
}
