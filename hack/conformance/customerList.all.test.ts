/** Who may call, enforced by the guardrail before the real LiteLLM and its database. Needs LITELLM_LAB. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
// oxlint-disable-next-line tests/no-sleep -- the pause of a poll for a state
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import {
  customerListRevision,
  listHash,
  listKey,
  shardName,
  writeCustomerList,
  type CustomerEntry,
} from '../../guardrail/guardrail.ts';
import { keyHashOf } from '../../guardrail/customers/customers.ts';
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { temporaryFolder } from '../harness/processes.ts';
import { startModelServer, type ModelServer } from '../harness/upstream/modelServer.ts';
import { CHAT, chat } from './chatCases.ts';
import type { CallOptions } from './client.ts';
import { useLiteLlm, type LiteLlm } from './litellm.ts';
import { startService, type Service } from './service.ts';

const SESSION_KEY = 'a session key of more than thirty-two characters';
type List = readonly [
  entries: readonly CustomerEntry[],
  unknownCustomers: 'Allow' | 'Block',
  policies?: ReadonlyMap<string, string>,
];

const key = listKey(SESSION_KEY);
const customer = (id: string): CustomerEntry['customer'] => listHash(key, 'customer', id);

describe('who may call, on a real LiteLLM', function () {
  this.timeout(120_000);
  const folder = temporaryFolder('customers-');
  let model: ModelServer;
  let service: Service;
  let litellm: LiteLlm;
  let keys: readonly [string, string];

  const write = (...[entries, unknownCustomers, policies = new Map()]: List): string[] => {
    const shards = writeCustomerList(entries, { unknownCustomers, policies });
    for (const [shard, text] of shards.entries()) writeFileSync(join(folder, shardName(shard)), text);
    return shards;
  };
  /** Writes a list, and waits until the guardrail reports that it is in force. */
  const enforce = async (...list: List): Promise<void> => {
    const revision = customerListRevision(write(...list));
    const deadline = performance.now() + 30_000;
    const isInForce = async (): Promise<boolean> => {
      const answer = await fetch(`${service.url}/configuration`, { headers: { 'x-api-key': service.keys[1] } });
      return (
        ((await answer.json()) as { customer_list: { revision: string } | null }).customer_list?.revision === revision
      );
    };
    while (!(await isInForce())) {
      if (performance.now() > deadline) expect.fail('The list was not in force for 30 s.');
      await setTimeout(50);
    }
  };
  /** The call of a customer with a key. @returns what the client sees, and whether the model was called */
  const call = async (
    fields: JsonObject,
    options: CallOptions = {},
  ): Promise<{ refusal: string; reached: boolean }> => {
    model.reset();
    const { status, body } = await litellm.client.post(CHAT, chat('Hello', fields), options);
    const reached = model.saw().length > 0;
    expect(status === 200, JSON.stringify(body)).to.equal(reached);
    return { refusal: reached ? '' : JSON.stringify(body), reached };
  };
  before(async function () {
    this.timeout(300_000);
    write([], 'Allow');
    model = await startModelServer();
    service = await startService({
      GUARDRAIL_CUSTOMERS: folder,
      GUARDRAIL_SESSION_KEY: SESSION_KEY,
      GUARDRAIL_ADMIN_KEYS: 'second',
    });
    litellm = await useLiteLlm({ modelUrl: model.url, guardrailUrl: service.url, guardrailKey: service.keys[0] });
    keys = [await litellm.newKey(false), await litellm.newKey(false)];
  });
  after(async () => {
    await litellm.stop();
    await service.stop();
    await model.stop();
  });

  it('refuses a blocked customer with every key and in every place of its name, and nobody else', async () => {
    await enforce([{ customer: customer('blocked'), blocked: true }], 'Allow');
    for (const one of keys) {
      const { refusal, reached } = await call({ user: 'blocked' }, { key: one });
      expect(reached).to.equal(false);
      expect(refusal).to.include('This customer is blocked.');
      expect((await call({ user: 'paying' }, { key: one })).reached).to.equal(true);
      expect((await call({}, { key: one })).reached).to.equal(true);
    }
    const places: readonly (readonly [fields: JsonObject, options?: CallOptions])[] = [
      [{ user: ' blocked ' }],
      [{ metadata: { user_id: 'blocked' } }],
      [{ safety_identifier: 'blocked' }],
      [{}, { headers: { 'x-litellm-end-user-id': 'blocked' } }],
      [{ user: 'paying' }, { headers: { 'x-litellm-customer-id': 'blocked' } }],
    ];
    for (const [fields, options] of places) {
      expect((await call(fields, options)).reached, JSON.stringify([fields, options])).to.equal(false);
    }
    await enforce([], 'Allow');
    expect((await call({ user: 'blocked' })).reached).to.equal(true);
  });

  it('refuses the key that may not call for a customer', async () => {
    const [allowed, other] = keys;
    const callers = { teams: [], keys: [listHash(key, 'key', keyHashOf(allowed))] };
    await enforce([{ customer: customer('closed'), callers }], 'Allow');
    expect((await call({ user: 'closed' }, { key: other })).refusal).to.include('This caller may not call');
    expect((await call({ user: 'closed' }, { key: allowed })).reached).to.equal(true);
    expect((await call({ user: 'open' }, { key: other })).reached).to.equal(true);
  });

  it('refuses unknown customers, and calls that name none', async () => {
    await enforce([{ customer: customer('known') }], 'Block');
    expect((await call({ user: 'known' })).reached).to.equal(true);
    expect((await call({ user: 'stranger' })).refusal).to.include('This customer is not known here.');
    expect((await call({})).refusal).to.include('names no customer');
  });

  it('gives one prompt another outcome for each of three customers, by their policies', async () => {
    const policies = new Map([
      ['1'.repeat(32), '{"entities":{"EMAIL_ADDRESS":"block"}}'],
      ['2'.repeat(32), '{"deny":[{"value":"Falcon","type":"PROJECT"}]}'],
    ]);
    const [blocking, hiding] = policies.keys();
    await enforce(
      [
        { customer: customer('blocking'), ...(blocking && { policy: blocking }) },
        { customer: customer('hiding'), ...(hiding && { policy: hiding }) },
      ],
      'Allow',
      policies,
    );
    const prompt = 'Project Falcon: write to anna.schmidt@example.org.';
    /** What the model sees of the prompt; undefined: it is not called. */
    const seen = async (user: string): Promise<string | undefined> => {
      model.reset();
      await litellm.client.post(CHAT, chat(prompt, { user }));
      return model.saw().length === 0 ? undefined : model.saw().join();
    };
    expect(await seen('blocking')).to.equal(undefined);
    expect(await seen('hiding')).to.match(/Project <PROJECT_\w+>: write to <EMAIL_ADDRESS_\w+>/);
    expect(await seen('another')).to.match(/Project Falcon: write to <EMAIL_ADDRESS_\w+>/);
  });
});
