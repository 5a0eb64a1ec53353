import type { JsonObject } from '../harness/gateway/gateway.ts';
import type { AgentgatewayCall } from './agentgateway.ts';
import { CHAT, chat, pseudonymsInStream, pseudonymsInToolCall, user } from './chatCases.ts';
import { chatTexts, type GatewayClient } from './client.ts';
import type { Interceptor } from './interceptor.ts';
import { exact, neverSaw, emailPseudonyms } from './judge.ts';
import type { ModelServer } from '../harness/upstream/modelServer.ts';
import { letter, newPerson, valuesOf } from './syntheticPerson.ts';
import { blockedByPolicy, refusedBefore } from './refusalCases.ts';
import type { Case } from './suite.ts';

/** What the agentgateway cases need. */
export interface AgentgatewayBench {
  readonly client: GatewayClient<AgentgatewayCall>;
  readonly model: ModelServer;
  readonly guardrail: Interceptor;
  /** API keys of two tenants of the guardrail. */
  readonly tenants: readonly [string, string];
}

type AgentgatewayCase = Case<AgentgatewayBench>;

function restores(name: string, call: AgentgatewayCall): AgentgatewayCase {
  return {
    name,
    run: async ({ client, model }) => {
      const person = newPerson();
      const messages = [{ role: 'system', content: `You work for ${person.email}.` }, user(letter(person))];
      const answer = await client.post(CHAT, { model: 'echo-c7', messages, n: 2 }, call);
      neverSaw(model.saw(), valuesOf(person));
      exact(chatTexts(answer), [`[0] You said: ${letter(person)}`, `[1] You said: ${letter(person)}`]);
    },
  };
}

const whole: readonly AgentgatewayCase[] = [
  restores('chat', {}),
  restores('chat, paths of versions before 1.4', { olderPaths: true }),
  {
    name: 'chat without values keeps tool calls and parts',
    run: async ({ client, model }) => {
      const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
      const messages = [
        user([{ type: 'text', text: 'Hello' }]),
        { role: 'assistant', content: null, tool_calls: [call] },
      ];
      await client.post(CHAT, { model: 'echo-c7', messages });
      exact((JSON.parse(model.saw()[0] ?? '{}') as JsonObject).messages, messages);
    },
  },
  {
    name: 'chat, many turns',
    run: async ({ client, model }) => {
      const people = [newPerson(), newPerson()];
      const history: JsonObject[] = [];
      for (const [turn, person] of [...people, ...people].entries()) {
        history.push(user(`Turn ${turn}: what about ${person.email}?`));
        const [text] = chatTexts(await client.post(CHAT, { model: 'echo-c7', messages: history }));
        exact(text, `You said: Turn ${turn}: what about ${person.email}?`);
        history.push({ role: 'assistant', content: text ?? null });
      }
      neverSaw(model.saw(), people.flatMap(valuesOf));
    },
  },
  {
    name: 'sessions, teams and tenants do not share pseudonyms',
    run: async ({ client, model, tenants }) => {
      const body = chat(`Mail ${newPerson().email}`);
      const headers = { traceparent: `00-${'4b'.repeat(16)}-${'0f'.repeat(8)}-01` };
      const calls: AgentgatewayCall[] = [
        { session: 'a' },
        { session: 'a' },
        { session: 'b' },
        { session: 'a', team: 'blue' },
        { session: 'a', key: tenants[1] },
        { headers },
        { headers, team: 'blue' },
        {},
        { team: 'blue' },
      ];
      for (const call of calls) await client.post(CHAT, body, call);
      const [first, again, ...others] = model.saw().map((request) => emailPseudonyms(request)[0]);
      exact(again, first);
      exact(new Set([first, ...others]).size, calls.length - 1);
    },
  },
  {
    name: 'without a team, only a chat with values is rejected',
    run: async ({ client, model }) => {
      const call = { team: null, session: 'a', headers: { traceparent: `00-${'4b'.repeat(16)}-${'0f'.repeat(8)}-01` } };
      const rejected = await client.post(CHAT, chat(`Mail ${newPerson().email}`), call);
      exact([rejected.status >= 400 && rejected.status < 500, model.saw().length], [true, 0]);
      exact(chatTexts(await client.post(CHAT, chat('Hello'), call)), ['You said: Hello']);
    },
  },
  blockedByPolicy(403),
  refusedBefore('service down', { kind: 'down' }, 500),
  refusedBefore('401', { kind: 'status', status: 401 }, 500),
  refusedBefore('502', { kind: 'status', status: 502 }, 500),
  {
    name: 'a wrong API key',
    run: async ({ client, model }) => {
      const { status } = await client.post(CHAT, chat('Hello'), { key: 'not-the-key' });
      exact([status, model.saw().length], [500, 0]);
    },
  },
];

const limits: readonly AgentgatewayCase[] = [
  pseudonymsInStream('agentgateway cannot rewrite a stream: the client gets pseudonyms.'),
  pseudonymsInToolCall(
    'agentgateway does not show tool calls to a guardrail: the client gets pseudonyms in the arguments.',
  ),
];

/** All cases for the agentgateway protocol. */
export const AGENTGATEWAY_CASES: readonly AgentgatewayCase[] = [...whole, ...limits];
