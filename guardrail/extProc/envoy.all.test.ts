/** The external processor on a real Envoy, with the configuration of hack/samples/envoy. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import { parse } from 'yaml';
import { startEnvoy, type Envoy } from '../../hack/harness/envoy.ts';
import { freePort, portInUse, startProcess, temporaryFolder, waitUntilReady } from '../../hack/harness/processes.ts';
import { eventually, HARNESS_ENV, PLANTED, startHarness, type Harness } from '../testing/appHarness.ts';
import { issueCertificates } from '../testing/certificates.ts';
import { chunk, completion, echo, type Received, type Script } from '../testing/inlineHarness.ts';

const SAMPLE = readFileSync(join(import.meta.dirname, '../../hack/samples/envoy/envoy.yaml'), 'utf8');
const MAIN = join(import.meta.dirname, '../main.ts');
const { email } = PLANTED;
const PSEUDONYM = /<EMAIL_ADDRESS_[A-Z0-9]+>/;
const MIB = 1024 * 1024;
const TOKEN = 'sk-of-a-client';

/** The parts of the sample that the tests change. */
interface Sample {
  readonly static_resources: {
    readonly listeners: readonly [
      {
        readonly address: { readonly socket_address: { port_value: number } };
        per_connection_buffer_limit_bytes?: number;
        readonly filter_chains: readonly [
          {
            readonly filters: readonly [
              { readonly typed_config: { readonly http_filters: readonly [{ readonly typed_config: ExtProcConfig }] } },
            ];
          },
        ];
      },
    ];
    readonly clusters: readonly Cluster[];
  };
}
interface ExtProcConfig {
  message_timeout: string;
  readonly processing_mode: { request_body_mode: string; response_body_mode: string };
}
interface Cluster {
  readonly name: string;
  per_connection_buffer_limit_bytes?: number;
  transport_socket?: object;
  readonly load_assignment: {
    readonly endpoints: readonly [
      {
        readonly lb_endpoints: readonly [
          { readonly endpoint: { readonly address: { readonly socket_address: { port_value: number } } } },
        ];
      },
    ];
  };
}

interface Ports {
  readonly guardrail: number;
  readonly gateway: number;
}

/** The sample with other ports. */
function sampleWith(port: number, ports: Ports, change: (sample: Sample, filter: ExtProcConfig) => void): Sample {
  const sample = parse(SAMPLE) as Sample;
  const { listeners, clusters } = sample.static_resources;
  listeners[0].address.socket_address.port_value = port;
  for (const cluster of clusters) {
    cluster.load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address.port_value =
      ports[cluster.name as keyof Ports];
  }
  change(sample, listeners[0].filter_chains[0].filters[0].typed_config.http_filters[0].typed_config);
  return sample;
}

/** A model behind Envoy, whose answers a test scripts. */
class Model {
  readonly received: Received[] = [];
  /** Calls whose connection was closed before their answer was complete. */
  aborted = 0;
  script: Script = echo;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers, rawHeaders } = request;
    response.once('close', () => {
      if (!response.writableFinished) this.aborted += 1;
    });
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return;
    }
    const one: Received = { method, url, headers, rawHeaders, body: Buffer.concat(parts).toString() };
    this.received.push(one);
    await this.script(response, one, request);
  }
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The connection ended before the answer was complete. */
  readonly isBroken: boolean;
}

interface Send {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Receives the answer when it has begun. */
  readonly onAnswer?: (response: IncomingMessage) => void;
}

/** Sends a request, and shows whether its answer is complete. */
async function send(url: string, { path = '/v1/chat/completions', method = 'POST', ...more }: Send): Promise<Reply> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...more.headers };
  const request = httpRequest(url + path, { method, headers, agent: false });
  request.end(more.body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  response.on('data', (part: Buffer) => parts.push(part));
  response.on('error', () => undefined);
  more.onAnswer?.(response);
  await once(response, 'close').catch(() => undefined);
  const { statusCode: status = 0, complete } = response;
  return { status, headers: response.headers, body: Buffer.concat(parts), isBroken: !complete };
}

const chat = (content: string, fields: object = {}): string =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...fields });

const streamedText = (body: Buffer): string =>
  [...body.toString().matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text).join('');

const MODES = [
  ['FULL_DUPLEX_STREAMED', 'FULL_DUPLEX_STREAMED'],
  ['BUFFERED', 'STREAMED'],
  ['BUFFERED', 'BUFFERED'],
] as const;

