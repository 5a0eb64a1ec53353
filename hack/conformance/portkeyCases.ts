import type { JsonObject } from '../harness/gateway/gateway.ts';
import { anthropicToolCall, CHAT, chat, CHAT_CASES, pseudonymsInStream } from './chatCases.ts';
import { chatTexts, type GatewayClient, toolArguments } from './client.ts';
import type { Interceptor } from './interceptor.ts';
import { demand, exact, neverSaw, pseudonymized, emailPseudonyms } from './judge.ts';
import type { ModelServer } from '../harness/upstream/modelServer.ts';
import { letter, newPerson, valuesOf } from './syntheticPerson.ts';
import type { PortkeyCall } from './portkey.ts';
import { blockedByPolicy, refusedAfter, refusedBefore } from './refusalCases.ts';
import type { Case } from './suite.ts';

/** What the Portkey cases need. */
export interface PortkeyBench {
  readonly client: GatewayClient<PortkeyCall>;
  readonly model: ModelServer;
  readonly guardrail: Interceptor;
}

type PortkeyCase = Case<PortkeyBench>;

/** The status of Portkey when a guardrail check fails. */
const REFUSED = 446;

const whole: readonly PortkeyCase[] = [
  {
    name: 'chat, request fields beside the text',
    run: async ({ client, model }) => {
      const person = newPerson();
      await client.post(CHAT, chat(letter(person), { temperature: 0.5, x_peer_session: 'chosen by the client' }));
      exact(Object.keys(JSON.parse(model.saw()[0] ?? '{}') as object).sort(), ['messages', 'model', 'temperature']);
    },
  },
  {
    name: 'chat, tool call in the answer',
    run: async ({ client, model }) => {
      const person = newPerson();
      const text = `"${person.email}" \\ ${person.phone}`;
      const { body } = await client.post(CHAT, chat(text, { model: 'tool-c7' }));
      neverSaw(model.saw(), [person.email, person.phone]);
      const [choice] = body.choices as { message: JsonObject }[];
      exact(JSON.parse(toolArguments(choice?.message)[0] ?? 'null'), { to: text });
    },
  },
  {
    name: '/v1/completions',
    run: async ({ client, model }) => {
      const person = newPerson();
      const { body } = await client.post('/v1/completions', { model: 'echo-c7', prompt: `Dear ${person.email},` });
      neverSaw(model.saw(), [person.email]);
      exact((body.choices as { text: string }[])[0]?.text, `You said: Dear ${person.email},`);
    },
  },
  {
    name: '/v1/embeddings',
    run: async ({ client, model }) => {
      const person = newPerson();
      const { status } = await client.post('/v1/embeddings', { model: 'emb', input: [`about ${person.email}`] });
      exact(status, 200);
      neverSaw(model.saw(), [person.email]);
    },
  },
  {
    name: '/v1/messages',
    run: async ({ client, model }) => {
      const [boss, person] = [newPerson(), newPerson()];
      const messages = anthropicToolCall(person);
      const body = { model: 'echo-c7', max_tokens: 100, system: `You work for ${boss.email}.`, messages };
      const answer = await client.post('/v1/messages', body, { provider: 'anthropic' });
      neverSaw(model.saw(), [boss.email, person.email]);
      const [block] = answer.body.content as { text: string }[];
      exact(block?.text, `You said: Is ${person.email} informed?`);
    },
  },
];

