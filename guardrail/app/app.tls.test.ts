/** TLS of the service's own ports, with real sockets and certificates. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { eventually, KEY, startHarness, type Harness } from '../testing/appHarness.ts';
import { issueCertificates, type Certificate, type Certificates } from '../testing/certificates.ts';

const METRICS_TOKEN = 'a-token-of-prometheus';

interface Seen {
  readonly status: number;
  readonly body: string;
}

const get = async (port: number, path: string, options: RequestOptions): Promise<Seen> => {
  const sent = request({ host: '127.0.0.1', servername: 'localhost', port, path, ...options }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
};

/** @returns the code of the error, or the protocol */
const handshake = async (port: number, options: ConnectionOptions): Promise<string> => {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ...options });
  try {
    await once(socket, 'secureConnect');
    return `${socket.getProtocol() ?? ''} ${String(socket.alpnProtocol)}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'error';
  } finally {
    socket.destroy();
  }
};

const withClient = (ca: string, client?: Certificate): RequestOptions => ({
  ca,
  agent: false,
  headers: { 'x-api-key': KEY },
  ...(client && { cert: client.certificate, key: client.key }),
});

const send = (socket: TLSSocket, path: string): void => {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${KEY}\r\nconnection: close\r\n\r\n`);
};

/** @returns a session that a client can resume */
const sessionOf = async (port: number, options: ConnectionOptions): Promise<Buffer> => {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ...options });
  const issued = once(socket, 'session') as Promise<[Buffer]>;
  send(socket, '/healthz');
  const [[session]] = await Promise.all([issued, text(socket)]);
  return session;
};

/** @returns whether the session was resumed, and the status */
const resumedStatus = async (port: number, path: string, options: ConnectionOptions): Promise<[boolean, number]> => {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ...options });
  await once(socket, 'secureConnect');
  send(socket, path);
  return [socket.isSessionReused(), Number((await text(socket)).split(' ')[1])];
};

describe('the service with TLS', () => {
  let folder: string;
  let harness: Harness;
  let first: Certificates;
  const install = (files: Record<string, string>): void => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guardrail-tls-'));
    first = issueCertificates();
    install({ 'tls.crt': first.server.certificate, 'tls.key': first.server.key, token: `${METRICS_TOKEN}\n` });
    harness = await startHarness({
      env: {
        GUARDRAIL_TLS_CERT_FILE: join(folder, 'tls.crt'),
        GUARDRAIL_TLS_KEY_FILE: join(folder, 'tls.key'),
        GUARDRAIL_METRICS_TOKEN_FILE: join(folder, 'token'),
        GUARDRAIL_PROXY_UPSTREAM: 'http://127.0.0.1:9',
        GUARDRAIL_PROXY_PORT: '0',
      },
    });
  });
  after(async () => {
    await harness.app.drain();
    rmSync(folder, { recursive: true });
  });

  const ports = (): Readonly<Record<string, number>> => ({
    service: harness.app.port,
    proxy: harness.app.proxyPort ?? 0,
    metrics: harness.app.metricsPort ?? 0,
  });

  for (const name of ['service', 'proxy', 'metrics']) {
    it(`speaks TLS 1.2 or later and HTTP/1.1 on the port of the ${name}`, async () => {
      const port = ports()[name] ?? 0;
      const { ca } = first;
      const ALPNProtocols = ['h2', 'http/1.1'];
      expect(await handshake(port, { ca, ALPNProtocols })).to.equal('TLSv1.3 http/1.1');
      expect(await handshake(port, { ca, maxVersion: 'TLSv1.2' })).to.equal('TLSv1.2 false');
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
      expect(await handshake(port, { ca, ...old })).to.match(/^ERR_SSL/);
      expect(await handshake(port, { ca: issueCertificates().ca })).to.match(/VERIFY|SELF_SIGNED|SIGNATURE/);
    });

    it(`ends the connection of a client that speaks plain HTTP to the ${name}`, async () => {
      const socket = connectPlain(ports()[name] ?? 0, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
      let received = '';
      socket.setEncoding('latin1').on('data', (part: string) => (received += part));
      await once(socket, 'close');
      expect(received).to.not.include('HTTP/1.1 200');
    });
  }

  it('serves metrics only to the owner of the token, which is read again when its file changes', async () => {
    const port = harness.app.metricsPort ?? 0;
    const status = async (authorization?: string): Promise<number> =>
      (
        await get(port, '/metrics', {
          ca: first.ca,
          agent: false,
          headers: { ...(authorization && { authorization }) },
        })
      ).status;
    expect(await status(`Bearer ${METRICS_TOKEN}`)).to.equal(200);
    expect(await status(`bearer  ${METRICS_TOKEN}`)).to.equal(200);
    for (const wrong of [undefined, METRICS_TOKEN, `Bearer ${METRICS_TOKEN}x`, 'Bearer ', `Basic ${METRICS_TOKEN}`]) {
      expect(await status(wrong)).to.equal(401);
    }
    install({ token: 'short' });
    await eventually(() => harness.logs.some((line) => line.includes('GUARDRAIL_METRICS_TOKEN_FILE must contain')));
    expect(await status(`Bearer ${METRICS_TOKEN}`)).to.equal(200);
    install({ token: 'the-next-token-of-prometheus' });
    await eventually(async () => (await status('Bearer the-next-token-of-prometheus')) === 200);
    expect(await status(`Bearer ${METRICS_TOKEN}`)).to.equal(401);
  });

  it('takes over a new certificate without ending a connection, and keeps the old one while the new one is wrong', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: first.ca });
    const kept = { agent, headers: { 'x-api-key': KEY } };
    expect((await get(harness.app.port, '/healthz', kept)).status).to.equal(200);
    const [socket] = Object.values(agent.freeSockets).flatMap((list) => list ?? []);
    const second = issueCertificates();

    install({ 'tls.crt': 'not a certificate' });
    await eventually(() => harness.logs.some((line) => line.includes('GUARDRAIL_TLS_CERT_FILE must contain')));
    expect((await get(harness.app.port, '/healthz', withClient(first.ca))).status).to.equal(200);
    // All ports read the same file.
    expect(harness.logs.filter((line) => line.includes('GUARDRAIL_TLS_CERT_FILE must contain'))).to.have.length(1);

    install({ 'tls.crt': second.server.certificate });
    const mismatch = 'GUARDRAIL_TLS_KEY is not the key of GUARDRAIL_TLS_CERT';
    await eventually(async () => {
      expect((await get(harness.app.port, '/healthz', withClient(first.ca))).status).to.equal(200);
      return harness.logs.some((line) => line.includes(mismatch));
    });

    install({ 'tls.key': second.server.key });
    await eventually(async () => (await handshake(harness.app.port, { ca: second.ca })).startsWith('TLSv1.3'));
    expect(await handshake(harness.app.port, { ca: first.ca })).to.match(/VERIFY|SELF_SIGNED|SIGNATURE/);
    expect((await get(harness.app.port, '/healthz', kept)).status).to.equal(200);
    expect(Object.values(agent.freeSockets).flatMap((list) => list ?? [])).to.deep.equal([socket]);
    agent.destroy();
  });
});

