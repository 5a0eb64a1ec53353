import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { expect } from 'chai';
import { RestClient } from './client.ts';
import { ApiError, isConflict, isNotFound } from './errors.ts';
import { withTestCluster } from '../testing/cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { TestClock } from '../testing/testClock.ts';
import { transportOptions, widget, widgets } from '../testing/widgets.ts';
import { Transport } from './transport.ts';

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error('Expected an ApiError.', { cause: error });
  return error;
}

describe('the connection to the API server', () => {
  const cluster = withTestCluster();

  it('sends a hundred requests in a row over at most two connections, also with TLS', async () => {
    const { client, namespace, proxy, plane } = cluster();
    for (let at = 0; at < 100; at++) await client.list(widgets, { namespace });
    // undici may open a second one before the first is returned to the pool.
    expect(proxy.connections).to.be.at.most(2);

    const metrics = transportOptions();
    const tls = new Transport(plane.kubeConfig(), metrics);
    // A new TLS session needs a handshake with the API server; a kept-alive connection answers in a fraction of that time.
    await tls.send({ method: 'GET', path: '/version' });
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TLSSocketWrap' || name === 'TLSWrap').length;
    const open = sockets();
    for (let at = 0; at < 50; at++) await tls.send({ method: 'GET', path: '/version' });
    expect(sockets() - open).to.be.at.most(1);
    await tls.close();
  });

  it('retries a request that was rejected before it was read, after Retry-After', async () => {
    const { namespace, proxy } = cluster();
    proxy.when(({ method }) => method === 'POST', { kind: 'answer', status: 429, headers: { 'retry-after': '1' } }, 2);
    const clock = new TestClock();
    const transport = new Transport(proxy.kubeConfig(), { ...transportOptions(), clock });
    const created = new RestClient(transport).create(widgets, widget(namespace, 'a'));
    for (const attempt of [1, 2]) {
      await eventually(() => {
        expect(clock.pending).to.equal(1);
      });
      expect(proxy.requests).to.have.length(attempt);
      await clock.advance(999);
      expect(clock.pending).to.equal(1);
      // The wait has some jitter.
      await clock.advance(101);
    }
    expect((await created).metadata.name).to.equal('a');
    await transport.close();
  });

  it('reports a long Retry-After to its caller', async () => {
    const { client, namespace, proxy } = cluster();
    proxy.when(() => true, { kind: 'answer', status: 503, headers: { 'retry-after': '120' } }, 1);
    const error = await failure(client.list(widgets, { namespace }));
    expect(error.retryAfterMs).to.equal(120_000);
  });

  it('retries a read whose connection was closed, but never a write', async () => {
    const { client, direct, namespace, proxy } = cluster();
    proxy.when(({ method }) => method === 'GET', { kind: 'reset' }, 1);
    expect(await client.list(widgets, { namespace })).to.deep.equal([]);
    proxy.when(({ method }) => method === 'POST', { kind: 'loseAnswer' });
    const error = await failure(client.create(widgets, widget(namespace, 'a')));
    expect(error.isUnreachable).to.equal(true);
    expect(proxy.requests.filter(({ method }) => method === 'POST')).to.have.length(1);
    expect(await direct.list(widgets, { namespace })).to.have.length(1);
  });

  it('times out when there is no response', async () => {
    const { transport, proxy } = cluster();
    proxy.when(() => true, { kind: 'hang' });
    const error = await failure(transport.send({ method: 'GET', path: '/version', timeoutMs: 200 }));
    expect(error.isUnreachable).to.equal(true);
    expect(error.message).to.match(/^No response from the API server to GET \/version: timed out/);
  });

  it('distinguishes errors by status and reason, and describes request and response', async () => {
    const { client, namespace } = cluster();
    const missing = await failure(client.get(widgets, { namespace, name: 'none' }));
    expect(isNotFound(missing)).to.equal(true);
    expect(missing.reason).to.equal('NotFound');
    expect(missing.message).to.equal(
      `The API server responded with 404 NotFound to GET /apis/test.guardrail.dev/v1/namespaces/${namespace}/widgets/none: widgets.test.guardrail.dev "none" not found`,
    );
    await client.create(widgets, widget(namespace, 'a'));
    expect(isConflict(await failure(client.create(widgets, widget(namespace, 'a'))))).to.equal(true);
  });

  it('applies with its own field manager: removes omitted fields, keeps the fields of others', async () => {
    const { client, direct, namespace } = cluster();
    const metadata = { namespace, name: 'a' };
    await client.apply(widgets, { metadata, spec: { size: 1, color: 'red' } } as object);
    await direct.apply(widgets, { metadata: { ...metadata, labels: { theirs: 'yes' } } } as object, {
      fieldManager: 'somebody',
    });
    const after = await client.apply(widgets, { metadata, spec: { size: 2 } } as object);
    expect(after.spec).to.deep.equal({ size: 2 });
    expect(after.metadata.labels).to.deep.equal({ theirs: 'yes' });
    const refused = await failure(
      client.apply(widgets, { metadata: { ...metadata, labels: { theirs: 'no' } } } as object, { force: false }),
    );
    expect(isConflict(refused)).to.equal(true);
  });

  it('deletes exactly the given object, and succeeds if it does not exist', async () => {
    const { client, namespace } = cluster();
    const key = { namespace, name: 'a' };
    const created = await client.create(widgets, widget(namespace, 'a'));
    expect(isConflict(await failure(client.delete(widgets, key, { uid: 'another' })))).to.equal(true);
    await client.delete(widgets, key, { uid: created.metadata.uid });
    await client.delete(widgets, key);
    expect(isNotFound(await failure(client.get(widgets, key)))).to.equal(true);
  });

  it('rejects a namespaced object without a namespace before sending a request', async () => {
    const error: unknown = await cluster()
      .client.get(widgets, { namespace: '', name: 'a' })
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TypeError);
  });
});

