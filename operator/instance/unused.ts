/** Deletes objects of an instance that its spec no longer requests. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { certificates, configMaps, namesOf, secrets, serviceMonitors } from '../cluster/cluster.ts';
import type { GuardrailResult } from '../guardrail/guardrail.ts';
import { customerListObjects, mountsConfigMap, mountsSecret, ownedChild } from '../guardrail/guardrail.ts';
import type { ObservedProxy, ProxyResult } from '../proxy/proxy.ts';
import { isForbidden, type ResourceKind } from '../runtime/runtime.ts';
import type { Dependencies } from './dependencies.ts';
import type { InMemoryState } from './inMemoryState.ts';

/** What decides which objects are unused. */
export interface Usage {
  readonly guardrail: GuardrailResult;
  readonly proxy: ProxyResult;
  readonly observed: ObservedProxy;
  readonly state: InMemoryState;
}

/** Deletes the objects that are not among the applied ones, as soon as no gateway pod uses them. */
export async function deleteUnusedObjects(
  dependencies: Dependencies,
  instance: GatewayInstance,
  { guardrail, proxy, observed, state }: Usage,
): Promise<void> {
  const { ownedObjects } = dependencies;
  if (guardrail.frozen || guardrail.isSwitching || proxy.isRolledOut === false) return;
  const list = instance.spec.guardrail === undefined ? [] : customerListObjects(instance);
  // Until the pods have been replaced, they serve TLS.
  const isEncrypted = guardrail.active?.url.startsWith('https:') === true;
  const mounted =
    isEncrypted || canMountCa(instance, observed) ? [ownedChild(instance, configMaps, namesOf(instance).ca, {})] : [];
  await ownedObjects.prune(instance, [...guardrail.objects, ...proxy.objects, ...list, ...mounted]);
  if (guardrail.plan?.wanted.mode !== 'Deployment') {
    await ownedObjects.remove(instance, serviceMonitors, namesOf(instance).guardrail);
  }
  await deleteCertificates(dependencies, instance, { guardrail, observed, state }, isEncrypted);
  if (instance.spec.guardrail !== undefined) state.keysDeleted = false;
  else if (!state.keysDeleted) state.keysDeleted = await deleteKeys(dependencies, instance, observed);
}

/**
 * Whether the gateway can mount the ConfigMap with authorities: a pod that mounts a missing one does not start. Without its
 * Deployment, the operator does not know.
 */
function canMountCa(instance: GatewayInstance, { deployment }: ObservedProxy): boolean {
  return deployment === undefined || deployment === 'missing' || mountsConfigMap(deployment, namesOf(instance).ca);
}

/** The same for the Secret with the certificate of clients. */
function canMountClientSecret(instance: GatewayInstance, { deployment }: ObservedProxy): boolean {
  const { clientSecret } = namesOf(instance);
  return deployment === undefined || deployment === 'missing' || mountsSecret(deployment, clientSecret);
}

/** Deletes the certificates that the spec does not request, as soon as no pod mounts them. */
async function deleteCertificates(
  { ownedObjects }: Dependencies,
  instance: GatewayInstance,
  { guardrail, observed, state }: Omit<Usage, 'proxy'>,
  isEncrypted: boolean,
): Promise<void> {
  const { clientSecret } = namesOf(instance);
  const keepsClient = canMountClientSecret(instance, observed);
  const unused = unusedCertificates(instance).filter(([, name]) => name !== clientSecret || !keepsClient);
  const known = unused.map(([{ kind }, name]) => `${kind} ${name}`).join();
  if (state.deletedCertificates === known) return;
  // The guardrail's pods mount them, too.
  const hasTls = instance.spec.guardrail?.tls !== undefined;
  if (hasTls ? guardrail.condition?.reason !== 'Ready' : isEncrypted) return;
  for (const [kind, name] of unused) {
    await ownedObjects.remove(instance, kind, name).catch((error: unknown) => {
      // An operator that may not read Certificates has created none.
      if (kind !== certificates || !isForbidden(error)) throw error;
    });
  }
  state.deletedCertificates = known;
}

function unusedCertificates(instance: GatewayInstance): [ResourceKind, string][] {
  const { tls } = instance.spec.guardrail ?? {};
  const { guardrail, ca, tlsSecret, clientSecret } = namesOf(instance);
  const isOwn = tls !== undefined && tls.issuerRef === undefined && tls.secretRef === undefined;
  const all: [isUsed: boolean, kind: ResourceKind, name: string][] = [
    [tls?.issuerRef !== undefined, certificates, guardrail],
    [tls !== undefined, secrets, ca],
    [isOwn, secrets, tlsSecret],
    [tls?.clientAuth !== undefined, secrets, clientSecret],
  ];
  return all.flatMap(([isUsed, kind, name]): [ResourceKind, string][] => (isUsed ? [] : [[kind, name]]));
}

/** @returns whether all key Secrets are deleted */
async function deleteKeys(
  { ownedObjects }: Dependencies,
  instance: GatewayInstance,
  { deployment }: ObservedProxy,
): Promise<boolean> {
  const { apiKeySecret, keySecret } = namesOf(instance);
  await ownedObjects.remove(instance, secrets, keySecret);
  // A pod that mounts a missing Secret does not start.
  if (deployment !== undefined && deployment !== 'missing' && mountsSecret(deployment, apiKeySecret)) return false;
  await ownedObjects.remove(instance, secrets, apiKeySecret);
  return true;
}
