import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Finding } from '../detection/detection.ts';
import { createAdmission } from '../http/http.ts';
import { createMemoryStore } from '../store/store.ts';
import { eventually } from '../testing/appHarness.ts';
import { completion, rawClient, type RawClient } from '../testing/inlineHarness.ts';
import { createProxy } from './proxy.ts';
import { proxyOptions } from './testing/proxyOptions.ts';

const MAX_BYTES = 100_000;

async function serve(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Sends a chat whose credentials and text have a name. */
function send(url: string, name: string): RawClient {
  const client = rawClient(url);
  const body = JSON.stringify({ messages: [{ role: 'user', content: `text of ${name}` }] });
  client.socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${name}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return client;
}

describe('the queue of the inline proxy', () => {
  it('drops the call of a client that leaves while it waits, and serves the others', async () => {
    const received: string[] = [];
    const upstream = await serve((request, response) => {
      void textOf(request).then((text) => {
        received.push(/text of \w+/.exec(text)?.[0] ?? text);
        response.writeHead(200, { 'content-type': 'application/json' }).end(completion('Hello'));
      });
    });
    const analyzed: string[] = [];
    const released = Promise.withResolvers<undefined>();
    const analyze = async (texts: readonly string[]): Promise<Finding[][]> => {
      analyzed.push(...texts.filter((text) => text.startsWith('text of')));
      await released.promise;
      return texts.map(() => []);
    };
    const admission = createAdmission({ maxRunning: 1, maxWaiting: 4, maxWaitMs: 60_000, maxBytes: MAX_BYTES });
    const takeSlot = admission.takeSlot.bind(admission);
    let asked = 0;
    Object.defineProperty(admission, 'takeSlot', {
      value: (context: Parameters<typeof takeSlot>[0]) => {
        asked += 1;
        return takeSlot(context);
      },
    });
    const logs: { readonly status?: number; readonly error?: string }[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void logs.push(JSON.parse(line) as object) });
    const store = createMemoryStore({ ttlMs: 60_000 });
    const proxy = createProxy(proxyOptions(new URL(upstream.url), store, { admission, logger }, analyze));
    let closed = 0;
    const front = await serve((request, response) => {
      response.once('close', () => (closed += 1));
      proxy.handle(request, response);
    });
    try {
      const running = send(front.url, 'running');
      await eventually(() => analyzed.length === 1);
      const leaving = send(front.url, 'leaving');
      await eventually(() => asked === 2);
      const staying = send(front.url, 'staying');
      await eventually(() => asked === 3);

      leaving.socket.destroy();
      await eventually(() => closed === 1);
      expect(analyzed, 'only one call runs at a time').to.deep.equal(['text of running']);
      released.resolve(undefined);
      await eventually(() => [running, staying].every((client) => client.text().includes('Hello')));
      for (const client of [running, staying]) expect(client.text()).to.match(/^HTTP\/1\.1 200 /);
      expect(received).to.have.members(['text of running', 'text of staying']);
      expect(analyzed).to.deep.equal(['text of running', 'text of staying']);
      expect(leaving.text()).to.equal('');

      // Everything that the call held is free again: a drain does not wait for it.
      await admission.drain();
      expect(logs.map(({ status }) => status)).to.have.members([200, 200, 499]);
      for (const client of [running, staying]) client.socket.destroy();
    } finally {
      await Promise.all([proxy.close(), store.close()]);
      for (const { server } of [front, upstream]) {
        server.closeAllConnections();
        server.close();
      }
    }
  });
});
