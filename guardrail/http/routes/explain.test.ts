import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listHash, listKey, shardName, writeCustomerList } from '../../customers/customers.ts';
import { policyRevision } from '../../detection/policy/policyRevision.ts';
import { PLANTED, SESSION_KEY, startHarness, type Harness } from '../../testing/appHarness.ts';

const TEXT = `Write to ${PLANTED.email} or call ${PLANTED.phone}.`;
const strict = JSON.stringify({ entities: { EMAIL_ADDRESS: { action: 'block' } } });
const watching = JSON.stringify({ mode: 'monitor' });
const lenient = JSON.stringify({ teams: { sales: { allow: [PLANTED.email] } } });

interface Explained {
  readonly mode: string;
  readonly refusal: string | null;
  readonly policies: object;
  readonly entities: readonly { readonly type: string; readonly action: string; readonly start: number }[];
}

describe('POST /explain', () => {
  let harness: Harness;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'explain-'));
    const customer = (id: string): ReturnType<typeof listHash> => listHash(listKey(SESSION_KEY), 'customer', id);
    const team = listHash(listKey(SESSION_KEY), 'team', 'sales');
    const shards = writeCustomerList(
      [
        { customer: customer('plain') },
        { customer: customer('strict'), policy: policyRevision(strict) },
        { customer: customer('watched'), policy: policyRevision(watching) },
        { customer: customer('lenient'), policy: policyRevision(lenient) },
        { customer: customer(PLANTED.endUser), blocked: true },
        { customer: customer('closed'), callers: { teams: [team], keys: [] } },
      ],
      {
        unknownCustomers: 'Block',
        allowLooserPolicies: true,
        policies: new Map([strict, watching, lenient].map((text) => [policyRevision(text), text])),
      },
    );
    for (const [shard, text] of shards.entries()) writeFileSync(join(folder, shardName(shard)), text);
    harness = await startHarness({
      env: {
        GUARDRAIL_CUSTOMERS: folder,
        GUARDRAIL_ADMIN_KEYS: 'litellm',
        GUARDRAIL_POLICY: '{ entities: { PHONE_NUMBER: { action: ignore } } }',
      },
    });
  });
  after(async () => {
    await harness.stop();
    rmSync(folder, { recursive: true });
  });

  const explain = async (fields: object): Promise<Explained> => {
    const { status, body } = await harness.call('POST', '/explain', { text: TEXT, ...fields });
    expect(status).to.equal(200);
    return body as Explained;
  };
  const short = ({ mode, refusal, entities }: Explained): string =>
    [mode, ...entities.map(({ type, action }) => `${type} ${action}`), refusal ?? 'may call'].join(', ');

  const cases: readonly (readonly [endUser: string | null, team: string | null, expected: string])[] = [
    ['plain', null, 'enforce, EMAIL_ADDRESS pseudonymize, may call'],
    ['strict', null, 'enforce, EMAIL_ADDRESS block, may call'],
    ['watched', null, 'monitor, EMAIL_ADDRESS pseudonymize, may call'],
    [PLANTED.endUser, null, 'enforce, EMAIL_ADDRESS pseudonymize, This customer is blocked.'],
    ['closed', null, 'enforce, EMAIL_ADDRESS pseudonymize, This caller may not call for this customer.'],
    ['closed', 'sales', 'enforce, EMAIL_ADDRESS pseudonymize, may call'],
    ['unknown', null, 'enforce, EMAIL_ADDRESS pseudonymize, This customer is not known here.'],
    [null, null, 'enforce, EMAIL_ADDRESS pseudonymize, The call names no customer: set the field user of the request.'],
  ];
  for (const [endUser, team, expected] of cases) {
    it(`says for ${endUser ?? 'nobody'}${team === null ? '' : ` and team ${team}`}: ${expected}`, async () => {
      expect(short(await explain({ end_user_id: endUser, team }))).to.equal(expected);
    });
  }

  it('tells positions and policies, and no value of the text', async () => {
    const explained = await explain({ end_user_id: 'strict' });
    expect(JSON.stringify(explained)).to.not.include(PLANTED.email);
    const [found] = explained.entities;
    expect(found).to.deep.include({ start: 9, end: 9 + PLANTED.email.length });
    const service = policyRevision('{ entities: { PHONE_NUMBER: { action: ignore } } }');
    expect(explained.policies).to.deep.equal({ service, end_user: policyRevision(strict) });
  });

  it('says what an allow list and an ignored type spare, with the policy of a team and of a customer', async () => {
    const { body } = await harness.call('POST', '/explain', { text: TEXT, end_user_id: 'lenient', team: 'sales' });
    const dropped = (body as { dropped: { type: string; by: string }[] }).dropped.map(({ type, by }) => [type, by]);
    expect(dropped).to.deep.include.members([
      ['EMAIL_ADDRESS', 'allowList'],
      ['PHONE_NUMBER', 'ignored'],
    ]);
  });

  it('takes no unknown parameter', async () => {
    for (const [path, more, message] of [
      ['/explain', { customer: 'plain' }, /^The body has an unknown field\.$/],
      ['/explain?team=sales', {}, /^The URL must have no query/],
    ] as const) {
      const { status, body } = await harness.call('POST', path, { text: TEXT, ...more });
      expect(status).to.equal(400);
      expect((body as { error: { message: string } }).error.message).to.match(message);
    }
  });

  it('decides as a call does', async () => {
    const guarded = async (id: string): Promise<unknown> => {
      const request_data = { user_api_key_end_user_id: id };
      const call = { input_type: 'request', litellm_call_id: `call-${id}`, request_data, texts: [TEXT] };
      return ((await harness.guard(call)).body as { action: string }).action;
    };
    for (const [id, action] of [
      ['plain', 'GUARDRAIL_INTERVENED'],
      ['strict', 'BLOCKED'],
      ['watched', 'NONE'],
      [PLANTED.endUser, 'BLOCKED'],
    ] as const) {
      expect(await guarded(id), id).to.equal(action);
    }
  });

  it('stores nothing', async () => {
    const before = /^guardrail_sessions .*$/m.exec(await harness.metrics())?.[0];
    const { headers } = await harness.call('POST', '/explain', { text: TEXT, end_user_id: 'plain' });
    expect(headers.get('x-session-id')).to.equal(null);
    expect(/^guardrail_sessions .*$/m.exec(await harness.metrics())?.[0]).to.equal(before);
  });

  it('needs an admin key, and a text', async () => {
    const other = await startHarness();
    try {
      expect((await other.call('POST', '/explain', { text: TEXT })).status).to.equal(403);
      expect(
        (await other.call('POST', '/explain', { text: TEXT }, { headers: { 'x-api-key': 'no' } })).status,
      ).to.equal(401);
    } finally {
      await other.stop();
    }
    expect((await harness.call('POST', '/explain', { text: 1 })).status).to.equal(400);
  });
});