describe('the credentials for the API server', () => {
  let server: Server;
  let folder: string;
  const seen: IncomingHttpHeaders[] = [];
  let accepted = 'Bearer one';

  beforeEach(async () => {
    seen.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'credentials-'));
    server = createServer((request, response) => {
      seen.push(request.headers);
      const good = request.headers.authorization === accepted;
      const secret = { kind: 'Status', message: 'Secret "s" is invalid: data: "hunter2"', reason: 'Invalid' };
      if (request.url?.includes('/secrets') === true) response.writeHead(422).end(JSON.stringify(secret));
      else response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  function transportWithTokenFile(): Transport {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'one');
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromClusterAndUser(
      { name: 'c', server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, skipTLSVerify: true },
      { name: 'u', authProvider: { name: 'tokenFile', config: { tokenFile } } },
    );
    return new Transport(kubeConfig, transportOptions());
  }

  it('are sent with each request, with a user agent', async () => {
    const transport = transportWithTokenFile();
    await transport.send({ method: 'GET', path: '/' });
    expect(seen[0]).to.include({ authorization: 'Bearer one', 'user-agent': 'test' });
    await transport.close();
  });

  it('cause an error when rejected, and no flood of requests', async () => {
    const transport = transportWithTokenFile();
    accepted = 'Bearer other';
    expect((await failure(transport.send({ method: 'GET', path: '/' }))).status).to.equal(401);
    expect(seen).to.have.length(2);
    accepted = 'Bearer one';
    await transport.close();
  });

  it("never appear in errors, and neither do the server's messages about Secrets", async () => {
    const transport = transportWithTokenFile();
    const client = new RestClient(transport);
    const secrets = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
    const error = await failure(client.create(secrets, { metadata: { namespace: 'ns', name: 's' } }));
    expect(error.message).to.equal('The API server responded with 422 Invalid to POST /api/v1/namespaces/ns/secrets');
    await transport.close();
  });
});
