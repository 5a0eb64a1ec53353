import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { GatewayClient } from './client.ts';
import { BLOCK_REASON, startInterceptor } from './interceptor.ts';
import { MUTANTS } from './mutants.ts';

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

  it('forwards and records calls, injects faults and applies mutants', async () => {
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
