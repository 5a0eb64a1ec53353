import { expect } from 'chai';
import type { GuardrailTls } from '../api/v1alpha1/v1alpha1.ts';
import { encodedSecretData } from '../cluster/cluster.ts';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { ApiError, type KubeClient } from '../runtime/runtime.ts';
import { readCertificate, readClientCa } from './givenCertificates.ts';
import { GuardrailNotReadyError } from './basics.ts';

type Data = Readonly<Record<string, string>>;

const authority = new TestAuthority();
const CA = authority.ca.trim();
const OTHER_CA = new TestAuthority('other').ca.trim();
const HOST = 'main-guardrail.ai.svc';
const { cert, key } = authority.server({ hosts: [HOST] });

/** A client of a cluster with these Secrets in the namespace `ai`. */
function clientOf(stored: Readonly<Record<string, Data>>): KubeClient {
  const get = (_kind: object, { name }: { name: string }): Promise<object> => {
    const data = stored[name];
    return data === undefined
      ? Promise.reject(new ApiError('None.', { status: 404, reason: 'NotFound' }))
      : Promise.resolve({ data: encodedSecretData(data) });
  };
  return { get } as unknown as KubeClient;
}

/** @returns the value, or the reason and the message of the condition */
async function outcome<T>(read: Promise<T>): Promise<T | [reason: string, message: string]> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof GuardrailNotReadyError)) throw error;
    const { reason, message } = error.condition;
    return [reason, message];
  }
}

describe('the authorities of clients', () => {
  const clientAuth = { caSecretRef: { name: 'clients', key: 'ca' } };
  const read = (data: Data): Promise<string | [string, string]> =>
    outcome(readClientCa(clientOf({ clients: data }), instanceOf(), clientAuth));
  const WHERE = 'The value under key ca of Secret clients in namespace ai';
  const REMEDY =
    'Store the certificates of the authority there and nothing else, or correct spec.guardrail.tls.clientAuth.caSecretRef.';

  it('are the certificates in the Secret, and nothing else of it', async () => {
    expect(await read({ ca: `# ours\n${CA}\npassword\n${OTHER_CA}` })).to.equal(`${CA}\n${OTHER_CA}\n`);
    expect(await outcome(readClientCa(clientOf({}), instanceOf(), {}))).to.equal('');
  });

  const CASES: [what: string, text: string, problem: string][] = [
    ['a password', 'hunter2-hunter2', 'contains no certificate in PEM'],
    ['a key', key, 'contains no certificate in PEM'],
    ['a key beside a certificate', `${CA}\n${key}`, 'contains a private key'],
  ];
  for (const [what, text, problem] of CASES) {
    it(`are refused: ${what}`, async () => {
      expect(await read({ ca: text })).to.deep.equal(['CaInvalid', `${WHERE} ${problem}. ${REMEDY}`]);
    });
  }

  it('are missed', async () => {
    expect((await read({ another: CA }))[0]).to.equal('CaSecretMissing');
  });
});

describe('the certificate that a user supplies', () => {
  const tls: GuardrailTls = { secretRef: { name: 'own' } };
  const read = (data: Data, given = tls, name = 'own'): Promise<object> =>
    outcome(readCertificate(clientOf({ [name]: data }), instanceOf(), given, new Date()));
  const pair = { 'tls.crt': cert, 'tls.key': key };

  it('comes with the certificates that verify it, or with none', async () => {
    expect(await read({ ...pair, 'ca.crt': `${CA}\nmore` })).to.deep.equal({ name: 'own', ca: `${CA}\n` });
    expect(await read(pair)).to.deep.equal({ name: 'own', ca: '' });
  });

  it('is refused with an authority that is none', async () => {
    const where = 'The value under key ca.crt of Secret own in namespace ai';
    for (const [text, problem] of [
      ['password', 'contains no certificate in PEM'],
      [`${CA}\n${key}`, 'contains a private key'],
    ] as const) {
      const message = `${where} ${problem}. Store the certificates of the authority there and nothing else, or remove the key if a public authority has issued the certificate.`;
      expect(await read({ ...pair, 'ca.crt': text })).to.deep.equal(['CaInvalid', message]);
    }
  });

  it('is refused if clients would refuse it', async () => {
    const other = authority.server({ hosts: ['other'] });
    const wrong = { 'tls.crt': other.cert, 'tls.key': other.key };
    const state = (name: string): string =>
      `The certificate in Secret ${name} in namespace ai is not for the name ${HOST}, so clients refuse it.`;
    expect(await read(wrong)).to.deep.equal([
      'CertificateInvalid',
      `${state('own')} Store a valid certificate for ${HOST} and its key, or correct spec.guardrail.tls.secretRef.`,
    ]);
    expect(await read(wrong, { issuerRef: { name: 'company' } }, 'main-guardrail-cert')).to.deep.equal([
      'CertificateMissing',
      `${state('main-guardrail-cert')} Run kubectl describe certificate/main-guardrail -n ai to see why cert-manager does not replace it.`,
    ]);
  });

  it('is missed', async () => {
    expect(await read({ 'tls.crt': cert })).to.include('CertificateMissing');
    expect(await read({}, { issuerRef: { name: 'company' } }, 'main-guardrail-cert')).to.include('CertificateMissing');
  });
});
