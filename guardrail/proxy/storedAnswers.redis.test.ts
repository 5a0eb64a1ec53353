import { expect } from 'chai';
import { eventually, PLANTED } from '../testing/appHarness.ts';
import { ready } from '../testing/appRedisHarness.ts';
import { startInline, TOKEN, type Inline } from '../testing/inlineHarness.ts';
import { withRedis } from '../testing/redis.ts';

const { email } = PLANTED;

describe('an answer that the API stores, with mappings in Redis', () => {
  const redis = withRedis();
  const replicas: Inline[] = [];
  const start = async (): Promise<Inline> => {
    const inline = await startInline({ env: { GUARDRAIL_STORE: redis().url } });
    replicas.push(inline);
    await eventually(() => ready(inline));
    return inline;
  };
  after(() => Promise.all(replicas.map((inline) => inline.stop())));

  it('is restored by another replica', async () => {
    const [one, two] = [await start(), await start()];
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    one.script((response, { body }) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'resp_1', text: body })),
    );
    const body = JSON.stringify({ input: `Write to ${email}.`, user: 'u-1' });
    await (await fetch(`${one.proxyUrl}/v1/responses`, { method: 'POST', headers, body })).text();
    const [sent] = one.received;
    expect(sent?.body).to.match(/EMAIL_ADDRESS/);
    two.script((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(sent?.body));
    const fetched = await fetch(`${two.proxyUrl}/v1/responses/resp_1`, { headers });
    expect(await fetched.text()).to.equal(body);
  });
});