describe("Envoy's external processor on a real Envoy", function () {
  this.timeout(120_000);
  const model = new Model();
  let gateway = 0;
  before(async () => {
    gateway = await model.listen();
  });
  after(() => {
    model.close();
  });
  beforeEach(() => {
    model.script = echo;
    model.received.length = 0;
  });

  for (const [request, response] of MODES) {
    describe(`with a request body ${request} and an answer ${response}`, () => {
      let harness: Harness;
      let envoy: Envoy;
      before(async () => {
        harness = await startHarness({
          env: { GUARDRAIL_EXT_PROC_PORT: '0', GUARDRAIL_POLICY: 'entities: {CREDIT_CARD: block}' },
        });
        const ports = { guardrail: harness.app.extProcPort ?? 0, gateway };
        envoy = await startEnvoy((port) =>
          sampleWith(port, ports, ({ static_resources: { listeners, clusters } }, { processing_mode }) => {
            processing_mode.request_body_mode = request;
            processing_mode.response_body_mode = response;
            // Envoy refuses larger bodies where it keeps them.
            if (request === 'BUFFERED') {
              for (const one of [...listeners, ...clusters]) one.per_connection_buffer_limit_bytes = 16 * MIB;
            }
          }),
        );
      });
      after(async () => {
        await envoy.stop();
        await harness.stop();
      });

      it('replaces and restores a chat', async () => {
        const reply = await send(envoy.url, { body: chat(`Write to ${email}.`) });
        expect(reply).to.include({ status: 200, isBroken: false });
        expect(reply.body.toString()).to.equal(completion(`Write to ${email}.`));
        expect(reply.headers['x-session-id']).to.match(/^[0-9a-f]{32}$/);
        const [received] = model.received;
        expect(received?.body).to.match(PSEUDONYM).and.not.include(email);
        expect(received?.headers).to.include({ authorization: `Bearer ${TOKEN}`, 'accept-encoding': 'identity' });
        if (request === 'BUFFERED') {
          expect(received?.headers['content-length']).to.equal(String(Buffer.byteLength(received?.body ?? '')));
        }
      });

      it('restores a stream while it arrives', async () => {
        let proceed: () => void = () => undefined;
        model.script = async (answer, { body }) => {
          const [pseudonym = ''] = PSEUDONYM.exec(body) ?? [];
          answer.writeHead(200, { 'content-type': 'text/event-stream' });
          answer.write(chunk('Write to ') + chunk(pseudonym.slice(0, 9)));
          // Where Envoy keeps an answer, the client gets nothing before its end.
          if (response !== 'BUFFERED') await new Promise<void>((resolve) => (proceed = resolve));
          answer.end(`${chunk(pseudonym.slice(9))}${chunk('.', 'stop')}data: [DONE]\n\n`);
        };
        const reply = await send(envoy.url, {
          body: chat(email, { stream: true }),
          onAnswer: (answer) =>
            answer.once('data', () => {
              proceed();
            }),
        });
        expect(reply).to.include({ status: 200, isBroken: false });
        expect(streamedText(reply.body)).to.equal(`Write to ${email}.`);
        expect(reply.body.toString()).to.match(/data: \[DONE\]\n\n$/);
      });

      it('takes bodies of 5 MB both ways', async () => {
        const content = `Write to ${email}. ${'Lorem ipsum dolor sit amet. '.repeat((5 * MIB) / 28)}`;
        const reply = await send(envoy.url, { body: chat(content) });
        expect(reply.status).to.equal(200);
        expect(reply.body.toString()).to.equal(completion(content));
        expect(model.received[0]?.body).to.match(PSEUDONYM).and.not.include(email);
      });

      for (const [name, encode] of [
        ['gzip', gzipSync],
        ['br', brotliCompressSync],
        ['zstd', zstdCompressSync],
      ] as const) {
        it(`decodes bodies with ${name} both ways`, async () => {
          model.script = (answer, { body }) => {
            const [pseudonym = ''] = PSEUDONYM.exec(body) ?? [];
            const bytes = encode(completion(`It is ${pseudonym}`));
            const headers = { 'content-encoding': name, 'content-length': bytes.length };
            answer.writeHead(200, { 'content-type': 'application/json', ...headers }).end(bytes);
          };
          const reply = await send(envoy.url, { headers: { 'content-encoding': name }, body: encode(chat(email)) });
          expect(reply).to.include({ status: 200, isBroken: false });
          expect(reply.headers).to.not.include.keys('content-encoding');
          expect(reply.body.toString()).to.equal(completion(`It is ${email}`));
          expect(model.received[0]?.headers).to.not.include.keys('content-encoding');
        });
      }

      it('refuses a block in the format of the API, before a stream begins', async () => {
        for (const [path, field] of [
          ['/v1/chat/completions', 'error.code'],
          ['/v1/messages', 'error.code'],
        ] as const) {
          const reply = await send(envoy.url, { path, body: chat(`Pay with ${PLANTED.card}`, { stream: true }) });
          expect(reply).to.include({ status: 400, isBroken: false });
          expect(reply.headers['content-type']).to.equal('application/json; charset=utf-8');
          expect(JSON.parse(reply.body.toString())).to.have.nested.property(field, 'guardrail_blocked');
        }
        expect(model.received).to.deep.equal([]);
      });

      it('refuses unknown and administrative paths', async () => {
        for (const [path, code] of [
          ['/v1/unknown', 'unknown_route'],
          ['/key/generate', 'admin_route'],
        ] as const) {
          const reply = await send(envoy.url, { path, body: '{}' });
          expect(reply.status).to.equal(404);
          expect(JSON.parse(reply.body.toString())).to.have.nested.property('error.code', code);
        }
        expect(model.received).to.deep.equal([]);
      });

      it('replaces a value in a query', async () => {
        model.script = (answer) => answer.writeHead(204).end();
        await send(envoy.url, { method: 'GET', path: `/v1/models?who=${email}` });
        await send(envoy.url, { path: `/v1/chat/completions?who=${email}`, body: chat('Hello') });
        expect(model.received).to.have.length(2);
        for (const { url } of model.received) expect(decodeURIComponent(url)).to.match(/\?who=<EMAIL_ADDRESS_\w+>$/);
      });

      it('gives two tokens two mappings', async () => {
        await send(envoy.url, { body: chat(email) });
        const [pseudonym = ''] = PSEUDONYM.exec(model.received[0]?.body ?? '') ?? [];
        expect(pseudonym).to.not.equal('');
        model.script = (answer) =>
          answer.writeHead(200, { 'content-type': 'application/json' }).end(completion(`It is ${pseudonym}`));
        const other = await send(envoy.url, { headers: { authorization: 'Bearer other' }, body: chat('Who is it?') });
        expect(other.body.toString()).to.equal(completion(`It is ${pseudonym}`));
      });

      it('lets calls and answers without bodies, and errors of the gateway, pass', async () => {
        model.script = (answer, { url }) => {
          if (url === '/v1/models') answer.writeHead(204).end();
          else answer.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"No key."}}');
        };
        expect((await send(envoy.url, { method: 'GET', path: '/v1/models' })).status).to.equal(204);
        const refused = await send(envoy.url, { body: chat('Hello') });
        expect([refused.status, refused.body.toString()]).to.deep.equal([401, '{"error":{"message":"No key."}}']);
      });

      it('never lets an answer pass that it cannot read', async () => {
        model.script = (answer) =>
          answer.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{"message":"<EMAIL_ADDRESS_A');
        const reply = await send(envoy.url, { body: chat(email) });
        expect(reply.body.toString()).to.not.include('<EMAIL_ADDRESS_A');
        // In the mode STREAMED, the answer has begun, and the guardrail can only end the stream with an error.
        if (response === 'STREAMED') expect(reply.isBroken || reply.status === 500).to.equal(true);
        else expect(reply.status).to.equal(502);
      });

      it('ends the call to the gateway when the client disconnects', async () => {
        const before = model.aborted;
        model.script = (answer) => {
          answer.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('Hello. '));
        };
        const request = httpRequest(`${envoy.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          agent: false,
        });
        request.on('error', () => undefined);
        request.end(chat('Hello', { stream: true }));
        await eventually(() => model.received.length === 1);
        request.destroy();
        await eventually(() => model.aborted === before + 1);
      });
    });
  }

  /** Runs the guardrail as a process of its own. */
  async function startGuardrail(port: number) {
    const folder = temporaryFolder('ext-proc-');
    const child = await startProcess({
      name: 'The guardrail',
      command: process.execPath,
      args: [MAIN],
      env: { PATH: process.env.PATH, ...HARNESS_ENV, GUARDRAIL_EXT_PROC_PORT: String(port) },
      logFile: join(folder, 'log'),
    });
    await waitUntilReady(child, () => portInUse(port), 60_000);
    return child;
  }

  for (const [request, response] of MODES) {
    it(`fails calls when the guardrail dies, with ${request} and ${response}`, async () => {
      const port = await freePort();
      const guardrail = await startGuardrail(port);
      const envoy = await startEnvoy((listener) =>
        sampleWith(listener, { guardrail: port, gateway }, (_, { processing_mode }) => {
          processing_mode.request_body_mode = request;
          processing_mode.response_body_mode = response;
        }),
      );
      try {
        let pseudonym = '';
        let rest: () => void = () => undefined;
        model.script = (answer, { body }) => {
          [pseudonym = ''] = PSEUDONYM.exec(body) ?? [];
          answer.writeHead(200, { 'content-type': 'text/event-stream' });
          answer.write(chunk('It is ') + chunk(pseudonym.slice(0, 9)));
          rest = () => {
            answer.end(`${chunk(pseudonym.slice(9))}${chunk('', 'stop')}data: [DONE]\n\n`);
          };
        };
        const sending = send(envoy.url, { body: chat(email, { stream: true }) });
        await eventually(() => pseudonym !== '');
        await guardrail.kill();
        rest();
        const reply = await sending;
        if (reply.status === 200) expect(reply.isBroken).to.equal(true);
        else expect(reply.status).to.equal(500);
        expect(reply.body.toString()).to.not.include(pseudonym.slice(9)).and.not.include('[DONE]');
        // Without a guardrail, nothing reaches the gateway.
        model.received.length = 0;
        expect((await send(envoy.url, { body: chat(email) })).status).to.equal(500);
        expect(model.received).to.deep.equal([]);
      } finally {
        await envoy.stop();
        await guardrail.kill();
      }
    });
  }

  it('refuses a mode in which it would miss bodies, and says which option to set', async () => {
    const harness = await startHarness({ env: { GUARDRAIL_EXT_PROC_PORT: '0' } });
    const ports = { guardrail: harness.app.extProcPort ?? 0, gateway };
    const envoy = await startEnvoy((port) =>
      sampleWith(port, ports, (_, { processing_mode }) => {
        processing_mode.response_body_mode = 'NONE';
      }),
    );
    try {
      const reply = await send(envoy.url, { body: chat(email) });
      expect(reply.status).to.equal(502);
      expect(reply.body.toString()).to.include('processing_mode.response_body_mode');
      expect(model.received).to.deep.equal([]);
    } finally {
      await envoy.stop();
      await harness.stop();
    }
  });

  it('serves Envoy over mutual TLS, and nobody without a certificate', async () => {
    const folder = temporaryFolder('ext-proc-');
    const { ca, server, client } = issueCertificates();
    const file = (name: string, text: string): { filename: string } => {
      const filename = join(folder, name);
      writeFileSync(filename, text);
      return { filename };
    };
    const harness = await startHarness({
      env: {
        GUARDRAIL_EXT_PROC_PORT: '0',
        GUARDRAIL_EXT_PROC_TLS_CERT: server.certificate,
        GUARDRAIL_EXT_PROC_TLS_KEY: server.key,
        GUARDRAIL_EXT_PROC_TLS_CLIENT_CA: ca,
      },
    });
    const ports = { guardrail: harness.app.extProcPort ?? 0, gateway };
    const start = (certificates: readonly object[]): Promise<Envoy> =>
      startEnvoy((port) =>
        sampleWith(port, ports, ({ static_resources: { clusters } }) => {
          for (const cluster of clusters.filter(({ name }) => name === 'guardrail')) {
            cluster.transport_socket = {
              name: 'envoy.transport_sockets.tls',
              typed_config: {
                '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
                common_tls_context: {
                  alpn_protocols: ['h2'],
                  tls_certificates: certificates,
                  validation_context: { trusted_ca: file('ca.crt', ca) },
                },
              },
            };
          }
        }),
      );
    const key = { certificate_chain: file('tls.crt', client.certificate), private_key: file('tls.key', client.key) };
    const [known, unknown] = await Promise.all([start([key]), start([])]);
    try {
      const reply = await send(known.url, { body: chat(email) });
      expect([reply.status, reply.body.toString()]).to.deep.equal([200, completion(email)]);
      model.received.length = 0;
      expect((await send(unknown.url, { body: chat(email) })).status).to.equal(500);
      expect(model.received).to.deep.equal([]);
    } finally {
      await Promise.all([known.stop(), unknown.stop()]);
      await harness.stop();
    }
  });
});
