import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type ConnectionOptions, createServer, type Server, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import {
  bundleOf,
  isIssuedFor,
  issue,
  issuingAuthority,
  nextAuthorities,
  readAuthorities,
  validityOf,
  writeAuthorities,
  type Authority,
  type KeyPair,
  type Usage,
} from './certificates.ts';

const DAY = 86_400_000;
const START = new Date();
const after = (days: number): Date => new Date(START.getTime() + days * DAY);
const MAIN = { name: 'main-guardrail', dnsNames: ['main-guardrail.team.svc', 'main-guardrail'] };
const SERVER: Usage = { kind: 'server', dnsNames: MAIN.dnsNames };

/** A server that requires the certificate of a client. */
async function serve({ certificate, key }: KeyPair, ca: string): Promise<Server> {
  const listening = createServer({
    ...{ cert: certificate, key, ca },
    ...{ requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' as const },
  });
  listening.on('secureConnection', (socket) => socket.end('welcome'));
  listening.on('tlsClientError', () => undefined);
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  return listening;
}

/** @returns the text that the server sends, or the code of the error */
async function answerOf(server: Server, options: ConnectionOptions): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const socket: TLSSocket = connect({ host: '127.0.0.1', port, servername: 'main-guardrail.team.svc', ...options });
  try {
    const [part] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
    return part;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'error';
  } finally {
    socket.destroy();
  }
}

