import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { listen, type Listening } from './server.ts';

const ok = (request: IncomingMessage, response: ServerResponse): void => {
  request.resume();
  request.on('end', () => response.end('ok'));
};

describe('listening', () => {
  let server: Listening;
  before(async () => {
    server = await listen(ok, { host: '127.0.0.1', port: 0, headersTimeoutMs: 200, requestTimeoutMs: 400 });
  });
  after(() => server.close(0));

  /** Sends a part of a request only. @returns everything received until the connection ends. */
  async function stall(bytes: string): Promise<string> {
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write(bytes);
    await once(socket, 'close');
    return text;
  }

  it('refuses a call with two hosts with 400, and closes its connection', async () => {
    const text = await stall('GET / HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n');
    expect(text)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.include('"invalid_http"');
  });

  const STALLED: [what: string, bytes: string][] = [
    ['headers that never end', 'POST / HTTP/1.1\r\nhost: x\r\n'],
    ['a body that never arrives', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n'],
    ['a body that never ends', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab'],
  ];
  for (const [what, bytes] of STALLED) {
    it(`closes the connection of a client with ${what}, with 408`, async () => {
      const text = await stall(bytes);
      expect(text).to.match(/^HTTP\/1\.1 408 /);
      expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).to.have.nested.property('error.code', 'request_timeout');
    });
  }

  it('explains in one sentence why it cannot listen', async () => {
    const problems = [
      [{ host: '127.0.0.1', port: server.port }, /^Port \d+ is already in use: set GUARDRAIL_PORT/],
      [
        { host: '203.0.113.1', port: 0 },
        /^This machine does not have the address 203\.0\.113\.1: correct GUARDRAIL_HOST\.$/,
      ],
    ] as const;
    for (const [options, expected] of problems) {
      const message = await listen(ok, options).then(
        () => 'It listens.',
        (error: unknown) => (error as Error).message,
      );
      expect(message).to.match(expected);
    }
  });

  it('closes idle connections at once, and the others after the grace period', async () => {
    const closing = await listen(ok, { host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${closing.port}/`;
    await (await fetch(url)).text();
    const stuck = connect(closing.port, '127.0.0.1');
    stuck.on('error', () => undefined);
    await once(stuck, 'connect');
    stuck.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab');
    await (await fetch(url)).text();
    const ended = new Promise((resolve) => stuck.once('close', resolve));
    await closing.close(100);
    await ended;
  });
});
