/** A call through the inline proxy while Redis is down. */
import { expect } from 'chai';
import { startRedis } from '../../hack/harness/redis.ts';
import { eventually } from '../testing/appHarness.ts';
import { ready } from '../testing/appRedisHarness.ts';
import { startInline } from '../testing/inlineHarness.ts';

describe('the inline proxy without Redis', function () {
  this.timeout(30_000);

  for (const [mode, status] of [
    ['enforce', 502],
    ['monitor', 200],
  ] as const) {
    it(`answers a call without values with ${status} in the mode ${mode}`, async () => {
      const redis = await startRedis();
      const inline = await startInline({ env: { GUARDRAIL_STORE: redis.url, GUARDRAIL_MODE: mode } });
      try {
        await eventually(() => ready(inline));
        expect((await inline.chat('Hello.')).status).to.equal(200);
        await redis.kill();
        await eventually(async () => (await inline.chat('Hello.')).status === status);
        expect(inline.received.length > 1).to.equal(status === 200);
      } finally {
        await inline.stop();
        await redis.stop();
      }
    });
  }
});
