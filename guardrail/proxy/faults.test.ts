import { setImmediate as nextIteration } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { eventually, PLANTED } from '../testing/appHarness.ts';
import { guardWithFailingStore } from '../testing/failingStore.ts';
import {
  chunk,
  completion,
  echo,
  rawClient,
  startInline,
  TOKEN,
  type Inline,
  type RawClient,
  type Script,
} from '../testing/inlineHarness.ts';

const { email } = PLANTED;
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const TIMEOUTS = { connect: 300, headers: 200, body: 200 };

/** A request as bytes, so that the end of the connection can be seen. */
function chatBytes(content: string): string {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }] });
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

describe('the inline proxy before a faulty upstream', () => {
  let inline: Inline;
  /** For upstreams that stall: with others, a busy machine can exceed its short time limits. */
  let impatient: Inline;
  const proxyFor = (code: string): Inline => (code === 'upstream_timeout' ? impatient : inline);
  let isStoreDown = false;
  before(async () => {
    const env = { GUARDRAIL_MAX_BODY: '1MiB', GUARDRAIL_PROXY_UNKNOWN: 'pass' };
    inline = await startInline({ env, guard: (options) => guardWithFailingStore(options, () => isStoreDown) });
    impatient = await startInline({ env, upstreamTimeouts: TIMEOUTS });
  });
  after(() => Promise.all([inline.stop(), impatient.stop()]));
  afterEach(() => {
    isStoreDown = false;
  });

  /** The client of a stream. */
  let client: RawClient;
  /** Waits until the client of a stream has received a text. */
  const shown = (text: string): Promise<void> => eventually(() => client.text().includes(text));

  /** What the upstream does instead of answering; the answer of the proxy. */
  const WHOLE: [what: string, script: Script, status: number, code: string, isUnread?: boolean][] = [
    ['resets the connection before an answer', (response) => response.destroy(), 502, 'upstream_failed'],
    ['resets the connection before it has read', (response) => response.destroy(), 502, 'upstream_failed', true],
    ['never answers', () => undefined, 504, 'upstream_timeout'],
    [
      'ends in the middle of the head',
      (response) => response.socket?.end('HTTP/1.1 200 OK\r\ncontent-ty'),
      502,
      'upstream_failed',
    ],
    ['does not speak HTTP', (response) => response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n'), 502, 'upstream_failed'],
    [
      'ends before the length that it declares',
      (response) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': 1000 });
        response.write(completion('Hello'), () => response.destroy());
      },
      502,
      'upstream_failed',
    ],
    [
      'half-closes within a chunked answer',
      (response) => {
        response.writeHead(200, JSON_TYPE);
        response.write(completion('Hello').slice(0, 50), () => response.socket?.end());
      },
      502,
      'upstream_failed',
    ],
    [
      'stalls within an answer',
      (response) => response.writeHead(200, JSON_TYPE).write(completion('Hello').slice(0, 50)),
      504,
      'upstream_timeout',
    ],
    [
      'declares an answer that is too large',
      (response) => response.writeHead(200, { ...JSON_TYPE, 'content-length': 100_000_000 }).write('{'),
      502,
      'answer_too_large',
    ],
    [
      'sends 100 MB',
      async (response) => {
        response.writeHead(200, JSON_TYPE);
        for (let n = 0; n < 1600 && !response.destroyed; n += 1) {
          await new Promise((resolve) => response.write(Buffer.alloc(64 * 1024, 0x20), resolve));
        }
        response.end();
      },
      502,
      'answer_too_large',
    ],
    [
      'sends a bomb',
      (response) =>
        response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 << 20))),
      502,
      'answer_too_large',
    ],
    [
      'sends a body that is not in its encoding',
      (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(completion('Hello')),
      502,
      'answer_unreadable',
    ],
    [
      'sends a part of a compressed body',
      (response) =>
        response
          .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
          .end(gzipSync(completion('Hello')).subarray(0, -9)),
      502,
      'answer_unreadable',
    ],
    [
      'sends an unknown encoding',
      (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'compress' }).end('x'),
      502,
      'answer_unreadable',
    ],
    [
      'sends invalid UTF-8',
      (response) => response.writeHead(200, JSON_TYPE).end(Buffer.from('{"a":"\xff"}', 'latin1')),
      502,
      'answer_unreadable',
    ],
    ['sends invalid JSON', (response) => response.writeHead(200, JSON_TYPE).end('{"a":'), 502, 'answer_unreadable'],
    [
      'redirects to another server',
      (response) => response.writeHead(307, { location: 'https://other.example/v1/chat/completions' }).end(),
      502,
      'redirect_refused',
    ],
  ];
  for (const [what, script, status, code, isUnread] of WHOLE) {
    it(`answers ${status} ${code} if it ${what}`, async () => {
      const proxy = proxyFor(code);
      proxy.script(script, isUnread);
      const response = await proxy.chat(`Write to ${email}`);
      const { error } = (await response.json()) as { error: { code: string } };
      expect([response.status, error.code]).to.deep.equal([status, code]);
      proxy.script(echo);
      await eventually(async () => (await proxy.chat('Still there?')).status === 200);
    });
  }

  it('restores an answer that comes in single characters', async () => {
    inline.script(async (response) => {
      response.writeHead(200, JSON_TYPE);
      for (const character of completion('Hi')) {
        response.write(character);
        await nextIteration();
      }
      response.end();
    });
    expect(await (await inline.chat('Hello')).text()).to.equal(completion('Hi'));
  });

  it('relays an answer that comes before the request is read', async () => {
    inline.script(
      (response) => response.writeHead(401, { ...JSON_TYPE, connection: 'close' }).end('{"error":{}}'),
      true,
    );
    const response = await inline.chat('x'.repeat(700_000));
    expect([response.status, await response.text()]).to.deep.equal([401, '{"error":{}}']);
  });

  for (const isUnread of [true, false]) {
    it(`answers a request that passes if the upstream ${isUnread ? 'refuses it early' : 'is gone'}`, async () => {
      const answer: Script = isUnread
        ? (response) => response.writeHead(401, JSON_TYPE).end('{}')
        : (response) => response.destroy();
      inline.script(answer, true);
      const client = rawClient(inline.proxyUrl);
      client.socket.write('POST /v1/unheard-of HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
      for (let n = 0; n < 50; n += 1) client.socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`);
      await eventually(() => client.text() !== '');
      expect(client.text()).to.match(isUnread ? /^HTTP\/1\.1 401 / : /^HTTP\/1\.1 502 /);
      client.socket.destroy();
    });
  }

  it('relays an empty answer', async () => {
    inline.script((response) => response.writeHead(500, JSON_TYPE).end());
    const response = await inline.chat('Hello');
    expect([response.status, await response.text()]).to.deep.equal([500, '']);
  });

  it('waits for the answer behind an interim one', async () => {
    inline.script((response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.writeHead(200, JSON_TYPE).end(completion('Hi'));
    });
    expect(await (await inline.chat('Hello')).text()).to.equal(completion('Hi'));
  });

  const BROKEN: [what: string, script: Script, code: string][] = [
    [
      'resets the connection',
      (response) => {
        response.writeHead(200, EVENTS).write(chunk('Hello'));
        return shown('Hello').then(() => response.destroy());
      },
      'upstream_failed',
    ],
    [
      'ends in the middle of an event',
      (response) => response.writeHead(200, EVENTS).end(chunk('Hello') + chunk('there').slice(0, 20)),
      'answer_unreadable',
    ],
    ['stalls', (response) => response.writeHead(200, EVENTS).write(chunk('Hello')), 'upstream_timeout'],
    [
      'sends invalid UTF-8',
      (response) => {
        response.writeHead(200, EVENTS).write(chunk('Hello'));
        return shown('Hello').then(() => response.end(Buffer.from('data: {"a":"\xff"}\n\n', 'latin1')));
      },
      'answer_unreadable',
    ],
    [
      'sends a compressed stream that breaks off',
      (response) => {
        response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' });
        const bytes = gzipSync(chunk('Hello') + chunk('x'.repeat(10)).repeat(2000));
        response.end(bytes.subarray(0, bytes.length - 100));
      },
      'answer_unreadable',
    ],
  ];
  for (const [what, script, code] of BROKEN) {
    it(`ends a stream with the event ${code} and a broken connection if the upstream ${what}`, async () => {
      proxyFor(code).script(script);
      client = rawClient(proxyFor(code).proxyUrl);
      client.socket.write(chatBytes(`Write to ${email}`));
      const text = await client.closed();
      expect(text)
        .to.match(/^HTTP\/1\.1 200 OK\r\n/)
        .and.include('Hello');
      expect(text).to.match(new RegExp(String.raw`\ndata: \{.*"code":"${code}"`));
      // The last chunk of a complete answer is empty.
      expect(text).to.not.match(/\r\n0\r\n\r\n$/);
    });
  }

  it('ends a stream with an event if the store is lost in its middle, and shows no pseudonym', async () => {
    await inline.chat(email);
    const [pseudonym = ''] = /<EMAIL_ADDRESS_\w+>/.exec(inline.received.at(-1)?.body ?? '') ?? [];
    inline.script((response) => {
      response.writeHead(200, EVENTS).write(chunk('Hello '));
      return shown('Hello').then(() => {
        isStoreDown = true;
        response.end(chunk(pseudonym) + chunk(' again', 'stop'));
      });
    });
    client = rawClient(inline.proxyUrl);
    client.socket.write(chatBytes('Hi'));
    const text = await client.closed();
    expect(text).to.include('Hello ').and.include('"code":"store_unavailable"').and.not.include('EMAIL_ADDRESS');
    expect(text).to.not.match(/\r\n0\r\n\r\n$/);
  });

  it('answers with an error if the store is lost before a stream begins', async () => {
    await inline.chat(email);
    const [pseudonym = ''] = /<EMAIL_ADDRESS_\w+>/.exec(inline.received.at(-1)?.body ?? '') ?? [];
    isStoreDown = true;
    inline.script((response) => response.writeHead(200, JSON_TYPE).end(completion(pseudonym)));
    const response = await inline.chat('Hi');
    expect([response.status, await response.text()].join(' ')).to.match(/^502 .*store_unavailable/);
  });

  it('breaks the connection of an answer without text that breaks off', async () => {
    let breakOff = (): unknown => undefined;
    inline.script((response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('abc');
      breakOff = () => response.destroy();
    });
    const response = await inline.chat('Hello');
    breakOff();
    const failed = await response.arrayBuffer().then(
      () => false,
      () => true,
    );
    expect(failed).to.equal(true);
  });

  it('counts what went wrong, and logs it without the call', async () => {
    inline.script((response) => response.destroy());
    await inline.chat(email);
    expect(await inline.metrics()).to.match(
      /guardrail_upstream_responses_total\{operation="chat\.completions",status="upstream_failed"\} [1-9]/,
    );
    await eventually(() => inline.logs.some((line) => line.includes('"error":"upstream_failed"')));
  });
});

describe('the inline proxy without an upstream', () => {
  it('answers 502, and stays ready', async () => {
    const inline = await startInline({ env: { GUARDRAIL_PROXY_UPSTREAM: 'http://127.0.0.1:1' } });
    try {
      expect((await inline.chat('Hello')).status).to.equal(502);
      expect((await inline.call('GET', '/readyz')).status).to.equal(200);
    } finally {
      await inline.stop();
    }
  });
});
