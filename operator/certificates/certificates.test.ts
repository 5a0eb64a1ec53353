import { once } from 'node:events';
import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
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
  type Usage,
} from './certificates.ts';

const DAY = 86_400_000;
const START = new Date();
const after = (days: number): Date => new Date(START.getTime() + days * DAY);
const SERVER: Usage = { kind: 'server', dnsNames: ['main-guardrail.team.svc', 'main-guardrail'] };

describe('certificates', () => {
  let authorities: readonly Authority[];
  before(async () => {
    authorities = await nextAuthorities([], 'main', START);
  });

  it('verify in a TLS connection in both directions, and only with their authority', async () => {
    const authority = issuingAuthority(authorities, START);
    const [server, client] = [
      await issue(authority, 'guardrail', SERVER, START),
      await issue(authority, 'operator', { kind: 'client' }, START),
    ];
    const other = await nextAuthorities([], 'other', START);
    const listening = createServer({
      ...{ cert: server.certificate, key: server.key, ca: bundleOf(authorities) },
      ...{ requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' as const },
    });
    listening.on('secureConnection', (socket) => socket.end('welcome'));
    listening.on('tlsClientError', () => undefined);
    await once(listening.listen(0, '127.0.0.1'), 'listening');
    const { port } = listening.address() as AddressInfo;
    const answer = async (options: object): Promise<string> => {
      const socket: TLSSocket = connect({ host: '127.0.0.1', port, servername: 'main-guardrail.team.svc', ...options });
      try {
        const [part] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
        return part;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? 'error';
      } finally {
        socket.destroy();
      }
    };
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

  it('are for one purpose and the names of one server', async () => {
    const authority = issuingAuthority(authorities, START);
    const { certificate } = await issue(authority, 'guardrail', SERVER, START);
    const parsed = new X509Certificate(certificate);
    expect(parsed.ca).to.equal(false);
    expect(parsed.publicKey.asymmetricKeyDetails).to.include({ namedCurve: 'prime256v1' });
    expect(parsed.checkIssued(new X509Certificate(authority.certificate))).to.equal(true);
    expect(isIssuedFor(certificate, authority, SERVER)).to.equal(true);
    expect(isIssuedFor(certificate, authority, { ...SERVER, dnsNames: ['main-guardrail'] })).to.equal(false);
    expect(isIssuedFor(certificate, authority, { kind: 'client' })).to.equal(false);
    const [other] = await nextAuthorities([], 'main', START);
    expect(isIssuedFor(certificate, other ?? authority, SERVER)).to.equal(false);
    expect(isIssuedFor('no certificate', authority, SERVER)).to.equal(false);
    expect(validityOf('no certificate')).to.equal(undefined);
  });

  it('come from an authority that was published for a month, whose predecessor is published until it expires', async () => {
    const seen: [day: number, published: number, issuer: number, keys: number][] = [];
    let current: readonly Authority[] = [];
    const created: string[] = [];
    for (const day of [0, 100, 244, 260, 273, 274.1, 300, 364, 366]) {
      current = readAuthorities(writeAuthorities(await nextAuthorities(current, 'main', after(day))));
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
    const first = await nextAuthorities([], 'main', START);
    const lost = first.map((authority) => ({ ...authority, key: '' }));
    // The one without a key has been published for longer.
    const next = await nextAuthorities(lost, 'main', after(40));
    expect(next.map(({ key }) => key !== '')).to.deep.equal([true, false]);
    expect(await nextAuthorities(next, 'main', after(40))).to.deep.equal(next);

    const both = await nextAuthorities(first, 'main', after(244));
    const newestLost = both.map((authority, at) => (at === 0 ? { ...authority, key: '' } : authority));
    const third = await nextAuthorities(newestLost, 'main', after(245));
    expect(third.map(({ key }) => key !== '')).to.deep.equal([true, false, true]);
    expect(await nextAuthorities(third, 'main', after(246))).to.deep.equal(third);
  });

  it('come from the same authority when the clock steps back by seconds', async () => {
    const both = await nextAuthorities(await nextAuthorities([], 'main', START), 'main', after(244));
    const seconds = 5 / 86_400;
    // The second one has been published for thirty days.
    const switched = await nextAuthorities(both, 'main', after(274));
    expect(switched.map(({ key }) => key !== '')).to.deep.equal([true, false]);
    for (const day of [274 - seconds, 274, 274 - seconds]) {
      expect(await nextAuthorities(switched, 'main', after(day))).to.deep.equal(switched);
      expect(issuingAuthority(switched, after(day))).to.equal(switched[0]);
    }
  });

  it('survive a damaged text of authorities', async () => {
    const text = writeAuthorities(authorities);
    for (const damaged of ['', 'nonsense', text.replace('BEGIN PRIVATE', 'BEGIN BROKEN'), text.slice(0, 300)]) {
      const next = await nextAuthorities(readAuthorities(damaged), 'main', START);
      expect(issuingAuthority(next, START).key).to.include('PRIVATE KEY');
    }
    expect(readAuthorities(text)).to.deep.equal(authorities);
  });
});
