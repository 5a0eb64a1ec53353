/** Mappings in a shared store outlive the proxy that has written them, and the operator still erases them. */
import { expect } from 'chai';
import { eventually, KEY, PLANTED } from '../testing/appHarness.ts';
import { ready, startReady } from '../testing/appRedisHarness.ts';
import { chunk, completion, startInline, type Inline } from '../testing/inlineHarness.ts';
import { withRedis } from '../testing/redis.ts';

const CONTENT = `Mail ${PLANTED.email}.`;

describe('erasing the mappings of the inline proxy', function () {
  this.timeout(30_000);
  const redis = withRedis();
  // The operator's key, with both integrations.
  const env = { GUARDRAIL_API_KEYS: `proxy:${KEY}`, GUARDRAIL_ADMIN_KEYS: 'proxy' };
  async function startReadyInline(): Promise<Inline> {
    const inline = await startInline({ env: { GUARDRAIL_STORE: redis().url, ...env } });
    await eventually(() => ready(inline));
    return inline;
  }
  const erasure = { end_user_id: PLANTED.endUser, tenant: 'inline' };

  it('ends the restoring of a stream that is open', async () => {
    const inline = await startReadyInline();
    try {
      const decoder = new TextDecoder();
      const erased = Promise.withResolvers<undefined>();
      let pseudonym = '';
      inline.script(async (response, { body }) => {
        pseudonym = /<EMAIL_ADDRESS_\w+>/.exec(body)?.[0] ?? '';
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk(`First ${pseudonym} and `));
        await erased.promise;
        response.end(`${chunk(`then ${pseudonym}.`)}${chunk('', 'stop')}data: [DONE]\n\n`);
      });
      const answer = await inline.chat(CONTENT, { user: PLANTED.endUser, stream: true });
      let text = '';
      for await (const part of answer.body ?? []) {
        text += decoder.decode(part as Uint8Array);
        if (!text.includes(PLANTED.email)) continue;
        if (!text.includes('then')) {
          expect((await inline.call('POST', '/subjects/erase', erasure)).body).to.deep.equal({ erased: 1 });
          erased.resolve(undefined);
        }
      }
      expect(text.split(PLANTED.email)).to.have.length(2);
      expect(text).to.include(`then ${pseudonym}.`);
    } finally {
      await inline.stop();
    }
  });

  it('works without the proxy, after a change back to callbacks', async () => {
    const inline = await startReadyInline();
    const answer = await inline.chat(CONTENT, { user: PLANTED.endUser });
    expect(await answer.text()).to.include(PLANTED.email);
    const pseudonym = /<EMAIL_ADDRESS_\w+>/.exec(inline.received[0]?.body ?? '')?.[0] ?? '';
    expect(pseudonym).to.match(/^<EMAIL/);
    await inline.stop();

    const callback = await startReady(redis().url, env);
    try {
      expect((await callback.call('POST', '/subjects/erase', erasure)).body).to.deep.equal({ erased: 1 });
      expect((await callback.call('POST', '/subjects/erase', erasure)).body).to.deep.equal({ erased: 0 });
    } finally {
      await callback.stop();
    }
    const again = await startReadyInline();
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
