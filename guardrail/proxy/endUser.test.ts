import { expect } from 'chai';
import { startInline, type Inline } from '../testing/inlineHarness.ts';

describe('the inline proxy with GUARDRAIL_PROXY_END_USER=pseudonymize', () => {
  let inline: Inline;
  before(async () => {
    inline = await startInline({ env: { GUARDRAIL_PROXY_END_USER: 'pseudonymize' } });
    inline.script((response, { body }) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
  });
  after(() => inline.stop());

  it('hides the id of the end user from the provider, the same at each call, and restores it', async () => {
    const seen: string[] = [];
    for (const text of ['Hi', 'Bye']) {
      const response = await inline.chat(text, { user: 'u-1' });
      expect(await response.json()).to.have.property('user', 'u-1');
      seen.push((JSON.parse(inline.received.at(-1)?.body ?? '') as { user: string }).user);
    }
    expect(seen[0]).to.match(/^\[USERNAME_[0-9A-Z]+\]$/);
    expect(seen[1]).to.equal(seen[0]);
  });

  it('still separates the mappings of end users', async () => {
    const one = await inline.chat('Hi', { user: 'u-1' });
    const two = await inline.chat('Hi', { user: 'u-2' });
    expect(one.headers.get('x-session-id')).to.not.equal(two.headers.get('x-session-id'));
  });
});
