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
import { transportOptions, widget, widgets } from '../testing/widgets.ts';
import { Transport } from './transport.ts';

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error('An ApiError was expected.', { cause: error });
  return error;
}

describe('the connection to the API server', () => {
  const cluster = withTestCluster();

  it('keeps its connections: a hundred requests in a row take no more than two, over TLS as well', async () => {
    const { client, namespace, proxy, plane } = cluster();
    for (let at = 0; at < 100; at++) await client.list(widgets, { namespace });
    // undici may pick a second one before the first has been given back.
    expect(proxy.connections).to.be.at.most(2);

    const metrics = transportOptions();
    const tls = new Transport(plane.kubeConfig(), metrics);
    // Each new TLS session costs the API server a handshake; a kept one answers in a fraction of that.
    await tls.send({ method: 'GET', path: '/version' });
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TLSSocketWrap' || name === 'TLSWrap').length;
    const open = sockets();
    for (let at = 0; at < 50; at++) await tls.send({ method: 'GET', path: '/version' });
    expect(sockets() - open).to.be.at.most(1);
    await tls.close();
  });

  it('repeats what was turned away unread, after the time that it is told', async () => {
    const { client, namespace, proxy } = cluster();
    proxy.when(({ method }) => method === 'POST', { kind: 'answer', status: 429, headers: { 'retry-after': '1' } }, 2);
    const began = performance.now();
    const created = await client.create(widgets, widget(namespace, 'a'));
    expect(created.metadata.name).to.equal('a');
    expect(performance.now() - began).to.be.within(2_000, 5_000);
  });

  it('gives a long Retry-After to its caller, who can plan with it', async () => {
    const { client, namespace, proxy } = cluster();
    proxy.when(() => true, { kind: 'answer', status: 503, headers: { 'retry-after': '120' } }, 1);
    const error = await failure(client.list(widgets, { namespace }));
    expect(error.retryAfterMs).to.equal(120_000);
  });

  it('repeats a read whose connection broke, but never a write: it may have been carried out', async () => {
    const { client, direct, namespace, proxy } = cluster();
    proxy.when(({ method }) => method === 'GET', { kind: 'reset' }, 1);
    expect(await client.list(widgets, { namespace })).to.deep.equal([]);
    proxy.when(({ method }) => method === 'POST', { kind: 'loseAnswer' });
    const error = await failure(client.create(widgets, widget(namespace, 'a')));
    expect(error.isUnreachable).to.equal(true);
    expect(proxy.requests.filter(({ method }) => method === 'POST')).to.have.length(1);
    expect(await direct.list(widgets, { namespace })).to.have.length(1);
  });

  it('gives up on an answer that never comes', async () => {
    const { transport, proxy } = cluster();
    proxy.when(() => true, { kind: 'hang' });
    const error = await failure(transport.send({ method: 'GET', path: '/version', timeoutMs: 200 }));
    expect(error.isUnreachable).to.equal(true);
    expect(error.message).to.match(/^No response from the API server to GET \/version: timed out/);
  });

  it('tells errors apart by status and reason, and says what was asked and answered', async () => {
    const { client, namespace } = cluster();
    const missing = await failure(client.get(widgets, { namespace, name: 'none' }));
    expect(isNotFound(missing)).to.equal(true);
    expect(missing.reason).to.equal('NotFound');
    expect(missing.message).to.equal(
      `The API server answered 404 NotFound to GET /apis/test.guardrail.dev/v1/namespaces/${namespace}/widgets/none: widgets.test.guardrail.dev "none" not found`,
    );
    await client.create(widgets, widget(namespace, 'a'));
    expect(isConflict(await failure(client.create(widgets, widget(namespace, 'a'))))).to.equal(true);
  });

  it('applies under its own field manager: what it no longer names goes, what others own stays', async () => {
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

  it('deletes exactly the object that is meant, and finds nothing wrong with one that is gone', async () => {
    const { client, namespace } = cluster();
    const key = { namespace, name: 'a' };
    const created = await client.create(widgets, widget(namespace, 'a'));
    expect(isConflict(await failure(client.delete(widgets, key, { uid: 'another' })))).to.equal(true);
    await client.delete(widgets, key, { uid: created.metadata.uid });
    await client.delete(widgets, key);
    expect(isNotFound(await failure(client.get(widgets, key)))).to.equal(true);
  });

  it('refuses a namespaced object without a namespace before asking', async () => {
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

  it('that are refused end in an error, not in a storm', async () => {
    const transport = transportWithTokenFile();
    accepted = 'Bearer other';
    expect((await failure(transport.send({ method: 'GET', path: '/' }))).status).to.equal(401);
    expect(seen).to.have.length(2);
    accepted = 'Bearer one';
    await transport.close();
  });

  it('never appear in errors, nor does what the server says about Secrets', async () => {
    const transport = transportWithTokenFile();
    const client = new RestClient(transport);
    const secrets = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
    const error = await failure(client.create(secrets, { metadata: { namespace: 'ns', name: 's' } }));
    expect(error.message).to.equal('The API server answered 422 Invalid to POST /api/v1/namespaces/ns/secrets');
    await transport.close();
  });
});
