/** The certificates of a guardrail in the cluster: writes its Secrets, and the ConfigMap with which clients verify it. */
import { createHash } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { V1ConfigMap } from '@kubernetes/client-node';
import type { GatewayInstance, Guardrail, GuardrailTls } from '../api/v1alpha1/v1alpha1.ts';
import {
  type Authority,
  bundleOf,
  isDue,
  isIssuedFor,
  issue,
  issuingAuthority,
  mergedCertificates,
  nextAuthorities,
  readAuthorities,
  type Usage,
  validityOf,
  writeAuthorities,
} from '../certificates/certificates.ts';
import {
  certificates,
  configMaps,
  labelsOf,
  namesOf,
  type OwnedObject,
  type OwnedObjects,
} from '../cluster/cluster.ts';
import { isNotFound, type KubeClient } from '../runtime/runtime.ts';
import { readCertificate, readClientCa } from './givenCertificates.ts';
import type { KeySecret } from './keys.ts';
import { ensureKeySecret, type StoredKeySecret, updateKeySecret } from './keySecrets.ts';
import { GuardrailNotReadyError, ownedChild } from './basics.ts';
import type { RunningTls, ServedTls } from './runningTls.ts';
import { tlsFiles } from './settings.ts';

/** The dependencies of {@link reconcileTls}. */
export interface TlsDependencies {
  readonly client: KubeClient;
  readonly ownedObjects: OwnedObjects;
  readonly now: () => Date;
}

/** How the guardrail's container serves TLS. */
export interface WorkloadTls extends ServedTls {
  /** The ConfigMap with what clients and the guardrail verify certificates with. */
  readonly caConfigMap: string;
  /** Whether clients need more than the public authorities. */
  readonly hasPrivateCa: boolean;
}

/** What the gateway needs to call the guardrail. */
export interface GatewayTrust {
  /** The ConfigMap that it must mount; undefined: the public authorities suffice. */
  readonly configMap: string | undefined;
  /** The Secret with its certificate, which it must mount; undefined: it needs none. */
  readonly clientSecret: string | undefined;
  /** Changes when the gateway must read these files again, which it does when it starts. */
  readonly digest: string;
}

/** The result of {@link reconcileTls}. */
export interface TlsState {
  readonly workload: WorkloadTls;
  readonly trust: GatewayTrust;
  /** The objects that must be kept. */
  readonly objects: readonly OwnedObject[];
}

/** The keys of the Secret with the authorities. */
const AUTHORITIES = 'authorities.pem';
const CA = 'ca.crt';

/**
 * Writes the certificates that are missing or due.
 * @param running how the guardrail's Deployment serves TLS; undefined: it does not
 * @returns undefined if the spec requests no TLS
 * @throws GuardrailNotReadyError if a certificate is missing; NameTakenError; ApiError
 */
export async function reconcileTls(
  dependencies: TlsDependencies,
  instance: GatewayInstance,
  { tls }: Guardrail,
  running: RunningTls | undefined,
): Promise<TlsState | undefined> {
  if (tls === undefined) return undefined;
  const { client, ownedObjects } = dependencies;
  const names = namesOf(instance);
  const isOwn = tls.issuerRef === undefined && tls.secretRef === undefined;
  // Until the gateway trusts another certificate, the guardrail serves this one.
  const servesOwn = isOwn || running?.secretName === names.tlsSecret;
  const { authorities, stored } = await ensureAuthorities(
    dependencies,
    instance,
    servesOwn || tls.clientAuth !== undefined,
  );
  const server: Usage = { kind: 'server', dnsNames: serverNames(instance) };
  if (servesOwn) await ensureCertificate(dependencies, instance, { name: names.tlsSecret, authorities, usage: server });
  const identity =
    tls.clientAuth &&
    (await ensureCertificate(dependencies, instance, {
      name: names.clientSecret,
      authorities,
      usage: { kind: 'client' },
    }));
  // What may fail comes last, so that the operator's own certificates never expire because of it.
  const certificate = tls.issuerRef === undefined ? [] : [certificateOf(instance, tls.issuerRef)];
  await requestCertificate(ownedObjects, instance, certificate);
  const external = isOwn ? undefined : await readCertificate(client, instance, tls, dependencies.now());
  const secretName = external?.name ?? names.tlsSecret;
  const ca = isOwn ? bundleOf(authorities) : (external?.ca ?? '');
  // Pods with an earlier certificate must be verified, too.
  const isChanging = running !== undefined && (running.secretName !== secretName || !running.isRolledOut);
  const published = isChanging ? mergedCertificates(ca, stored.keys.data[CA] ?? '') : ca;
  await storeCa(client, instance, stored, published);
  const clientCa = tls.clientAuth && bundleOf(authorities) + (await readClientCa(client, instance, tls.clientAuth));
  const configMap = caConfigMap(instance, { ca: published, clientCa });
  await ownedObjects.apply(instance, [configMap]);
  return {
    workload: {
      secretName,
      caConfigMap: names.ca,
      hasPrivateCa: published !== '',
      isMutual: clientCa !== undefined,
    },
    trust: {
      configMap: ca === '' ? undefined : names.ca,
      clientSecret: identity === undefined ? undefined : names.clientSecret,
      // That an old authority expires does not matter to the gateway.
      digest: digestOf((isOwn ? authorities[0]?.certificate : ca) ?? '', identity ?? ''),
    },
    objects: [...certificate, configMap],
  };
}

