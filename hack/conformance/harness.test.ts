import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { GatewayClient } from './client.ts';
import { BLOCK_REASON, startInterceptor } from './interceptor.ts';
import { startModelServer } from './modelServer.ts';
import { MUTANTS } from './mutants.ts';
import { type Case, runCase, table } from './suite.ts';
import { somebody } from './people.ts';

describe('the model server', () => {
  const dialects: readonly (readonly [path: string, body: Record<string, never> | object, said: string])[] = [
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi 🙂!' }] }, 'You said: hi 🙂!'],
    ['/v1/completions', { prompt: 'hi 🙂!' }, 'You said: hi 🙂!'],
    ['/v1/responses', { input: [{ role: 'user', content: 'hi 🙂!' }] }, 'You said: hi 🙂!'],
    ['/v1/messages', { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi 🙂!' }] }] }, 'You said: hi 🙂!'],
  ];
  for (const [path, body, said] of dialects) {
    it(`echoes at ${path}, whole and in chunks, and remembers what it saw`, async () => {
      const model = await startModelServer();
      try {
        const client = new GatewayClient(model.url, () => ({}));
        const whole = await client.post(path, { model: 'echo-c2', ...body });
        expect(JSON.stringify(whole.body)).to.contain(said);
        const { moments } = await client.stream(path, { model: 'echo-c2', ...body });
        expect(moments[0]?.at(-1)).to.equal(said);
        expect(moments[0]).to.have.length(Math.ceil(Array.from(said).length / 2));
        expect(model.saw().map((text) => (JSON.parse(text) as { stream?: boolean }).stream)).to.deep.equal([
          undefined,
          true,
        ]);
        model.reset();
        expect(model.saw()).to.deep.equal([]);
      } finally {
        await model.stop();
      }
    });
  }
});

describe('the interceptor', () => {
  const answer = { action: 'NONE', texts: ['x'], structured_messages: [], stream_holdback_chars: [1] };
  const seen: unknown[] = [];
  const target = createServer((request, response) => {
    request.setEncoding('utf8');
    let text = '';
    request.on('data', (part: string) => (text += part));
    request.on('end', () => {
      seen.push(JSON.parse(text));
      response.end(JSON.stringify(answer));
    });
  });
  const ask = { input_type: 'response', request_data: { user_api_key_team_id: 't', user_api_key_end_user_id: 'u' } };

  before(async () => {
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
  });
  after(() => {
    target.closeAllConnections();
    target.close();
  });

  it('passes on, remembers, injects faults, and makes the service wrong', async () => {
    const guardrail = await startInterceptor(`http://127.0.0.1:${(target.address() as AddressInfo).port}`);
    const client = new GatewayClient(guardrail.url, () => ({}));
    const post = async (body: object = ask) => client.post('/beta/x', { ...body });
    try {
      expect(await post()).to.deep.equal({ status: 200, body: answer });
      expect(guardrail.exchanges()[0]).to.deep.include({ phase: 'response', status: 200, body: ask, answer });

      await guardrail.fail({ kind: 'status', status: 502, phase: 'request' });
      expect((await post()).status, 'other phase').to.equal(200);
      expect((await post({ input_type: 'request' })).status).to.equal(502);

      await guardrail.fail({ kind: 'block', from: 2 });
      expect((await post()).body).to.deep.equal(answer);
      expect((await post()).body).to.deep.equal({ action: 'BLOCKED', blocked_reason: BLOCK_REASON });
      const portkey = await post({ eventType: 'afterRequestHook' });
      expect(portkey.body).to.deep.equal({ verdict: false, data: { reason: BLOCK_REASON } });

      await guardrail.fail({ kind: 'down' });
      expect(await post().catch((error: unknown) => error)).to.be.an('error');
      await guardrail.fail(undefined);
      expect((await post()).status).to.equal(200);

      guardrail.mutate(MUTANTS.missingHoldback);
      expect((await post()).body).not.to.have.property('stream_holdback_chars');
      guardrail.mutate(MUTANTS.textsAlone);
      expect((await post()).body)
        .to.have.property('stream_holdback_chars')
        .and.not.have.property('structured_messages');
      guardrail.mutate(MUTANTS.sharedSession);
      await post();
      expect(seen.at(-1)).to.deep.equal({ ...ask, request_data: { user_api_key_end_user_id: 'u' } });
    } finally {
      await guardrail.stop();
    }
  });
});

describe('the suite', () => {
  const outcome = async (run: Case<undefined>['run'], limit?: string) =>
    runCase('g', { name: 'n', run, ...(limit !== undefined && { limit }) }, undefined);

  it('tells passes, limits and failures apart, in a table and in a sum', async () => {
    const results = [
      await outcome(() => Promise.resolve()),
      await outcome(() => Promise.resolve(), 'cannot'),
      await outcome(() => Promise.reject(new Error('no route')), 'cannot'),
    ];
    expect(table(results).split('\n')).to.deep.equal([
      'g  n  pass',
      'g  n  limit  cannot',
      'g  n  FAIL   It could not be judged: Error: no route',
      '',
      '1 passed, 1 limits of the gateway confirmed, 1 failed.',
    ]);
  });

  it('makes people whose numbers hold', () => {
    for (let round = 0; round < 50; round += 1) {
      const { card, iban } = somebody();
      const sum = Array.from(card)
        .reverse()
        .map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
        .reduce((total, digit) => total + (digit > 9 ? digit - 9 : digit), 0);
      expect(sum % 10, card).to.equal(0);
      expect(BigInt(`${iban.slice(4)}1314${iban.slice(2, 4)}`) % 97n, iban).to.equal(1n);
    }
  });
});
