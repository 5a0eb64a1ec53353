import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import {
  eventually,
  PLANTED,
  startHarness,
  type Answer,
  type Harness,
  type HarnessOptions,
} from '../testing/appHarness.ts';
import { storeOf } from '../testing/appRedisHarness.ts';
import { withRedis } from '../testing/redis.ts';
import { unchangedAnswer, type Guard } from '../pseudonymization/pseudonymization.ts';

type Body = Record<string, unknown>;

const MODE = { GUARDRAIL_MODE: 'monitor' };
const TEXT = `Mail ${PLANTED.email}`;
const BASIC = '/beta/litellm_basic_guardrail_api';
const PEER = '/v1/peer/check';
const PASS = { action: { reason: 'Nothing was replaced.' } };

const portkey = (eventType: string): Body => ({
  eventType,
  request: { json: { messages: [{ role: 'user', content: TEXT }] } },
  response: { json: { choices: [{ message: { role: 'assistant', content: TEXT } }] } },
});

/** A call of each phase in each dialect, and the response that forwards it unchanged. */
const CALLS: readonly (readonly [what: string, path: string, body: Body, pass: Body])[] = [
  ['basic, request', BASIC, { input_type: 'request', texts: [TEXT], litellm_call_id: 'call' }, { action: 'NONE' }],
  ['Portkey, request', PEER, portkey('beforeRequestHook'), { verdict: true }],
  ['agentgateway, request', PEER, { body: { messages: [{ role: 'user', content: TEXT }] } }, PASS],
  ['agentgateway, older', '/request', { body: { messages: [{ role: 'user', content: TEXT }] } }, PASS],
  ['basic, response', BASIC, { input_type: 'response', texts: [TEXT], litellm_call_id: 'call' }, { action: 'NONE' }],
  ['Portkey, response', PEER, portkey('afterRequestHook'), { verdict: true }],
  ['agentgateway, response', PEER, { body: { choices: [{ message: { content: TEXT } }] } }, PASS],
  ['shield, request', '/v1/guard/redact', { texts: [TEXT] }, { texts: [TEXT] }],
  ['shield, response', '/v1/guard/rehydrate', { texts: [TEXT] }, { texts: [TEXT] }],
  [
    'shield, response in pieces',
    '/v1/guard/rehydrate/stream',
    { text: TEXT, carry: '', final: false },
    { text: TEXT, carry: '' },
  ],
  ['agentgateway, older response', '/response', { body: { choices: [{ message: { content: TEXT } }] } }, PASS],
];
const isRequest = (what: string): boolean => !what.includes('response');
const headers = { 'x-session-id': 'the-id-of-a-conversation-or-of-a-call', 'x-guardrail-team': 'red' };

async function expectPassed(harness: Harness, code: string, only = CALLS): Promise<void> {
  for (const [what, path, body, pass] of only) {
    const before = await failedOpenBy(harness, code);
    const lines = harness.logs.length;
    const answer = await harness.call('POST', path, body, { headers });
    expect(answer.status, what).to.equal(200);
    // A checked response also contains its texts.
    expect(answer.body, what).to.deep.include(pass);
    expect(JSON.stringify(answer.body), what).not.to.match(/BLOCKED|"verdict":false|status_code/);
    const failed = isRequest(what);
    expect(await failedOpenBy(harness, code), what).to.equal(before + (failed ? 1 : 0));
    const warnings = harness.logs.slice(lines).filter((line) => line.includes('Forwarded a call unchanged'));
    expect(warnings, what).to.have.length(failed ? 1 : 0);
    if (failed) expect(JSON.parse(warnings[0] ?? '{}')).to.include({ code });
  }
}

