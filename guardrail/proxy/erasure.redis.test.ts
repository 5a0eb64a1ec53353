/** Mappings in a shared store outlive the proxy that has written them, and the operator still erases them. */
import { expect } from 'chai';
import { KEY, PLANTED, startHarness } from '../testing/appHarness.ts';
import { completion, startInline } from '../testing/inlineHarness.ts';
import { withRedis } from '../testing/redis.ts';

const CONTENT = `Mail ${PLANTED.email}.`;

describe('erasing the mappings of the inline proxy', function () {
  this.timeout(30_000);
  const redis = withRedis();
  // The operator's key, with both integrations.
  const env = (): NodeJS.ProcessEnv => ({
    GUARDRAIL_STORE: redis().url,
    GUARDRAIL_API_KEYS: `proxy:${KEY}`,
    GUARDRAIL_ADMIN_KEYS: 'proxy',
  });
  const erasure = { end_user_id: PLANTED.endUser, tenant: 'inline' };

  it('works without the proxy, after a change back to callbacks', async () => {
    const inline = await startInline({ env: env() });
    const answer = await inline.chat(CONTENT, { user: PLANTED.endUser });
    expect(await answer.text()).to.include(PLANTED.email);
    const pseudonym = /<EMAIL_ADDRESS_\w+>/.exec(inline.received[0]?.body ?? '')?.[0] ?? '';
    expect(pseudonym).to.match(/^<EMAIL/);
    await inline.stop();

    const callback = await startHarness({ env: env() });
    try {
      expect((await callback.call('POST', '/subjects/erase', erasure)).body).to.deep.equal({ erased: 1 });
      expect((await callback.call('POST', '/subjects/erase', erasure)).body).to.deep.equal({ erased: 0 });
    } finally {
      await callback.stop();
    }
    const again = await startInline({ env: env() });
    try {
      again.script((response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(completion(pseudonym)),
      );
      const text = await (await again.chat('Hello', { user: PLANTED.endUser })).text();
      expect(text).to.include(pseudonym).and.not.include(PLANTED.email);
    } finally {
      await again.stop();
    }
  });
});
