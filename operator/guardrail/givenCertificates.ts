/** Reads the certificates of a guardrail that the operator does not issue. */
import type { GatewayInstance, GuardrailTls } from '../api/v1alpha1/v1alpha1.ts';
import { certificateProblem, hasPrivateKey, mergedCertificates } from '../certificates/certificates.ts';
import { ignoreNotFound, namesOf, secrets, secretValue } from '../cluster/cluster.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { GuardrailNotReadyError, readSecret } from './basics.ts';
import { files, tlsFiles } from './settings.ts';

type Client = Pick<KubeClient, 'get'>;

/** The certificate of a guardrail. */
export interface GivenCertificate {
  /** The Secret that has it. */
  readonly name: string;
  /** The certificates that verify it; empty: the public ones do. */
  readonly ca: string;
}

/**
 * Reads the certificate of a guardrail.
 * @throws GuardrailNotReadyError if it is missing, or clients would refuse it
 */
export async function readCertificate(
  client: Client,
  instance: GatewayInstance,
  { secretRef }: GuardrailTls,
  now: Date,
): Promise<GivenCertificate> {
  const { namespace } = instance.metadata;
  const { guardrail, issuedSecret } = namesOf(instance);
  const name = secretRef?.name ?? issuedSecret;
  const secret = await client.get(secrets, { namespace, name }).catch(ignoreNotFound);
  const valueOf = (key: string): string | undefined => secret && secretValue(secret, key);
  const [certificate, key, ca] = [tlsFiles.certificate, tlsFiles.key, files.ca].map(valueOf);
  if (certificate === undefined || key === undefined) {
    throw new GuardrailNotReadyError(
      'CertificateMissing',
      secretRef === undefined
        ? `cert-manager has not issued the certificate yet. Run kubectl describe certificate/${guardrail} -n ${namespace} to see why.`
        : `Secret ${name} in namespace ${namespace} has no values under the keys tls.crt and tls.key. Create it with kubectl create secret tls, or correct spec.guardrail.tls.secretRef.`,
    );
  }
  const host = `${guardrail}.${namespace}.svc`;
  const problem = certificateProblem({ certificate, key }, host, now);
  if (problem !== undefined) {
    const state = `The certificate in Secret ${name} in namespace ${namespace} ${problem}, so clients refuse it.`;
    // cert-manager replaces its certificate by itself.
    throw secretRef === undefined
      ? new GuardrailNotReadyError(
          'CertificateMissing',
          `${state} Run kubectl describe certificate/${guardrail} -n ${namespace} to see why cert-manager does not replace it.`,
        )
      : new GuardrailNotReadyError(
          'CertificateInvalid',
          `${state} Store a valid certificate for ${host} and its key, or correct spec.guardrail.tls.secretRef.`,
        );
  }
  if (ca === undefined) return { name, ca: '' };
  const where = `The value under key ${files.ca} of Secret ${name} in namespace ${namespace}`;
  return { name, ca: checkedCa(ca, where, 'remove the key if a public authority has issued the certificate') };
}

/**
 * Reads the certificates of the authority of the clients.
 * @throws GuardrailNotReadyError if there is none
 */
export async function readClientCa(
  client: Client,
  instance: GatewayInstance,
  { caSecretRef: ref }: NonNullable<GuardrailTls['clientAuth']>,
): Promise<string> {
  if (ref === undefined) return '';
  const { namespace } = instance.metadata;
  const field = 'spec.guardrail.tls.clientAuth.caSecretRef';
  const { value: text } = await readSecret(client, instance, ref);
  if (text === undefined) {
    throw new GuardrailNotReadyError(
      'CaSecretMissing',
      `Secret ${ref.name} in namespace ${namespace} has no value under key ${ref.key}. Store the certificates of the authority of the clients in it, or correct ${field}.`,
    );
  }
  const where = `The value under key ${ref.key} of Secret ${ref.name} in namespace ${namespace}`;
  return checkedCa(text, where, `correct ${field}`);
}

/**
 * The certificates in a value of a Secret. They go into a ConfigMap, which more people may read: nothing else of the value may.
 * @throws GuardrailNotReadyError
 */
function checkedCa(text: string, where: string, remedy: string): string {
  const certificates = mergedCertificates(text);
  if (certificates !== '' && !hasPrivateKey(text)) return certificates;
  const problem = certificates === '' ? 'contains no certificate in PEM' : 'contains a private key';
  throw new GuardrailNotReadyError(
    'CaInvalid',
    `${where} ${problem}. Store the certificates of the authority there and nothing else, or ${remedy}.`,
  );
}