async function failedOpenBy(harness: Harness, code: string): Promise<number> {
  const metrics = await harness.metrics();
  return Number(new RegExp(`guardrail_failed_open_requests_total\\{code="${code}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0);
}

async function withHarness(options: HarnessOptions, run: (harness: Harness) => Promise<void>): Promise<void> {
  const harness = await startHarness({ ...options, env: { ...MODE, ...options.env } });
  try {
    await run(harness);
  } finally {
    await harness.stop();
  }
}

const guardOf = (request: Guard['request']) => (): Guard => ({
  request,
  response: () => Promise.reject(new Error('Monitor mode restores nothing.')),
  stream: unchangedAnswer,
  piece: () => Promise.reject(new Error('No text arrives in pieces.')),
  sessionOf: () => '0'.repeat(32) as never,
});

describe('monitor mode', () => {
  const redis = withRedis();

  it('writes nothing to Redis, forwards calls and stays ready when Redis dies, and starts without it', async function () {
    this.timeout(60_000);
    const env = { GUARDRAIL_STORE: redis().url };
    await withHarness({ env }, async (harness) => {
      await eventually(async () => storeOf(await harness.call('GET', '/readyz')).up);
      for (const [what, path, body, pass] of CALLS) {
        expect((await harness.call('POST', path, body, { headers })).body, what).to.deep.include(pass);
      }
      expect((await redis().cli('KEYS', '*')).trim()).to.equal('');
      await redis().kill();
      await eventually(async () => !storeOf(await harness.call('GET', '/readyz')).up);
      const ready = await harness.call('GET', '/readyz');
      expect([ready.status, (ready.body as Body).status]).to.deep.equal([200, 'ready']);
      await expectPassed(harness, 'store_unavailable');
      await withHarness({ env }, async (late) => {
        expect((await late.call('GET', '/readyz')).status).to.equal(200);
        await expectPassed(late, 'store_unavailable');
      });
      await redis().restart();
      const counted = async (): Promise<boolean> => {
        const before = await failedOpenBy(harness, 'store_unavailable');
        await harness.call('POST', BASIC, CALLS[0]?.[2]);
        return (await failedOpenBy(harness, 'store_unavailable')) === before;
      };
      await eventually(counted);
    });
  });

  it('forwards and counts calls, and stays ready, while the detector is down', async () => {
    // Returns only errors, like an analyzer whose model is not loaded.
    const presidio = createServer((_, response) => response.writeHead(500).end());
    presidio.listen(0, '127.0.0.1');
    await once(presidio, 'listening');
    try {
      for (const port of [1, (presidio.address() as AddressInfo).port]) {
        const env = { GUARDRAIL_DETECTORS: 'builtin,presidio', GUARDRAIL_PRESIDIO_URL: `http://127.0.0.1:${port}` };
        await withHarness({ env }, async (harness) => {
          await expectPassed(harness, 'detector_unavailable');
          const ready = await harness.call('GET', '/readyz');
          expect(ready.status).to.equal(200);
          expect(ready.body).to.have.nested.property('dependencies.detector.up', false);
        });
      }
    } finally {
      presidio.close();
    }
  });

  it('forwards calls whose check fails', async () => {
    const broken = guardOf(() => Promise.reject(new Error(`cannot handle ${PLANTED.email}`)));
    await withHarness({ guard: broken }, (harness) => expectPassed(harness, 'internal_error'));
  });

  it('forwards calls that it cannot check in time', async function () {
    this.timeout(20_000);
    const peers = CALLS.filter(([what]) => /^(?:Portkey|agentgateway), request$/.test(what));
    // Their time limits run at the same time.
    await Promise.all(
      peers.map((peer) =>
        withHarness({ guard: guardOf(() => new Promise(() => undefined)) }, (harness) =>
          expectPassed(harness, 'timeout', [peer]),
        ),
      ),
    );
  });

  it('forwards calls that are too large or have too many texts', async () => {
    await withHarness({ env: { GUARDRAIL_MAX_BODY: '1KiB' } }, async (harness) => {
      for (const [what, path, body] of CALLS) {
        const answer = await harness.call('POST', path, { ...body, padding: 'x'.repeat(2000) }, { headers });
        expect(answer.status, what).to.equal(200);
        expect(answer.body, what).to.satisfy(
          (reply: Body) => reply.action === 'NONE' || reply.verdict === true || 'action' in reply || 'padding' in reply,
        );
      }
      expect(await failedOpenBy(harness, 'body_too_large')).to.equal(CALLS.length);
      const unknown = await harness.call('POST', PEER, { padding: 'x'.repeat(2000) });
      expect(unknown.body).to.deep.equal({ verdict: true, ...PASS });
      const named = await harness.call('POST', `${PEER}?dialect=portkey`, { padding: 'x'.repeat(2000) });
      expect(named.body).to.deep.equal({ verdict: true });
    });
    await withHarness({}, async (harness) => {
      const texts = Array.from({ length: 10_001 }, () => 'a');
      expect((await harness.guard({ input_type: 'request', texts })).body).to.deep.equal({ action: 'NONE' });
      expect(await failedOpenBy(harness, 'invalid_field')).to.equal(1);
    });
  });

  it('forwards calls that it has no capacity for, and calls during a drain', async function () {
    this.timeout(20_000);
    const open: (() => void)[] = [];
    const stuck = guardOf(
      () =>
        new Promise((resolve) => {
          open.push(() => {
            resolve({ action: 'NONE', session: '0'.repeat(32) as never, entities: [] });
          });
        }),
    );
    const harness = await startHarness({ guard: stuck, env: MODE, times: { maxWaitMs: 100 } });
    const ask = (): Promise<Answer> => harness.guard({ input_type: 'request', texts: [TEXT] });
    // The share of one tenant: three quarters of 256 slots, and one.
    const running = Array.from({ length: 193 }, ask);
    let stopped: Promise<boolean> | undefined;
    try {
      await eventually(() => open.length === 193);
      expect((await ask()).body).to.deep.equal({ action: 'NONE' });
      expect(await failedOpenBy(harness, 'overloaded')).to.equal(1);
      stopped = harness.stop();
      // In monitor mode, only a drain makes the service unready.
      await eventually(async () => (await harness.call('GET', '/readyz')).status === 503);
      for (const [what, path, body] of CALLS) {
        const answer = await harness.call('POST', path, body, { headers });
        expect(answer.status, what).to.equal(200);
        // The answers that depend on the body are the body.
        expect(answer.body, what).to.satisfy(
          (reply: Body) => !what.startsWith('shield') || isDeepStrictEqual(reply, body),
        );
      }
      expect(await failedOpenBy(harness, 'draining')).to.equal(CALLS.length);
    } finally {
      for (const finish of open) finish();
      await Promise.all(running);
      stopped ??= harness.stop();
    }
    expect(await stopped).to.equal(true);
  });

  it('still refuses callers without a key, and invalid calls', async () => {
    await withHarness({}, async (harness) => {
      const wrong = { headers: { 'x-api-key': 'wrong' } };
      for (const [what, path, body] of CALLS) {
        expect((await harness.call('POST', path, body, wrong)).status, what).to.equal(401);
        const text = { body: 'not JSON', headers: { 'content-type': 'application/json' } };
        expect((await harness.call('POST', path, undefined, text)).status, what).to.equal(400);
        expect((await harness.call('POST', path, {})).status, what).to.equal(400);
        expect((await harness.call('POST', path, [])).status, what).to.equal(400);
      }
      expect((await harness.call('POST', `${PEER}?dialect=other`, {})).status).to.equal(400);
    });
  });
});