describe('certificates', () => {
  let authorities: readonly Authority[];
  before(async () => {
    authorities = await nextAuthorities([], MAIN, START);
  });

  it('verify in a TLS connection in both directions, and only with their authority', async () => {
    const authority = issuingAuthority(authorities, START);
    const [server, client] = [
      await issue(authority, MAIN.name, SERVER, START),
      await issue(authority, MAIN.name, { kind: 'client' }, START),
    ];
    const other = await nextAuthorities([], { name: 'other', dnsNames: ['other'] }, START);
    const listening = await serve(server, bundleOf(authorities));
    const answer = (options: ConnectionOptions): Promise<string> => answerOf(listening, options);
    const identity = { cert: client.certificate, key: client.key };
    const ca = bundleOf(authorities);
    expect(await answer({ ca, ...identity })).to.equal('welcome');
    expect(await answer({ ca: bundleOf([...other, ...authorities]), ...identity })).to.equal('welcome');
    expect(await answer({ ca, ...identity, servername: 'another.team.svc' })).to.equal('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await answer({ ca: bundleOf(other), ...identity })).to.not.equal('welcome');
    expect(await answer({ ca })).to.not.equal('welcome');
    // A server's certificate is none for a client.
    expect(await answer({ ca, cert: server.certificate, key: server.key })).to.not.equal('welcome');
    listening.close();
  });

  const PERMITTED_ONLY: [what: string, name: string, server: string[], isPermitted: boolean][] = [
    ['the names of its server', MAIN.name, [...MAIN.dnsNames], true],
    ['another host', MAIN.name, ['api.example.com'], false],
    ['another host beside its server', MAIN.name, [...MAIN.dnsNames, 'api.example.com'], false],
    ['another guardrail of the namespace', MAIN.name, ['other-guardrail.team.svc'], false],
  ];
  for (const [what, name, dnsNames, isPermitted] of PERMITTED_ONLY) {
    it(`of an authority ${isPermitted ? 'verify' : 'do not verify'} for ${what}`, async () => {
      const authority = issuingAuthority(authorities, START);
      const [server, client] = [
        await issue(authority, name, { kind: 'server', dnsNames }, START),
        await issue(authority, name, { kind: 'client' }, START),
      ];
      const ca = authority.certificate;
      const listening = await serve(server, ca);
      const identity = { cert: client.certificate, key: client.key };
      const answer = await answerOf(listening, { ca, ...identity, servername: dnsNames.at(-1) ?? '' });
      listening.close();
      expect(answer === 'welcome').to.equal(isPermitted);
    });
  }

  it('of an authority do not verify for a client with the name of another host', async () => {
    const authority = issuingAuthority(authorities, START);
    const ca = authority.certificate;
    const client = await issue(authority, 'api.example.com', { kind: 'client' }, START);
    const listening = await serve(await issue(authority, MAIN.name, SERVER, START), ca);
    const answer = await answerOf(listening, { ca, cert: client.certificate, key: client.key });
    listening.close();
    expect(answer).to.not.equal('welcome');
  });

  it('are for one purpose and the names of one server', async () => {
    const authority = issuingAuthority(authorities, START);
    const { certificate } = await issue(authority, MAIN.name, SERVER, START);
    const parsed = new X509Certificate(certificate);
    expect(parsed.ca).to.equal(false);
    expect(parsed.publicKey.asymmetricKeyDetails).to.include({ namedCurve: 'prime256v1' });
    expect(parsed.checkIssued(new X509Certificate(authority.certificate))).to.equal(true);
    expect(isIssuedFor(certificate, authority, SERVER)).to.equal(true);
    expect(isIssuedFor(certificate, authority, { ...SERVER, dnsNames: ['main-guardrail'] })).to.equal(false);
    expect(isIssuedFor(certificate, authority, { kind: 'client' })).to.equal(false);
    const [other] = await nextAuthorities([], MAIN, START);
    expect(isIssuedFor(certificate, other ?? authority, SERVER)).to.equal(false);
    expect(isIssuedFor('no certificate', authority, SERVER)).to.equal(false);
    expect(validityOf('no certificate')).to.equal(undefined);
  });

  it('come from an authority that was published for a month, whose predecessor is published until it expires', async () => {
    const seen: [day: number, published: number, issuer: number, keys: number][] = [];
    let current: readonly Authority[] = [];
    const created: string[] = [];
    for (const day of [0, 100, 244, 260, 273, 274.1, 300, 364, 366]) {
      current = readAuthorities(writeAuthorities(await nextAuthorities(current, MAIN, after(day))));
      for (const { certificate } of current.toReversed()) if (!created.includes(certificate)) created.push(certificate);
      const issuer = created.indexOf(issuingAuthority(current, after(day)).certificate);
      seen.push([day, current.length, issuer, current.filter(({ key }) => key !== '').length]);
    }
    expect(seen).to.deep.equal([
      [0, 1, 0, 1],
      [100, 1, 0, 1],
      [244, 2, 0, 2],
      [260, 2, 0, 2],
      [273, 2, 0, 2],
      [274.1, 2, 1, 1],
      [300, 2, 1, 1],
      [364, 2, 1, 1],
      [366, 1, 1, 1],
    ]);
  });

  it('come from one new authority if the key of the newest is lost', async () => {
    const first = await nextAuthorities([], MAIN, START);
    const lost = first.map((authority) => ({ ...authority, key: '' }));
    // The one without a key has been published for longer.
    const next = await nextAuthorities(lost, MAIN, after(40));
    expect(next.map(({ key }) => key !== '')).to.deep.equal([true, false]);
    expect(await nextAuthorities(next, MAIN, after(40))).to.deep.equal(next);

    const both = await nextAuthorities(first, MAIN, after(244));
    const newestLost = both.map((authority, at) => (at === 0 ? { ...authority, key: '' } : authority));
    const third = await nextAuthorities(newestLost, MAIN, after(245));
    expect(third.map(({ key }) => key !== '')).to.deep.equal([true, false, true]);
    expect(await nextAuthorities(third, MAIN, after(246))).to.deep.equal(third);
  });

  it('come from the same authority when the clock steps back by seconds', async () => {
    const both = await nextAuthorities(await nextAuthorities([], MAIN, START), MAIN, after(244));
    const seconds = 5 / 86_400;
    // The second one has been published for thirty days.
    const switched = await nextAuthorities(both, MAIN, after(274));
    expect(switched.map(({ key }) => key !== '')).to.deep.equal([true, false]);
    for (const day of [274 - seconds, 274, 274 - seconds]) {
      expect(await nextAuthorities(switched, MAIN, after(day))).to.deep.equal(switched);
      expect(issuingAuthority(switched, after(day))).to.equal(switched[0]);
    }
  });

  it('survive a damaged text of authorities', async () => {
    const text = writeAuthorities(authorities);
    for (const damaged of ['', 'nonsense', text.replace('BEGIN PRIVATE', 'BEGIN BROKEN'), text.slice(0, 300)]) {
      const next = await nextAuthorities(readAuthorities(damaged), MAIN, START);
      expect(issuingAuthority(next, START).key).to.include('PRIVATE KEY');
    }
    expect(readAuthorities(text)).to.deep.equal(authorities);
  });
});
