/** A gateway with a private certificate authority, from the Secret to the customer's condition. */
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { type DevGateway, startDevGateway } from '../../hack/harness/gateway/gateway.ts';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { startTlsProxy, type TlsProxy } from '../gateway/testing/tlsProxy.ts';
import { conditionOf } from './status.ts';
import { eventually, KubectlUser, TestOperator } from './testing/testOperator.ts';

const masterKey = 'sk-master';

describe('customers of a gateway with a private certificate authority', function () {
  this.timeout(60_000);
  const cluster = withControlPlane();
  const authority = new TestAuthority();
  let gateway: DevGateway;
  let proxy: TlsProxy;
  let user: KubectlUser;
  let operator: TestOperator;

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    proxy = await startTlsProxy(gateway.url, authority.server());
    user = new KubectlUser(cluster().kubeConfig(), await cluster().createNamespace('tls'));
    operator = new TestOperator(cluster().kubeConfig(), [user.namespace]);
    await operator.start();
    await eventually(() => user.list());
    await user.secret('main', masterKey);
    const tls = { caSecretRef: { name: 'authority', key: 'key' } };
    await eventually(() => user.instance('main', { endpoint: `https://127.0.0.1:${proxy.port}`, tls }));
  });
  after(async () => {
    await operator.end();
    await proxy.stop();
    await gateway.stop();
  });

  const says = async (name: string, reason: string): Promise<string> =>
    conditionOf(await user.untilReason(name, reason), 'Synced')?.message ?? '';

  it('report a missing Secret, a Secret without a certificate and a wrong authority, and accept the right one', async () => {
    await user.customer('a', { alias: 'A' });
    expect(await says('a', 'InstanceNotReady'))
      .to.contain('Secret authority does not exist')
      .and.contain('caSecretRef');
    await user.secret('authority', 'no certificate');
    await user.annotate('a', 'syncRequested', '1');
    await user.until('a', (customer) => conditionOf(customer, 'Synced')?.message.includes('no valid PEM') === true);
    await user.secret('authority', new TestAuthority().ca);
    await user.annotate('a', 'syncRequested', '2');
    expect(await says('a', 'GatewayUnreachable')).to.contain('not signed by the certificate authority');
    await user.secret('authority', authority.ca);
    // The operator caches a Secret for a minute.
    operator.skip(61_000);
    await user.annotate('a', 'syncRequested', '3');
    await user.untilReason('a', 'Created');
  });

  it('survive a rotation of the authority: trust both, replace the certificate, remove the old one', async () => {
    await user.customer('b', { alias: 'B' });
    await user.untilReason('b', 'Created');
    const next = new TestAuthority('the next');
    const syncWith = async (token: string): Promise<void> => {
      operator.skip(61_000);
      await user.annotate('b', 'syncRequested', token);
      const { status } = await user.until('b', (customer) => customer.status?.lastHandledSyncRequest === token);
      expect(status?.synced).to.equal(true);
    };
    await user.secret('authority', `${authority.ca}\n${next.ca}`);
    await syncWith('both');
    proxy.show(next.server());
    await syncWith('the new certificate');
    await user.secret('authority', next.ca);
    await syncWith('the new authority alone');
    expect(await user.events('b')).not.to.include('SyncFailed');
  });
});
