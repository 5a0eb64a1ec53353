/** Cases with several end users, teams and keys. */
import type { Witness } from '../harness/upstream/modelServer.ts';
import { CHAT, chat } from './chatCases.ts';
import { chatTexts } from './client.ts';
import { demand, emailPseudonyms, exact, neverSaw, prefixes } from './judge.ts';
import type { LiteLlmCase } from './litellm.ts';
import { letter, newPerson, valuesOf } from './syntheticPerson.ts';

/** @returns the pseudonyms that the model saw in its last call. */
function lastTags(model: Witness): string[] {
  return emailPseudonyms(model.saw().at(-1) ?? '');
}

function twoTenants(name: string, team: boolean): LiteLlmCase {
  return {
    name,
    run: async ({ client, model, newKey }) => {
      const [one, other] = [await newKey(team), await newKey(team)];
      const person = newPerson();
      const body = chat(`Mail ${person.email}`, { user: 'the-same-end-user' });
      await client.post(CHAT, body, { key: one });
      const [tag] = lastTags(model);
      demand(tag !== undefined, 'The model saw no pseudonym.');
      const answer = await client.post(CHAT, body, { key: other });
      exact(chatTexts(answer), [`You said: Mail ${person.email}`]);
      demand(lastTags(model)[0] !== tag, 'Two tenants that name the same end user share a pseudonym.');
      const probe = `Who is ${tag}?`;
      const probed = await client.post(CHAT, chat(probe, { user: 'the-same-end-user' }), { key: other });
      exact(chatTexts(probed), [`You said: ${probe}`]);
      neverSaw(model.saw(), [person.email]);
    },
  };
}

const endUsers: readonly LiteLlmCase[] = [
  {
    name: 'the end user in the body and in the header is the same',
    run: async ({ client, model }) => {
      const person = newPerson();
      const text = `Mail ${person.email}`;
      await client.post(CHAT, chat(text, { user: 'u1' }));
      await client.post(CHAT, chat(text), { headers: { 'x-litellm-end-user-id': 'u1' } });
      await client.post(CHAT, chat(text), { headers: { 'x-litellm-customer-id': 'u1' } });
      await client.post(CHAT, chat(text, { user: 'u2' }));
      const tags = model.saw().map((request) => emailPseudonyms(request)[0]);
      exact([tags[1], tags[2]], [tags[0], tags[0]]);
      demand(tags[3] !== tags[0], 'Two end users share a pseudonym.');
    },
  },
  {
    name: 'two users at once, streamed',
    run: async ({ client, model }) => {
      const people = Array.from({ length: 8 }, newPerson);
      await Promise.all(
        people.map(async (person, index) => {
          const body = chat(letter(person), { model: 'echo-c3', user: `user-${index % 2}` });
          const { moments } = await client.stream(CHAT, body);
          prefixes(moments[0] ?? [], `You said: ${letter(person)}`);
        }),
      );
      neverSaw(model.saw(), people.flatMap(valuesOf));
    },
  },
];

/** One end user name under several keys. */
export const TENANT_CASES: readonly LiteLlmCase[] = [
  twoTenants('virtual keys of two teams, one end user name', true),
  twoTenants('two virtual keys without a team, one end user name', false),
];

/** Several end users under one key. */
export const END_USER_CASES = [...endUsers];