describe('the service with client certificates', () => {
  let harness: Harness;
  let known: Certificates;
  before(async () => {
    known = issueCertificates();
    harness = await startHarness({
      env: {
        GUARDRAIL_TLS_CERT: known.server.certificate,
        GUARDRAIL_TLS_KEY: known.server.key,
        GUARDRAIL_TLS_CLIENT_CA: known.ca,
        GUARDRAIL_PROXY_UPSTREAM: 'http://127.0.0.1:9',
        GUARDRAIL_PROXY_PORT: '0',
      },
    });
  });
  after(() => harness.app.drain());

  const statusOf = async (path: string, client?: Certificate): Promise<number> =>
    (await get(harness.app.port, path, withClient(known.ca, client))).status;

  it('refuses a client without a certificate of the authority, and shows it nothing but its health', async () => {
    for (const path of ['/sessions/none', '/openapi.json', '/configuration', '/healthz/', '//healthz', '/HEALTHZ']) {
      expect(await statusOf(path), path).to.equal(401);
      expect(await statusOf(path, issueCertificates().client), path).to.equal(401);
    }
    const { body } = await get(harness.app.port, '/openapi.json', withClient(known.ca));
    expect(JSON.parse(body)).to.have.nested.property('error.code', 'certificate_required');
  });

  it('answers probes without a certificate, and clients with one', async () => {
    expect(await statusOf('/healthz')).to.equal(200);
    expect(await statusOf('/readyz?verbose')).to.equal(200);
    expect(await statusOf('/openapi.json', known.client)).to.equal(200);
  });

  it('refuses a client without a certificate also if it resumes a session', async () => {
    const { port } = harness.app;
    const session = await sessionOf(port, { ca: known.ca });
    expect(await resumedStatus(port, '/healthz', { ca: known.ca, session })).to.deep.equal([true, 200]);
    expect(await resumedStatus(port, '/openapi.json', { ca: known.ca, session })).to.deep.equal([true, 401]);
  });

  it('knows the certificate of a client that resumes a session', async () => {
    const { port } = harness.app;
    const own = { ca: known.ca, cert: known.client.certificate, key: known.client.key };
    const session = await sessionOf(port, own);
    expect(await resumedStatus(port, '/openapi.json', { ...own, session })).to.deep.equal([true, 200]);
  });

  it('still asks for the API key', async () => {
    const options = { ...withClient(known.ca, known.client), headers: {} };
    expect((await get(harness.app.port, '/sessions/none', options)).status).to.equal(401);
  });

  it('lets clients of the inline proxy send nothing without a certificate', async () => {
    const port = harness.app.proxyPort ?? 0;
    const failure = await get(port, '/v1/models', withClient(known.ca)).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect((await get(port, '/v1/models', withClient(known.ca, known.client))).status).to.be.greaterThan(499);
  });

  it('serves metrics without a client certificate', async () => {
    expect((await get(harness.app.metricsPort ?? 0, '/metrics', withClient(known.ca))).status).to.equal(200);
  });
});

describe('the end of a service with TLS', () => {
  it('does not wait for a client that never finishes its handshake', async () => {
    const { server } = issueCertificates();
    const harness = await startHarness({
      env: { GUARDRAIL_TLS_CERT: server.certificate, GUARDRAIL_TLS_KEY: server.key },
    });
    const socket = connectPlain(harness.app.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const start = performance.now();
    expect(await harness.app.drain()).to.equal(true);
    expect(performance.now() - start).to.be.lessThan(5000);
    socket.destroy();
  });
});
