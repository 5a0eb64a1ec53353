import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect } from 'chai';
import { openPki } from '../../hack/harness/controlplane/certificates.ts';
import { PLANTED, startHarness, type Harness } from '../testing/appHarness.ts';
import { chunk, completion, TOKEN } from '../testing/inlineHarness.ts';

const { email } = PLANTED;

describe('the inline proxy before an upstream with TLS', function () {
  this.timeout(30_000);
  const trusted = getCACertificates('default');
  const received: string[] = [];
  let folder: string;
  let ca: string;
  let server: Server;
  let harness: Harness;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guardrail-tls-'));
    const pki = openPki(folder);
    ca = readFileSync(pki.caCertificate, 'utf8');
    const certificate = { cert: readFileSync(pki.serverCertificate), key: readFileSync(pki.serverKey) };
    server = createServer(certificate, (request, response) => {
      void textOf(request).then((text) => {
        received.push(text);
        const { messages, stream } = JSON.parse(text) as { messages: [{ content: string }]; stream?: boolean };
        const [{ content }] = messages;
        if (stream) {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (const piece of content.match(/.{1,3}/gsu) ?? []) response.write(chunk(piece));
          response.end(`${chunk('', 'stop')}data: [DONE]\n\n`);
        } else {
          response.writeHead(200, { 'content-type': 'application/json' }).end(completion(content));
        }
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    harness = await startHarness({
      env: { GUARDRAIL_PROXY_UPSTREAM: `https://127.0.0.1:${port}`, GUARDRAIL_PROXY_PORT: '0' },
    });
  });
  after(async () => {
    setDefaultCACertificates(trusted);
    await harness.stop();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    received.length = 0;
    setDefaultCACertificates(trusted);
  });

  const chat = (fields: object = {}): Promise<Response> =>
    fetch(`${harness.proxyUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: `Mail ${email}.` }], ...fields }),
    });

  it('sends nothing to an upstream whose certificate authority it does not trust', async () => {
    const response = await chat();
    expect([response.status, await response.text()].join(' ')).to.match(/^502 .*"code":"upstream_failed"/);
    expect(received).to.deep.equal([]);
  });

  it('forwards calls to an upstream whose certificate authority it trusts', async () => {
    // As NODE_EXTRA_CA_CERTS does, which the operator sets.
    setDefaultCACertificates([...trusted, ca]);
    const response = await chat();
    expect(response.status).to.equal(200);
    expect(await response.text()).to.include(`Mail ${email}.`);
    const events = await (await chat({ stream: true })).text();
    const content = [...events.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => {
      const { choices } = JSON.parse(data) as { choices: [{ delta: { content?: string } }] };
      return choices[0].delta.content ?? '';
    });
    expect(content.join('')).to.equal(`Mail ${email}.`);
    expect(received).to.have.length(2);
    for (const text of received) expect(text).to.match(/Mail <EMAIL_ADDRESS_/);
  });
});
