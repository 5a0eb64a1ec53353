import { expect } from 'chai';
import { KEY, PLANTED, startHarness, type Answer, type Harness } from '../testing/appHarness.ts';

const OTHER_KEY = 'key-of-another-tenant';
const ADMIN_KEY = 'key-of-the-operations-team';
const TEXT = `Mail ${PLANTED.email}.`;

describe('the sessions of a tenant', () => {
  let harness: Harness;
  before(async () => {
    const keys = `litellm:${KEY},other:${OTHER_KEY},operations:${ADMIN_KEY}`;
    harness = await startHarness({ env: { GUARDRAIL_API_KEYS: keys, GUARDRAIL_ADMIN_KEYS: 'operations' } });
  });
  after(async () => {
    await harness.stop();
  });

  const as = (key: string): RequestInit => ({ headers: { 'x-api-key': key } });
  const identity = {
    request_data: { user_api_key_team_id: 'red', user_api_key_end_user_id: PLANTED.endUser },
    litellm_call_id: 'call-1',
  };
  /** Starts a session, and returns its id. */
  const begin = async (key = KEY): Promise<string> => {
    const answer = await harness.guard({ ...identity, input_type: 'request', texts: [TEXT] }, as(key));
    return answer.headers.get('x-session-id') ?? '';
  };
  const readSession = (id: string, key: string): Promise<Answer> =>
    harness.call('GET', `/sessions/${id}`, undefined, as(key));
  const erase = (id: string, key: string): Promise<Answer> =>
    harness.call('DELETE', `/sessions/${id}`, undefined, as(key));
  const eraseUser = (key: string, more: object = {}): Promise<Answer> =>
    harness.call('POST', '/subjects/erase', { end_user_id: PLANTED.endUser, ...more }, as(key));
  /** A response without the parts that differ in each call. */
  const plain = ({ status, body }: Answer): unknown =>
    JSON.parse(JSON.stringify([status, body]).replace(/"request_id":"[^"]*"/, '"request_id":""'));

  it('are indistinguishable from missing sessions for another tenant', async () => {
    const id = await begin();
    const missing = '0123456789abcdef'.repeat(2);
    expect(plain(await readSession(id, OTHER_KEY))).to.deep.equal(plain(await readSession(missing, OTHER_KEY)));
    expect(plain(await erase(id, OTHER_KEY)))
      .to.deep.equal(plain(await erase(missing, OTHER_KEY)))
      .and.to.deep.equal([200, { deleted: false }]);
    expect((await readSession(id, KEY)).body).to.deep.include({ session_id: id, pseudonyms: 1 });
  });

  it('are not erased by another tenant during a call', async () => {
    const id = await begin();
    const masked = await harness.guard({ ...identity, input_type: 'request', texts: [TEXT] });
    await erase(id, OTHER_KEY);
    const { texts } = masked.body as { texts: string[] };
    const answer = await harness.guard({ ...identity, input_type: 'response', texts });
    expect((answer.body as { texts: string[] }).texts).to.deep.equal([TEXT]);
  });

  it('of a key are continued after its rotation, and by no other key', async () => {
    const user = `gkey-${'0f'.repeat(32)}`;
    const of = (hash: string, alias: string): object => ({
      request_data: { user_api_key_hash: hash, user_api_key_user_id: user, user_api_key_alias: alias },
      litellm_call_id: 'call-2',
      litellm_trace_id: 'conversation',
    });
    const masked = await harness.guard({ ...of('a', `${user}/shop/app/1`), input_type: 'request', texts: [TEXT] });
    const { texts } = masked.body as { texts: string[] };
    expect(texts).to.not.deep.equal([TEXT]);
    const restored = async (hash: string, alias: string): Promise<unknown> =>
      (await harness.guard({ ...of(hash, alias), input_type: 'response', texts })).body;
    expect(await restored('b', `${user}/shop/app/2`)).to.deep.include({ texts: [TEXT] });
    expect(await restored('b', 'shop/app/2')).to.deep.include({ texts });
  });

  it('are read and erased by an admin key and by a key of the tenant', async () => {
    for (const key of [ADMIN_KEY, KEY]) {
      const id = await begin();
      expect((await readSession(id, key)).body).to.deep.include({ session_id: id, pseudonyms: 1 });
      expect((await erase(id, key)).body).to.deep.equal({ deleted: true });
      expect((await readSession(id, key)).status).to.equal(404);
    }
  });

  it('are erased by end user, and for another tenant only by an admin key', async () => {
    await Promise.all([begin(), begin(OTHER_KEY)]);
    for (const tenant of ['litellm', 'no-such-tenant']) {
      const refused = await eraseUser(OTHER_KEY, { tenant });
      expect(refused.status).to.equal(403);
      expect(refused.body).to.have.nested.property('error.code', 'not_an_admin');
    }
    expect((await eraseUser(ADMIN_KEY)).body).to.deep.equal({ erased: 0 });
    expect((await eraseUser(ADMIN_KEY, { tenant: 'litellm' })).body).to.deep.equal({ erased: 1 });
    expect((await eraseUser(KEY, { tenant: 'litellm' })).body).to.deep.equal({ erased: 0 });
    expect((await eraseUser(OTHER_KEY, { tenant: null })).body).to.deep.equal({ erased: 1 });
    expect((await eraseUser(ADMIN_KEY, { tenant: 'a tenant' })).status).to.equal(400);
    const audited = harness.logs.filter((line) => line.includes('"of_tenant":"litellm"'));
    expect(audited[0]).to.include('"tenant":"operations"').and.include('"sessions":1');
  });

  it('are logged by the names of tenants, and not by a name that an admin key made up', async () => {
    expect((await eraseUser(ADMIN_KEY, { tenant: 'anna.schmidt' })).status).to.equal(200);
    expect((await eraseUser(ADMIN_KEY, { tenant: 'inline' })).status).to.equal(200);
    const last = harness.logs.filter((line) => line.includes('subject_erased')).slice(-2);
    expect(last.map((line) => (JSON.parse(line) as { of_tenant: string }).of_tenant)).to.deep.equal([
      '(unknown)',
      'inline',
    ]);
    expect(harness.logs.join('')).to.not.include('anna.schmidt');
  });
});
