import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { expect } from 'chai';
import { eventually, PLANTED, startHarness, type Harness } from '../testing/appHarness.ts';
import { guardWithFailingStore } from '../testing/failingStore.ts';
import { issueCertificates, type Certificates } from '../testing/certificates.ts';
import { chunk } from '../testing/inlineHarness.ts';
import { withinTime } from '../withinTime.ts';
import { ModelEnvoy, type EnvoyStream } from './testing/modelEnvoy.ts';

const { email } = PLANTED;
const DUPLEX = { protocolConfig: { requestBodyMode: 4, responseBodyMode: 4 } };
const STREAMED = { protocolConfig: { requestBodyMode: 4, responseBodyMode: 1 } };
const MIB = 1024 * 1024;

const mapOf = (headers: Record<string, string>) => ({
  headers: Object.entries(headers).map(([key, value]) => ({ key, rawValue: Buffer.from(value) })),
});
const REQUEST = mapOf({
  ':method': 'POST',
  ':path': '/v1/chat/completions',
  ':scheme': 'http',
  ':authority': 'gateway.example',
  'content-type': 'application/json',
  authorization: 'Bearer sk-of-a-client',
});
const EVENTS = mapOf({ ':status': '200', 'content-type': 'text/event-stream' });
const BODY = Buffer.from(JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: email }] }));

const GET = { headers: { ':method': 'GET', ':path': '/v1/models' }, parts: [] };
const noContent = () => ({ headers: { ':status': '204' }, parts: [] });

/** A call whose request has reached the upstream. @returns the pseudonym in it */
async function sendRequest(stream: EnvoyStream, modes = DUPLEX): Promise<string> {
  stream.send({ requestHeaders: { headers: REQUEST }, ...modes });
  stream.send({ requestBody: { body: BODY, endOfStream: true } });
  let sent = '';
  for (let isLast = false; !isLast;) {
    const part = (await stream.next()).requestBody?.response.bodyMutation?.streamedResponse;
    sent += part?.body?.toString() ?? '';
    isLast = part?.endOfStream === true;
  }
  const [pseudonym = ''] = /<EMAIL_ADDRESS_[A-Z0-9]+>/.exec(sent) ?? [];
  return pseudonym;
}

/** Resolves with the gRPC status, when the call has ended. */
const statusOf = (stream: EnvoyStream): Promise<number> =>
  new Promise((resolve) => {
    stream.call.on('status', ({ code }) => {
      resolve(code);
    });
  });

