import { expect } from 'chai';
import { startInline, type Inline } from '../testing/inlineHarness.ts';

const REASON = 'The call names no end user, and this guardrail requires one: set the field user of the request.';

describe('calls that name no end user', () => {
  let service: Inline;
  const start = async (env: NodeJS.ProcessEnv = {}): Promise<void> => {
    service = await startInline({ env: { GUARDRAIL_ADMIN_KEYS: 'litellm', ...env } });
  };
  afterEach(() => service.stop());

  const callback = async (data: object, type = 'request'): Promise<unknown> => {
    const { body } = await service.guard({ input_type: type, texts: ['Hello'], request_data: data });
    return (body as { blocked_reason?: string }).blocked_reason;
  };
  const inline = async (fields: object, headers: Record<string, string> = {}): Promise<unknown> => {
    const response = await service.chat('Hello', fields, { headers });
    return ((await response.json()) as { error?: { message: string } }).error?.message;
  };
  const counted = async (): Promise<readonly string[]> =>
    (await service.metrics()).split('\n').filter((line) => line.startsWith('guardrail_calls_without_user_total{'));
  const latest = async (): Promise<unknown> => {
    const { body } = await service.call('GET', '/configuration');
    return (body as { last_call_without_end_user: unknown }).last_call_without_end_user;
  };

  it('are counted, and their time is reported to admins', async () => {
    await start();
    expect(await callback({ user_api_key_hash: 'k', user_api_key_end_user_id: 'u' })).to.equal(undefined);
    expect(await inline({ user: 'u' })).to.equal(undefined);
    expect([await counted(), await latest()]).to.deep.equal([[], null]);
    expect(await callback({ user_api_key_hash: 'k' })).to.equal(undefined);
    expect(await callback({ user_api_key_hash: 'k' }, 'response')).to.equal(undefined);
    expect(await inline({})).to.equal(undefined);
    expect(await counted()).to.have.members([
      'guardrail_calls_without_user_total{protocol="basic"} 1',
      'guardrail_calls_without_user_total{protocol="inline"} 1',
    ]);
    expect(Date.parse(String(await latest()))).to.be.above(Date.now() - 60_000);
  });

  it('are refused before the model call if the setting says so', async () => {
    await start({ GUARDRAIL_REQUIRE_END_USER: 'true' });
    expect(await callback({ user_api_key_hash: 'k' })).to.equal(REASON);
    expect(await callback({ user_api_key_hash: 'k', user_api_key_end_user_id: 'u' })).to.equal(undefined);
    // The answer of a call that has begun.
    expect(await callback({ user_api_key_hash: 'k' }, 'response')).to.equal(undefined);
    expect(await inline({})).to.equal(REASON);
    expect(service.received).to.have.length(0);
    expect(await inline({ user: 'u' })).to.equal(undefined);
    expect(await inline({}, { 'x-litellm-end-user-id': 'u' })).to.equal(undefined);
  });

  it('are not those of a caller whom a trusted hop identifies', async () => {
    await start({ GUARDRAIL_REQUIRE_END_USER: 'true', GUARDRAIL_PROXY_IDENTITY_HEADERS: 'x-user' });
    expect(await inline({}, { 'x-user': 'u' })).to.equal(undefined);
    expect(await counted()).to.deep.equal([]);
  });

  it('pass in monitor mode', async () => {
    await start({ GUARDRAIL_REQUIRE_END_USER: 'true', GUARDRAIL_MODE: 'monitor' });
    expect(await callback({ user_api_key_hash: 'k' })).to.equal(undefined);
    expect(await inline({})).to.equal(undefined);
    expect(await counted()).to.have.length(2);
  });
});
