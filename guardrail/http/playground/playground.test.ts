import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { PLANTED, startHarness, type Harness } from '../../appHarness.ts';

describe('the playground', () => {
  let harness: Harness;
  before(async () => {
    const policy = '{ entities: { IBAN_CODE: { action: block }, PHONE_NUMBER: { action: ignore } } }';
    harness = await startHarness({ env: { GUARDRAIL_PLAYGROUND: 'true', GUARDRAIL_POLICY: policy } });
  });
  after(async () => {
    await harness.stop();
  });

  it('is not there unless it is asked for', async () => {
    const plain = await startHarness();
    try {
      expect((await plain.call('GET', '/playground')).status).to.equal(404);
      expect((await plain.call('POST', '/playground/detect', { text: 'x' })).status).to.equal(404);
      expect(JSON.stringify((await plain.call('GET', '/openapi.json')).body)).to.not.include('playground');
    } finally {
      await plain.stop();
    }
  });

  it('is one page without a key in it, whose policy admits its own style and script and nothing else', async () => {
    const answer = await harness.call('GET', '/playground', undefined, { headers: { 'x-api-key': '' } });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).to.match(/^default-src 'none';/);
    expect(policy).to.not.match(/unsafe|https?:|\*/);
    const page = String(answer.body);
    for (const [element, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ] as const) {
      const [, content = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(page) ?? [];
      expect(content.length).to.be.greaterThan(1000);
      expect(policy).to.include(`${directive} 'sha256-${createHash('sha256').update(content).digest('base64')}'`);
    }
    expect(page).to.not.match(/ on[a-z]+=|(?:src|href)="(?!data:,)|style="/);
  });

  it('tells where what was found, and what the policy says of it, under the key alone', async () => {
    const text = `\u{1F600} ${PLANTED.email}, ${PLANTED.iban}, ${PLANTED.phone}`;
    const body = { text };
    const refused = await harness.call('POST', '/playground/detect', body, { headers: { 'x-api-key': '' } });
    expect(refused.status).to.equal(401);
    const answer = await harness.call('POST', '/playground/detect', body);
    const { entities } = answer.body as { entities: { start: number; end: number; type: string; action: string }[] };
    expect(entities.map(({ start, end, type, action }) => [text.slice(start, end), type, action])).to.deep.equal([
      [PLANTED.email, 'EMAIL_ADDRESS', 'pseudonymize'],
      [PLANTED.iban, 'IBAN_CODE', 'block'],
    ]);
  });

  it('says what is wrong with a question', async () => {
    for (const [body, says] of [
      [{}, /^text must be a string\.$/],
      [{ text: 'x', recall: 'most' }, /^recall must be "precise" or "balanced" or "thorough"\.$/],
    ] as const) {
      const answer = await harness.call('POST', '/playground/detect', body);
      expect(answer.status).to.equal(400);
      expect((answer.body as { error: { message: string } }).error.message).to.match(says);
    }
  });
});