describe("Envoy's external processor with faults", () => {
  let harness: Harness;
  let envoy: ModelEnvoy;
  let isStoreDown = false;
  beforeEach(async () => {
    isStoreDown = false;
    harness = await startHarness({
      env: { GUARDRAIL_EXT_PROC_PORT: '0' },
      guard: (options) => guardWithFailingStore(options, () => isStoreDown),
    });
    envoy = new ModelEnvoy(harness.app.extProcPort ?? 0);
  });
  afterEach(async () => {
    envoy.close();
    await harness.stop();
  });

  for (const [name, modes] of [
    ['FULL_DUPLEX_STREAMED', DUPLEX],
    ['STREAMED', STREAMED],
  ] as const) {
    it(`ends a stream ${name} that cannot go on with an error, never cleanly`, async () => {
      const stream = envoy.open();
      const pseudonym = await sendRequest(stream, modes);
      isStoreDown = true;
      stream.send({ responseHeaders: { headers: EVENTS } });
      expect(await stream.next()).to.have.property('responseHeaders');
      const ended = statusOf(stream);
      stream.send({ responseBody: { body: Buffer.from(chunk(`It is ${pseudonym}.`)) } });
      const { responseBody } = await stream.next();
      const { body, streamedResponse } = responseBody?.response.bodyMutation ?? {};
      const event = (streamedResponse?.body ?? body)?.toString();
      expect(event)
        .to.match(/^data: \{"error":.*"store_unavailable"/)
        .and.not.include(pseudonym);
      const last = await stream.next().catch(() => undefined);
      expect(last).to.equal(undefined);
      expect(await ended).to.equal(13);
    });
  }

  it('ends with an error if the answer begins with its body, because the headers are not sent to the guardrail', async () => {
    const stream = envoy.open();
    const pseudonym = await sendRequest(stream);
    const ended = statusOf(stream);
    stream.send({ responseBody: { body: Buffer.from(chunk(pseudonym)), endOfStream: true } });
    const next = await stream.next().catch(() => undefined);
    expect(next).to.equal(undefined);
    expect(await ended).to.equal(13);
  });

  it('forgets a call whose client has disconnected', async () => {
    const stream = envoy.open();
    await sendRequest(stream);
    stream.call.on('error', () => undefined);
    stream.call.cancel();
    await eventually(() => harness.logs.some((line) => line.includes('"status":499')));
    expect(await harness.app.drain()).to.equal(true);
  });

  it('ends a call with an error if a message is larger than the limit of bodies', async () => {
    await harness.stop();
    harness = await startHarness({ env: { GUARDRAIL_EXT_PROC_PORT: '0', GUARDRAIL_MAX_BODY: '1MiB' } });
    envoy.close();
    envoy = new ModelEnvoy(harness.app.extProcPort ?? 0);
    const stream = envoy.open();
    const ended = statusOf(stream);
    stream.call.on('error', () => undefined);
    stream.send({ requestHeaders: { headers: REQUEST }, ...DUPLEX });
    stream.send({ requestBody: { body: Buffer.alloc(3 * MIB, 'x'), endOfStream: true } });
    expect(await ended).to.equal(8);
    expect(await harness.app.drain()).to.equal(true);
  });

  it('refuses new calls while it drains, and waits for the others', async () => {
    const stream = envoy.open();
    await sendRequest(stream);
    stream.send({ responseHeaders: { headers: EVENTS } });
    expect(await stream.next()).to.have.property('responseHeaders');
    const drained = harness.app.drain();
    const refused = await envoy.call(GET, () => {
      throw new Error('The call passed.');
    });
    expect(refused).to.include({ kind: 'immediate', status: 503 });
    stream.send({ responseBody: { body: Buffer.from(`${chunk('', 'stop')}data: [DONE]\n\n`), endOfStream: true } });
    for (let isLast = false; !isLast;) {
      isLast = (await stream.next()).responseBody?.response.bodyMutation?.streamedResponse?.endOfStream === true;
    }
    stream.call.end();
    expect(await drained).to.equal(true);
  });

  it('stops reading an answer while Envoy takes nothing of it', async () => {
    const stream = envoy.open();
    await sendRequest(stream);
    stream.send({ responseHeaders: { headers: EVENTS } });
    const part = Buffer.from(chunk('x'.repeat(32 * 1024)));
    let accepted = 0;
    const total = 64 * MIB;
    const send = async (): Promise<void> => {
      while (accepted < total) {
        await new Promise((resolve) => stream.call.write({ responseBody: { body: part } }, resolve));
        accepted += part.length;
      }
    };
    void send();
    let before = -1;
    await eventually(async () => {
      const isStill = accepted === before;
      before = accepted;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return isStill;
    });
    expect(accepted)
      .to.be.greaterThan(0)
      .and.lessThan(16 * MIB);
    stream.call.on('error', () => undefined);
    stream.call.cancel();
  });

  it('says which setting to change if the port is in use', async () => {
    const port = String(harness.app.extProcPort);
    const failure = await startHarness({ env: { GUARDRAIL_EXT_PROC_PORT: port } }).then(
      () => 'started',
      (error: unknown) => (error as Error).message,
    );
    expect(failure).to.equal(
      `Port ${port} is already in use: set GUARDRAIL_EXT_PROC_PORT to a free port, or stop the process that uses it.`,
    );
  });

  it('survives clients that do not speak HTTP/2', async () => {
    const socket = connect(harness.app.extProcPort ?? 0, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect((await envoy.call(GET, noContent)).kind).to.equal('answer');
  });
});

describe("the certificates of Envoy's external processor", () => {
  let folder: string;
  let harness: Harness;
  let first: Certificates;
  const install = ({ ca, server }: Certificates): void => {
    for (const [name, text] of Object.entries({ 'tls.key': server.key, 'tls.crt': server.certificate, 'ca.crt': ca })) {
      writeFileSync(join(folder, name), text);
    }
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ext-proc-'));
    first = issueCertificates();
    install(first);
    harness = await startHarness({
      env: {
        GUARDRAIL_EXT_PROC_PORT: '0',
        GUARDRAIL_EXT_PROC_TLS_CERT_FILE: join(folder, 'tls.crt'),
        GUARDRAIL_EXT_PROC_TLS_KEY_FILE: join(folder, 'tls.key'),
        GUARDRAIL_EXT_PROC_TLS_CLIENT_CA_FILE: join(folder, 'ca.crt'),
      },
    });
  });
  after(async () => {
    await harness.stop();
    rmSync(folder, { recursive: true });
  });

  const kindFor = async (ca: string, client?: Certificates['client']): Promise<string> => {
    const channel = credentials.createSsl(
      Buffer.from(ca),
      client ? Buffer.from(client.key) : null,
      client ? Buffer.from(client.certificate) : null,
    );
    const envoy = new ModelEnvoy(harness.app.extProcPort ?? 0, channel);
    try {
      return (await envoy.call(GET, noContent)).kind;
    } finally {
      envoy.close();
    }
  };

  it('accept clients of the authority only', async () => {
    expect(await kindFor(first.ca, first.client)).to.equal('answer');
    expect(await kindFor(first.ca)).to.equal('error');
    expect(await kindFor(first.ca, issueCertificates().client)).to.equal('error');
  });

  it('let no client that never finishes its handshake hold up the end', async () => {
    const ending = await startHarness({
      env: {
        GUARDRAIL_EXT_PROC_PORT: '0',
        GUARDRAIL_EXT_PROC_TLS_CERT: first.server.certificate,
        GUARDRAIL_EXT_PROC_TLS_KEY: first.server.key,
      },
    });
    const socket = connect(ending.app.extProcPort ?? 0, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    try {
      expect(
        await withinTime(
          ending.app.drain().then(() => undefined),
          5000,
        ),
      ).to.equal(true);
    } finally {
      socket.destroy();
    }
  });

  it('are replaced without a restart when their files change', async () => {
    const second = issueCertificates();
    install(second);
    await eventually(async () => (await kindFor(second.ca, second.client)) === 'answer');
    expect(await kindFor(first.ca, first.client)).to.equal('error');
  });
});
