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