/** The DNS names of the Services of a guardrail. */
export function serverNames(instance: GatewayInstance): readonly string[] {
  const { guardrail, guarded } = namesOf(instance);
  const { namespace } = instance.metadata;
  return [guardrail, guarded].flatMap((service) => [
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.cluster.local`,
    `${service}.${namespace}`,
    service,
  ]);
}

/** @returns the authorities, and the Secret that has them */
async function ensureAuthorities(
  { client, now }: TlsDependencies,
  instance: GatewayInstance,
  isNeeded: boolean,
): Promise<{ readonly authorities: readonly Authority[]; readonly stored: StoredKeySecret }> {
  const stored = await ensureKeySecret(client, instance, namesOf(instance).ca, (secret) => secret);
  if (!isNeeded) return { authorities: [], stored };
  const known = stored.keys.data[AUTHORITIES] ?? '';
  const subject = { name: namesOf(instance).guardrail, dnsNames: serverNames(instance) };
  const authorities = await nextAuthorities(readAuthorities(known), subject, now());
  const text = writeAuthorities(authorities);
  if (text === known) return { authorities, stored };
  const keys = withData(stored.keys, { [AUTHORITIES]: text });
  return { authorities, stored: await updateKeySecret(client, instance, stored, keys) };
}

/** Stores for the operator what it verifies the guardrail with: it does not read it from a ConfigMap. */
async function storeCa(
  client: KubeClient,
  instance: GatewayInstance,
  stored: StoredKeySecret,
  ca: string,
): Promise<void> {
  if ((stored.keys.data[CA] ?? '') === ca) return;
  await updateKeySecret(client, instance, stored, withData(stored.keys, { [CA]: ca }));
}

/** @returns the certificate */
async function ensureCertificate(
  { client, now }: TlsDependencies,
  instance: GatewayInstance,
  wanted: { readonly name: string; readonly authorities: readonly Authority[]; readonly usage: Usage },
): Promise<string> {
  const { name, authorities, usage } = wanted;
  const stored = await ensureKeySecret(client, instance, name, (secret) => secret);
  const { [tlsFiles.certificate]: current = '', [tlsFiles.key]: currentKey = '' } = stored.keys.data;
  const issuer = issuingAuthority(authorities, now());
  const validity = validityOf(current);
  const isUsable = validity !== undefined && currentKey !== '' && !isDue(validity, now());
  if (isUsable && isIssuedFor(current, issuer, usage)) return current;
  const { certificate, key } = await issue(issuer, namesOf(instance).guardrail, usage, now());
  await updateKeySecret(
    client,
    instance,
    stored,
    withData(stored.keys, {
      [tlsFiles.certificate]: certificate,
      [tlsFiles.key]: key,
      // LiteLLM reads a client's certificate and its key from one file.
      ...(usage.kind === 'client' ? { [tlsFiles.client]: certificate + key } : {}),
    }),
  );
  return certificate;
}

function withData(secret: KeySecret, data: KeySecret['data']): KeySecret {
  return { ...secret, data: { ...secret.data, ...data } };
}

/** The Certificate of cert-manager. */
function certificateOf(instance: GatewayInstance, issuerRef: NonNullable<GuardrailTls['issuerRef']>): OwnedObject {
  const names = namesOf(instance);
  const { name, kind = 'Issuer', group = 'cert-manager.io' } = issuerRef;
  return ownedChild<{ spec: object }>(instance, certificates, names.guardrail, {
    spec: {
      secretName: names.issuedSecret,
      secretTemplate: { labels: labelsOf(instance) },
      dnsNames: serverNames(instance),
      issuerRef: { name, kind, group },
      privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
      usages: ['digital signature', 'server auth'],
    },
  });
}

/** @throws GuardrailNotReadyError if cert-manager is not installed */
async function requestCertificate(
  ownedObjects: OwnedObjects,
  instance: GatewayInstance,
  certificate: readonly OwnedObject[],
): Promise<void> {
  try {
    await ownedObjects.apply(instance, certificate);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new GuardrailNotReadyError(
      'CertificateMissing',
      'The cluster has no CustomResourceDefinition for Certificates of cert-manager. Install cert-manager, or remove spec.guardrail.tls.issuerRef so that the operator issues the certificate.',
    );
  }
}

/**
 * The ConfigMap with the certificates of authorities. A gateway that knows one file of authorities only, as LiteLLM, needs
 * the public ones in it, too: otherwise it could not call a model provider.
 */
function caConfigMap(
  instance: GatewayInstance,
  { ca, clientCa }: { readonly ca: string; readonly clientCa: string | undefined },
): OwnedObject {
  return ownedChild<V1ConfigMap>(instance, configMaps, namesOf(instance).ca, {
    data: {
      ...(ca === '' ? {} : { [CA]: ca, [tlsFiles.bundle]: `${ca.trimEnd()}\n${rootCertificates.join('\n')}\n` }),
      ...(clientCa === undefined ? {} : { [tlsFiles.clientCa]: clientCa }),
    },
  });
}

function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}
