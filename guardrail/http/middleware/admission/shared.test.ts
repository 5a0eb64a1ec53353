import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { eventually } from '../../../testing/appHarness.ts';
import { parseApiKeys } from '../../../settings/apiKeys.ts';
import { authenticatedRouter } from '../authentication.ts';
import { jsonBody } from '../body.ts';
import { createHandler } from '../../routes/handler.ts';
import { createMetrics } from '../metrics.ts';
import { listen, type Listening } from '../../server/server.ts';
import { createAdmission, type AdmissionOptions } from './admission.ts';

const KEYS = { a: 'key-of-tenant-a', b: 'key-of-tenant-b' } as const;
type Name = keyof typeof KEYS;
const KB = 1000;
const OPTIONS: AdmissionOptions = { maxRunning: 40, maxWaiting: 20, maxWaitMs: 60_000, maxBytes: 4000 * KB };

describe('admission of tenants that share a server', () => {
  let server: Listening;
  let agent: Agent;
  /** Bytes of the bodies of all running calls, and their maximum. */
  let inWork = 0;
  let most = 0;
  let release: () => void;
  let released: Promise<void>;
  const sockets: Socket[] = [];

  async function start(options: Partial<AdmissionOptions> = {}): Promise<void> {
    const admission = createAdmission({ ...OPTIONS, maxBody: 1000 * KB, ...options });
    const router = authenticatedRouter();
    router.post('/', admission.admit, jsonBody(1000 * KB), admission.acquireSlot, async (context) => {
      const bytes = context.state.bodyBytes ?? 0;
      inWork += bytes;
      most = Math.max(most, inWork);
      if (context.get('x-hold') === 'yes') await released;
      inWork -= bytes;
      context.body = {};
    });
    const { handle } = createHandler({
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      authentication: {
        keys: () =>
          parseApiKeys(
            Object.entries(KEYS)
              .map((entry) => entry.join(':'))
              .join(','),
          ),
      },
      public: [],
      authenticated: [router],
    });
    server = await listen(handle, { host: '127.0.0.1', port: 0 });
  }

  beforeEach(() => {
    [inWork, most] = [0, 0];
    released = new Promise((resolve) => {
      release = resolve;
    });
    agent = new Agent({ connections: 100 });
  });
  afterEach(async () => {
    release();
    for (const socket of sockets.splice(0)) socket.destroy();
    await agent.close();
    await server.close(0);
  });

  const json = (bytes: number): Buffer => Buffer.from(JSON.stringify('x'.repeat(bytes - 2)));
  interface Sent {
    readonly headers?: Record<string, string>;
    /** Without a declared size, in chunks. */
    readonly isChunked?: boolean;
  }
  async function call(name: Name, body: Buffer, { headers = {}, isChunked = false }: Sent = {}): Promise<number> {
    const pieces = function* (): Generator<Buffer> {
      for (let at = 0; at < body.length; at += 50 * KB) yield body.subarray(at, at + 50 * KB);
    };
    const {
      statusCode,
      headers: answered,
      body: answer,
    } = await request(`http://127.0.0.1:${server.port}/`, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'x-api-key': KEYS[name], 'content-type': 'application/json', ...headers },
      body: isChunked ? Readable.from(pieces()) : body,
    });
    await answer.dump({ limit: Infinity });
    if (statusCode === 429) expect(Number(answered['retry-after'])).to.be.at.least(1);
    return statusCode;
  }
  const HELD = { 'x-hold': 'yes' };

  /** Sends headers and the first bytes of a body only. @returns the response as far as it has arrived. */
  async function halfOpen(name: Name): Promise<{ answer: string }> {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    const seen = { answer: '' };
    socket.setEncoding('utf8').on('data', (chunk: string) => (seen.answer += chunk));
    const head = [`x-api-key: ${KEYS[name]}`, 'content-type: application/json', 'content-length: 500', 'host: x'];
    socket.write(`POST / HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n"xx`);
    return seen;
  }

  const zipped = { 'content-encoding': 'gzip' };
  for (const [what, body, more] of [
    ['in pieces, without a length', json(900 * KB), {}],
    ['that is compressed', gzipSync(json(900 * KB)), zipped],
  ] as const) {
    it(`bounds the body of one tenant ${what}, and admits another tenant`, async () => {
      await start();
      const sent = { headers: { ...HELD, ...more }, isChunked: true };
      const statuses: number[] = [];
      const calls = Array.from({ length: 20 }, async () => statuses.push(await call('a', body, sent)));
      await eventually(() => statuses.length + inWork / (900 * KB) === calls.length);
      expect(new Set(statuses)).to.deep.equal(new Set([429]));
      expect(inWork).to.be.within(1800 * KB, 3 * 1000 * KB + 100 * KB);
      // The largest allowed body.
      expect(await call('b', json(999 * KB), { isChunked: true })).to.equal(200);
      release();
      await Promise.all(calls);
      expect(most).to.be.at.most(OPTIONS.maxBytes);
      expect(await call('a', json(900 * KB), { isChunked: true })).to.equal(200);
    });
  }

  it('admits another tenant despite incomplete bodies, and the same tenant after they stall', async () => {
    let time = 0;
    await start({ now: () => time });
    const stuck = await Promise.all(Array.from({ length: 70 }, () => halfOpen('a')));
    const answers = (says: RegExp): number => stuck.filter(({ answer }) => says.test(answer)).length;
    // Three quarters of the capacity for 60 calls, and one more.
    await eventually(() => answers(/^HTTP\/1\.1 429 [^]*"code":"overloaded"/) === 70 - 46);
    for (let n = 0; n < 3; n += 1) expect(await call('b', json(KB))).to.equal(200);
    expect(await call('a', json(KB))).to.equal(429);
    expect(answers(/slow_body/)).to.equal(0);
    time += 2000;
    for (let n = 0; n < 3; n += 1) expect(await call('a', json(KB))).to.equal(200);
    // One stalled body was aborted to make room.
    await eventually(() => answers(/^HTTP\/1\.1 429 [^]*"code":"slow_body"/) === 1);
  });
});
