import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { listen, type Listening } from './server.ts';

describe('pipelined calls', () => {
  let server: Listening;
  let running = 0;
  let most = 0;
  let handled = 0;

  beforeEach(async () => {
    [running, most, handled] = [0, 0, 0];
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      running += 1;
      most = Math.max(most, running);
      handled += 1;
      request.resume();
      setImmediate(() => {
        running -= 1;
        response.end(`<${request.url ?? ''}>`);
      });
    };
    server = await listen(handle, { host: '127.0.0.1', port: 0 });
  });
  afterEach(() => server.close(0));

  /** Sends several calls at once. @returns everything received until the connection ends. */
  async function send(paths: readonly string[]): Promise<string> {
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    const body = 'x'.repeat(100);
    const calls = paths.map((path, at) => {
      const close = at === paths.length - 1 ? 'connection: close\r\n' : '';
      return `POST ${path} HTTP/1.1\r\nhost: x\r\n${close}content-length: ${body.length}\r\n\r\n${body}`;
    });
    socket.write(calls.join(''));
    await once(socket, 'close');
    return text;
  }
  const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `/${at}`);
  const answers = (text: string): string[] => text.match(/(?<=<)\/\d+(?=>)/g) ?? [];

  it('are handled one after the other, in order', async () => {
    expect(answers(await send(paths(30)))).to.deep.equal(paths(30));
    expect(most).to.equal(1);
  });

  it('are refused above the limit, and the connection is closed', async () => {
    const text = await send(paths(2_000));
    const count = answers(text).length;
    expect(count).to.be.within(33, 500);
    expect(answers(text)).to.deep.equal(paths(count));
    expect(handled).to.equal(count);
    expect(text.match(/HTTP\/1\.1 429 /g)).to.have.length(1);
    expect(text.slice(text.indexOf('HTTP/1.1 429'))).to.match(/connection: close[^]*"code":"overloaded"/i);
  });

  it('do not delay the calls of another connection', async () => {
    const first = send(paths(30));
    expect(answers(await send(['/7']))).to.deep.equal(['/7']);
    expect(answers(await first)).to.have.length(30);
  });
});
