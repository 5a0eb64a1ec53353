/** The client against a real TLS server: the trusted authorities, and the errors for untrusted certificates. */
import { expect } from 'chai';
import { startDevGateway, type DevGateway } from '../../hack/harness/gateway/gateway.ts';
import { GatewayClient } from './client.ts';
import { GatewayError } from './errors.ts';
import { RateLimiter } from './rateLimit.ts';
import { TestAuthority, type TestCertificate } from './testing/certificates.ts';
import { startTestProxy } from './testing/testProxy.ts';
import { startTlsProxy, type TlsProxy } from './testing/tlsProxy.ts';

const masterKey = 'sk-a-master-key-of-the-test';
const rateLimit = { qps: 1000, burst: 1000, maxConcurrent: 2 };
const authority = new TestAuthority();
const good = authority.server();

describe('gateway client over TLS', function () {
  this.timeout(20_000);
  let gateway: DevGateway;
  let proxy: TlsProxy;

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    proxy = await startTlsProxy(gateway.url, good);
  });
  after(async () => {
    await proxy.stop();
    await gateway.stop();
  });

  /** The error message of a call; undefined if the call succeeds. */
  async function outcome(
    ca: string | undefined,
    { host = '127.0.0.1', port = proxy.port }: { host?: string; port?: number } = {},
  ): Promise<string | undefined> {
    const instance = { namespace: 'default', name: 'main', uid: 'instance-1' };
    const target = { instance, endpoint: `https://${host}:${port}`, masterKey, ca, rateLimit };
    const client = new GatewayClient(target, new RateLimiter(rateLimit));
    try {
      await client.customerInfo('nobody');
      return undefined;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      expect(error.message)
        .to.match(/^[A-Z].*\.$/)
        .and.not.contain(masterKey);
      return `${error.kind}: ${error.message}`;
    } finally {
      await client.close();
    }
  }

  const past = new Date(Date.now() - 60_000);
  const future = new Date(Date.now() + 4 * 3_600_000);
  const cases: readonly {
    readonly name: string;
    readonly shown?: TestCertificate;
    readonly ca: string | undefined;
    readonly host?: string;
    readonly says: string | undefined;
  }[] = [
    { name: 'trusts the configured authority', ca: authority.ca, says: undefined },
    {
      name: 'trusts each of several authorities',
      ca: `${new TestAuthority('old').ca}\n${authority.ca}`,
      says: undefined,
    },
    { name: 'accepts any name in the certificate', ca: authority.ca, host: 'localhost', says: undefined },
    {
      name: 'does not trust a private authority by default',
      ca: undefined,
      says: 'unknown certificate authority: set spec.tls.caSecretRef',
    },
    {
      name: 'rejects another authority with the same name',
      ca: new TestAuthority().ca,
      says: 'not signed by the certificate authority in the Secret of spec.tls.caSecretRef',
    },
    {
      name: 'rejects an expired certificate',
      shown: authority.server({ until: past }),
      ca: authority.ca,
      says: 'has expired',
    },
    {
      name: 'rejects a certificate that is not valid yet',
      shown: authority.server({ until: future }),
      ca: authority.ca,
      says: 'is not valid yet',
    },
    {
      name: 'rejects a certificate for another host',
      shown: authority.server({ hosts: ['gateway.example.com'] }),
      ca: authority.ca,
      says: 'is for another host name: set spec.endpoint',
    },
  ];
  for (const { name, shown, ca, host, says } of cases) {
    it(name, async () => {
      proxy.show(shown ?? good);
      const message = await outcome(ca, host === undefined ? {} : { host });
      if (says === undefined) expect(message).to.equal(undefined);
      else
        expect(message)
          .to.match(/^transient: /)
          .and.contain(says);
    });
  }

  it('reports a port without TLS', async () => {
    expect(await outcome(authority.ca, { port: Number(new URL(gateway.url).port) })).to.contain('does not serve TLS');
  });

  it('follows no redirect, so that the key is not sent elsewhere', async () => {
    const plain = await startTestProxy(gateway.url);
    const elsewhere = await startTestProxy(gateway.url);
    const redirecting = await startTlsProxy(plain.url, good);
    try {
      for (const status of [301, 302, 307, 308]) {
        const headers = { location: `${elsewhere.url}/customer/info` };
        plain.fault = () => ({ kind: 'answer', status, body: '', headers });
        expect(await outcome(authority.ca, { port: redirecting.port })).to.match(
          /^terminal: .*a redirect that the operator does not follow/,
        );
      }
      expect(elsewhere.calls).to.deep.equal([]);
    } finally {
      for (const server of [redirecting, plain, elsewhere]) await server.stop();
    }
  });
});
