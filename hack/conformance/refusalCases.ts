/** Cases with a guardrail that blocks, fails or does not answer, for each gateway that then answers with one status. */
import type { Witness } from '../harness/upstream/modelServer.ts';
import { CHAT, chat } from './chatCases.ts';
import type { GatewayClient } from './client.ts';
import { BLOCK_REASON, type Fault, type Interceptor } from './interceptor.ts';
import { demand, exact, neverSaw } from './judge.ts';
import type { Case } from './suite.ts';
import { FORBIDDEN, letter, newPerson, valuesOf } from './syntheticPerson.ts';

/** What these cases need. */
interface RefusalBench {
  readonly client: Pick<GatewayClient, 'post' | 'stream'>;
  readonly model: Witness;
  readonly guardrail: Pick<Interceptor, 'fail'>;
}

/** A fault before the model call: the client gets an error without details, and the model is never called. */
export function refusedBefore(name: string, fault: Fault, status: number): Case<RefusalBench> {
  return {
    name: `${name}, before the call`,
    run: async ({ client, model, guardrail }) => {
      await guardrail.fail({ phase: 'request', ...fault });
      const person = newPerson();
      const [whole, streamed] = await Promise.all([
        client.post(CHAT, chat(letter(person))),
        client.stream(CHAT, chat(letter(person))),
      ]);
      exact([whole.status, streamed.status], [status, status]);
      for (const text of [whole.body, streamed.events].map((error) => JSON.stringify(error))) {
        demand(!text.includes(person.email), 'The error contains a real value.');
        if (fault.kind === 'block') {
          demand(text.includes(BLOCK_REASON), 'The error does not contain the reason for the block.');
        }
      }
      exact(model.saw().length, 0);
    },
  };
}

/** A fault after the model call: the client gets an error and nothing of the model's answer. */
export function refusedAfter(name: string, fault: Fault, status: number): Case<RefusalBench> {
  return {
    name: `${name}, after the call`,
    run: async ({ client, model, guardrail }) => {
      await guardrail.fail({ phase: 'response', ...fault });
      const person = newPerson();
      const answer = await client.post(CHAT, chat(letter(person)));
      neverSaw(model.saw(), valuesOf(person));
      exact(answer.status, status);
      demand(
        !JSON.stringify(answer.body).includes('You said'),
        'The client received the answer although the guardrail call failed.',
      );
    },
  };
}

/** A text that the policy of the service blocks: the client gets an error, and the model is never called. */
export function blockedByPolicy(status: number): Case<Pick<RefusalBench, 'client' | 'model'>> {
  return {
    name: 'blocked by the policy of the service',
    run: async ({ client, model }) => {
      const text = `What is ${FORBIDDEN}?`;
      const whole = await client.post(CHAT, chat(text));
      const streamed = await client.stream(CHAT, chat(text));
      exact([whole.status, streamed.status, model.saw().length], [status, status, 0]);
      demand(
        !JSON.stringify([whole.body, streamed.events]).includes(FORBIDDEN),
        'The error contains the blocked text.',
      );
    },
  };
}
