import { once } from 'node:events';
import { setImmediate as immediate } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually, PLANTED } from '../testing/appHarness.ts';
import { createGuard } from '../pseudonymization/pseudonymization.ts';
import {
  chunk,
  completion,
  echo,
  rawClient,
  startInline,
  TOKEN,
  type Inline,
  type RawClient,
} from '../testing/inlineHarness.ts';

const { email } = PLANTED;
const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

const chatBytes = (content: string, path = '/v1/chat/completions'): string => {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }] });
  return `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

describe('the flow of data through the inline proxy', () => {
  let inline: Inline;
  /** Resolves when the store may answer. */
  let store: Promise<void> = Promise.resolve();
  let writes = 0;
  const gone = (): number => inline.logs.filter((line) => line.includes('"error":"client_gone"')).length;
  before(async () => {
    inline = await startInline({
      env: { GUARDRAIL_PROXY_UNKNOWN: 'pass' },
      guard: (options) =>
        createGuard({
          ...options,
          store: {
            ...options.store,
            put: async (entry) => {
              writes += 1;
              await store;
              return options.store.put(entry);
            },
          },
        }),
    });
  });
  after(() => inline.stop());

  /** The process of the proxy is this one: before it answers, it has read what its sockets had. */
  const roundTrip = (): Promise<unknown> => inline.call('GET', '/healthz');
  /** Ends a connection, and waits until the proxy knows it. */
  const leave = async (client: RawClient): Promise<void> => {
    client.socket.destroy();
    await client.closed();
    await roundTrip();
  };
  beforeEach(() => {
    inline.received.length = 0;
    inline.aborted.length = 0;
  });

  for (const [what, path, type] of [
    ['a restored stream', '/v1/chat/completions', 'text/event-stream'],
    ['an answer that passes', '/v1/unheard-of', 'application/octet-stream'],
  ] as const) {
    it(`makes the upstream wait for a client that does not read ${what}`, async function () {
      this.timeout(30_000);
      const event = chunk('x'.repeat(16 * 1024));
      let sent = 0;
      let isFull = false;
      inline.script(async (response) => {
        response.writeHead(200, { 'content-type': type });
        while (sent < 256 << 20 && !response.destroyed) {
          sent += event.length;
          if (response.write(event)) continue;
          const drained = await Promise.race([
            once(response, 'drain').then(() => true),
            new Promise<false>((resolve) =>
              // A proxy that reads on makes room at once. A busy machine can only end this early, and then too little was sent.
              setTimeout(() => {
                resolve(false);
              }, 500),
            ),
          ]);
          if (drained) continue;
          isFull = true;
          return;
        }
      });
      const client = rawClient(inline.proxyUrl);
      client.socket.pause();
      client.socket.write(chatBytes('Hi', path));
      await eventually(() => isFull, 20_000);
      // What the four sockets hold, and two small buffers of the proxy.
      expect(sent).to.be.below(32 << 20);
      client.socket.destroy();
      await eventually(() => inline.aborted.length === 1);
    });
  }

  it('streams a request that passes', async () => {
    let received = 0;
    let isComplete = false;
    inline.script((response, _, request) => {
      request.on('data', (part: Buffer) => (received += part.length));
      request.on('end', () => {
        isComplete = true;
        response.end('ok');
      });
    }, true);
    const client = rawClient(inline.proxyUrl);
    client.socket.write(`POST /v1/unheard-of HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    await eventually(() => received === 5);
    expect(isComplete).to.equal(false);
    client.socket.write('0\r\n\r\n');
    await eventually(() => client.text().includes('ok'));
    client.socket.destroy();
    inline.script(echo);
  });

  it('sends each event of a stream at once', async () => {
    let send: (text: string) => void = () => undefined;
    inline.script((response) => {
      response.writeHead(200, EVENTS).flushHeaders();
      send = (text) => response.write(text);
    });
    const client = rawClient(inline.proxyUrl);
    client.socket.write(chatBytes('Hi'));
    await eventually(() => client.text().includes('text/event-stream'));
    for (const word of ['one ', 'two ', 'three ']) {
      send(chunk(word));
      await eventually(() => client.text().includes(word));
    }
    client.socket.destroy();
    await eventually(() => inline.aborted.length === 1);
  });

  it('sends the head of a stream even if its first event is held back', async () => {
    inline.script((response) => response.writeHead(200, EVENTS).write(chunk('<EMAIL')));
    const client = rawClient(inline.proxyUrl);
    client.socket.write(chatBytes('Hi'));
    await eventually(() => client.text().includes('text/event-stream'));
    expect(client.text()).to.not.include('EMAIL');
    client.socket.destroy();
    await eventually(() => inline.aborted.length === 1);
  });

  /** When the client leaves: what the upstream has sent, and what the client has received by then. */
  const ABORTED: [when: string, path: string, headers: object, sent: string, received: string][] = [
    ['before the answer begins', '/v1/chat/completions', {}, '', ''],
    ['within a stream', '/v1/chat/completions', EVENTS, chunk('Hi'), 'Hi'],
    ['within an answer that is read as a whole', '/v1/chat/completions', JSON_TYPE, '{"a":', ''],
    ['within an answer that passes', '/v1/unheard-of', {}, 'x', 'x\r\n'],
  ];
  for (const [when, path, headers, sent, received] of ABORTED) {
    it(`ends the request to the upstream if the client leaves ${when}`, async () => {
      let isSent = sent === '';
      inline.script((response) => {
        if (sent === '') return;
        response.writeHead(200, { ...headers }).write(sent, () => (isSent = true));
      });
      const before = gone();
      const client = rawClient(inline.proxyUrl);
      client.socket.write(chatBytes('Hi', path));
      await eventually(() => inline.received.length === 1 && isSent && client.text().includes(received));
      client.socket.destroy();
      await eventually(() => inline.aborted.length === 1 && gone() === before + 1);
    });
  }

  for (const [what, status, headers] of [
    ['leads to another server', 307, { location: 'http://other.example.com/' }],
    ['cannot be decoded', 200, { ...EVENTS, 'content-encoding': 'compress' }],
  ] as const) {
    it(`ends an answer of the upstream that ${what}`, async () => {
      inline.script((response) => {
        response.writeHead(status, headers).write(chunk('Hello'));
      });
      const client = rawClient(inline.proxyUrl);
      client.socket.write(chatBytes('Hi'));
      await eventually(() => inline.aborted.length === 1);
      client.socket.destroy();
    });
  }

  it('sends nothing to the upstream if the client leaves while the store is asked', async () => {
    let answer: () => void = () => undefined;
    store = new Promise((resolve) => {
      answer = resolve;
    });
    inline.script(echo);
    const [askedBefore, goneBefore] = [writes, gone()];
    const client = rawClient(inline.proxyUrl);
    client.socket.write(chatBytes(`Write to ${email}`));
    await eventually(() => writes > askedBefore);
    await leave(client);
    answer();
    await eventually(() => gone() > goneBefore);
    expect(inline.received).to.deep.equal([]);
  });

  it('sends nothing to the upstream if the client leaves within its request', async () => {
    const client = rawClient(inline.proxyUrl);
    await new Promise((resolve) => client.socket.write(chatBytes('Hi').slice(0, -5), resolve));
    await roundTrip();
    await leave(client);
    expect(inline.received).to.deep.equal([]);
  });

  it('uses connections to the upstream again', async () => {
    const ports = new Set<number | undefined>();
    inline.script((response, received, request) => {
      ports.add(request.socket.remotePort);
      echo(response, received, request);
    });
    for (let n = 0; n < 10; n += 1) await (await inline.chat('Hello')).text();
    expect(ports.size).to.be.below(3);
  });

  it('carries many streams at the same time', async function () {
    this.timeout(30_000);
    inline.script(echo);
    const texts = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const ask = (): Promise<Response> => inline.chat(`Number ${n}: ${email}`, { stream: true });
        let response = await ask();
        // On a busy machine, admission refuses some of them for a moment.
        while (response.status === 503) response = await ask();
        return [...(await response.text()).matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join('');
      }),
    );
    expect(texts).to.deep.equal(Array.from({ length: 50 }, (_, n) => `Number ${n}: ${email}`));
  });
});