const limits: readonly PortkeyCase[] = [
  pseudonymsInStream('Portkey does not show streams to a guardrail: the client gets pseudonyms.'),
  {
    name: 'stream, blocked after the call',
    limit:
      'Portkey calls the guardrail only after the stream has begun, and continues it (status 246): the client gets pseudonyms.',
    run: async ({ client, model, guardrail }) => {
      await guardrail.fail({ kind: 'block', phase: 'response' });
      const person = newPerson();
      const { status, moments } = await client.stream(CHAT, chat(person.email));
      exact(status, 246);
      neverSaw(model.saw(), [person.email]);
      pseudonymized(moments[0]?.at(-1), `You said: ${person.email}`, [person.email]);
    },
  },
  {
    name: '/v1/responses',
    limit: 'Portkey calls no guardrail here, so the model receives all values. Block this path for clients.',
    run: async ({ client, model, guardrail }) => {
      const person = newPerson();
      await client.post('/v1/responses', { model: 'echo-c7', input: `Mail ${person.email}` });
      exact(guardrail.exchanges().length, 0);
      demand(model.saw().join().includes(person.email), 'The model no longer sees the real value.');
    },
  },
];

const faults: readonly PortkeyCase[] = [
  blockedByPolicy(REFUSED),
  refusedBefore('blocked', { kind: 'block' }, REFUSED),
  refusedAfter('blocked', { kind: 'block' }, REFUSED),
  refusedBefore('service down', { kind: 'down' }, REFUSED),
  refusedBefore('401', { kind: 'status', status: 401 }, REFUSED),
  refusedBefore('502', { kind: 'status', status: 502 }, REFUSED),
  refusedAfter('502', { kind: 'status', status: 502 }, REFUSED),
  refusedBefore('time-out', { kind: 'hang' }, REFUSED),
];

const identity: readonly PortkeyCase[] = [
  {
    name: 'a wrong API key is refused',
    run: async ({ client, model }) => {
      const { status } = await client.post(CHAT, chat('Hello'), { key: 'not-the-key' });
      exact([status, model.saw().length], [REFUSED, 0]);
    },
  },
  {
    name: 'one user keeps pseudonyms, two users do not share them',
    run: async ({ client, model }) => {
      const person = newPerson();
      const text = `Mail ${person.email}`;
      const metadata = (id: string): PortkeyCall => ({
        headers: { 'x-portkey-metadata': JSON.stringify({ _user: id }) },
      });
      for (const call of [metadata('u1'), metadata('u1'), metadata('u2')]) await client.post(CHAT, chat(text), call);
      const [first, again, other] = model.saw().map((request) => emailPseudonyms(request)[0]);
      exact(again, first);
      demand(first !== undefined && other !== first, 'Two users share a pseudonym.');
    },
  },
  {
    name: 'two teams of one API key, one user name',
    run: async ({ client, model }) => {
      const body = chat(`Mail ${newPerson().email}`, { user: 'the-same-user' });
      for (const team of ['red', 'blue', 'red']) await client.post(CHAT, body, { team });
      const [red, blue, again] = model.saw().map((request) => emailPseudonyms(request)[0]);
      exact(again, red);
      demand(red !== undefined && blue !== red, 'Two teams that name the same user share a pseudonym.');
      const probe = `Who is ${red}?`;
      const probed = await client.post(CHAT, chat(probe, { user: 'the-same-user' }), { team: 'blue' });
      exact(chatTexts(probed), [`You said: ${probe}`]);
    },
  },
  {
    name: 'no team in the configuration: each call is its own session, for all client headers and bodies',
    run: async ({ client, model }) => {
      const person = newPerson();
      const headers = {
        'x-guardrail-team': 'red',
        'x-session-id': 's',
        'x-portkey-trace-id': 't',
        'x-portkey-metadata': JSON.stringify({ _user: 'u', session_id: 's', trace_id: 't' }),
      };
      const body = chat(letter(person), { user: 'u', x_peer_session: '0'.repeat(32) });
      for (const team of [null, null, 'red']) {
        exact(chatTexts(await client.post(CHAT, body, { headers, team })), [`You said: ${letter(person)}`]);
      }
      neverSaw(model.saw(), valuesOf(person));
      const tags = model.saw().map((request) => emailPseudonyms(request)[0]);
      exact(new Set(tags).size, 3);
    },
  },
];

/** All cases for Portkey. */
export const PORTKEY_CASES: readonly PortkeyCase[] = [...CHAT_CASES, ...whole, ...limits, ...faults, ...identity];
