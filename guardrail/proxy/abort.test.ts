import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { listen } from '../http/http.ts';
import { createMemoryStore } from '../store/store.ts';
import { eventually } from '../testing/appHarness.ts';
import { chunk, rawClient } from '../testing/inlineHarness.ts';
import { createProxy } from './proxy.ts';
import { proxyOptions } from './testing/proxyOptions.ts';

describe('aborting the calls of the proxy', () => {
  it('ends streams with an error event, and calls without an answer with an error', async () => {
    let open = 0;
    const upstream = createServer((request, response) => {
      open += 1;
      response.once('close', () => (open -= 1));
      if (request.headers['x-stream'] === undefined) return;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('Hello'));
    });
    upstream.listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const store = createMemoryStore({ ttlMs: 60_000 });
    const url = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
    const proxy = createProxy(proxyOptions(url, store));
    const server = await listen(proxy.handle, { host: '127.0.0.1', port: 0 });
    const body = '{"messages":[]}';
    const post = (headers: string): string =>
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${headers}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const [streaming, waiting] = ['x-stream: 1\r\n', ''].map((headers) => {
      const client = rawClient(`http://127.0.0.1:${server.port}`);
      client.socket.write(post(headers));
      return client;
    });
    if (!streaming || !waiting) throw new Error('Two clients were started.');
    await eventually(() => open === 2 && streaming.text().includes('Hello'));

    proxy.abort();
    expect(await streaming.closed())
      .to.match(/Hello[^]*"code":"draining"/)
      .and.not.match(/\r\n0\r\n\r\n$/);
    await eventually(() => waiting.text().includes('"code":"draining"'));
    expect(waiting.text()).to.match(/^HTTP\/1\.1 503 /);
    await eventually(() => open === 0);
    waiting.socket.destroy();
    await Promise.all([server.close(0), proxy.close(), store.close()]);
    upstream.close();
  });
});