describe('draining the inline proxy', () => {
  it('finishes running streams, and refuses new calls in the format of the API', async () => {
    const inline = await startInline();
    let finish: () => void = () => undefined;
    inline.script((response) => {
      response.writeHead(200, EVENTS).write(chunk('Hello '));
      finish = () => response.end(chunk('there', 'stop'));
    });
    const client = rawClient(inline.proxyUrl);
    client.socket.write(chatBytes('Hi'));
    await eventually(() => client.text().includes('Hello'));
    const idle = rawClient(inline.proxyUrl);
    await once(idle.socket, 'connect');
    const stopped = inline.stop();
    idle.socket.write(chatBytes('Hi'));
    await eventually(() => idle.text().includes('"code":"draining"'));
    expect(idle.text())
      .to.match(/^HTTP\/1\.1 503 /)
      .and.match(/connection: close/i);
    finish();
    expect(await stopped).to.equal(true);

    expect(await client.closed()).to.match(/there[^]*\r\n0\r\n\r\n$/);
  });

  it('winds down: answers, and asks clients to connect elsewhere', async () => {
    const inline = await startInline({ times: { quietMs: 100 } });
    inline.script((response) => response.writeHead(200, JSON_TYPE).end(completion('Hi')));
    const down = inline.app.windDown();
    const client = rawClient(inline.proxyUrl);
    client.socket.write(chatBytes('Hi'));
    expect(await client.closed())
      .to.match(/^HTTP\/1\.1 200 /)
      .and.match(/connection: close/i);
    await down;
    await inline.stop();
  });

  it('winds down on a busy machine: answers a call that arrived while the process did not run', async () => {
    const windDownMs = 300;
    const inline = await startInline({ times: { quietMs: windDownMs / 4, windDownMs } });
    inline.script((response) => response.writeHead(200, JSON_TYPE).end(completion('Hi')));
    const client = rawClient(inline.proxyUrl);
    client.socket.write(chatBytes('Hi'));
    await eventually(() => client.text().endsWith(completion('Hi')));
    const drained = inline.app.windDown().then(() => inline.app.drain());
    // After an immediate, the event loop runs due timers before it reads from connections.
    await immediate();
    client.socket.write(chatBytes('Hi'));
    const stalledUntil = performance.now() + 1.2 * windDownMs;
    while (performance.now() < stalledUntil);
    expect(await client.closed())
      .to.match(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 200 /)
      .and.match(/connection: close/i);
    await drained;
    await inline.stop();
  });
});
