/** Cases with a guardrail that blocks, fails or does not answer. */
import { CHAT, chat } from './chatCases.ts';
import { BLOCK_REASON, type Fault } from './interceptor.ts';
import { demand, exact, neverSaw } from './judge.ts';
import { FAILS_OPEN } from './litellm.ts';
import type { LiteLlmCase } from './litellmBench.ts';
import { FORBIDDEN, letter, newPerson, valuesOf } from './syntheticPerson.ts';

/** A fault before the model call: the client gets an error without details, and the model is never called. */
function before(name: string, fault: Fault, status: number): LiteLlmCase {
  return {
    name: `${name}, before the call`,
    run: async ({ client, model, guardrail }) => {
      await guardrail.fail({ phase: 'request', ...fault });
      const person = newPerson();
      for (const answer of await Promise.all([
        client.post(CHAT, chat(letter(person))),
        client
          .stream(CHAT, chat(letter(person)))
          .then(({ status: code, events }) => ({ status: code, body: events[0] })),
      ])) {
        exact(answer.status, status);
        const text = JSON.stringify(answer.body);
        demand(!text.includes(person.email), 'The error contains a real value.');
        if (fault.kind === 'block')
          demand(text.includes(BLOCK_REASON), 'The error does not contain the reason for the block.');
      }
      exact(model.saw().length, 0);
    },
  };
}

/**
 * A status before the model call, with a fail-open entry: checks whether LiteLLM treats the guardrail as unreachable and
 * sends the request unchanged.
 */
function failsOpen(status: number, outcome: 'passes raw' | 'fails'): LiteLlmCase {
  return {
    name: `${status} before the call, set to fail open: ${outcome}`,
    run: async ({ client, model, guardrail }) => {
      // Without this, the default entry, which fails closed, would decide.
      const made = await client.post('/key/generate', { metadata: { disable_global_guardrails: true } });
      const key = made.body.key as string;
      const person = newPerson();
      const body = chat(letter(person), { guardrails: [FAILS_OPEN] });
      const guarded = await client.post(CHAT, body, { key });
      exact([guarded.status, model.saw().length], [200, 1]);
      neverSaw(model.saw(), valuesOf(person));

      model.reset();
      await guardrail.fail({ phase: 'request', kind: 'status', status });
      const { status: answered } = await client.post(CHAT, body, { key });
      const { status: streamed } = await client.stream(CHAT, body, { key });
      if (outcome === 'fails') {
        exact([answered, streamed, model.saw().length], [500, 500, 0]);
        return;
      }
      exact([answered, streamed, model.saw().length], [200, 200, 2]);
      for (const request of model.saw()) {
        demand(request.includes(person.email), 'The model did not see the original request.');
      }
    },
  };
}

/** A fault after the model call: the client gets an error and nothing of the model's answer. */
function after(name: string, fault: Fault, status: number): LiteLlmCase {
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

/** A fault in the middle of a stream: the client sees a prefix of the original, then an error. */
function amid(name: string, fault: Fault): LiteLlmCase {
  return {
    name: `${name}, amid a stream`,
    run: async ({ client, model, guardrail }) => {
      await guardrail.fail({ phase: 'response', from: 3, ...fault });
      const person = newPerson();
      const { events, moments } = await client.stream(CHAT, chat(letter(person)));
      neverSaw(model.saw(), valuesOf(person));
      const seen = moments[0]?.at(-1) ?? '';
      demand(
        seen.length > 0 && `You said: ${letter(person)}`.startsWith(seen),
        `The client saw ${JSON.stringify(seen)}.`,
      );
      demand(seen.length < letter(person).length, 'The stream was not interrupted.');
      demand(events.at(-1)?.error !== undefined, 'The stream ended without an error.');
    },
  };
}

const faults: readonly LiteLlmCase[] = [
  {
    name: 'blocked by the policy of the service',
    run: async ({ client, model }) => {
      const text = `What is ${FORBIDDEN}?`;
      const whole = await client.post(CHAT, chat(text));
      const streamed = await client.stream(CHAT, chat(text));
      exact([whole.status, streamed.status, model.saw().length], [400, 400, 0]);
      demand(
        !JSON.stringify([whole.body, streamed.events]).includes(FORBIDDEN),
        'The error contains the blocked text.',
      );
    },
  },
  before('blocked', { kind: 'block' }, 400),
  after('blocked', { kind: 'block' }, 400),
  amid('blocked', { kind: 'block' }),
  before('service down', { kind: 'down' }, 500),
  before('401', { kind: 'status', status: 401 }, 500),
  before('502', { kind: 'status', status: 502 }, 500),
  after('413', { kind: 'status', status: 413 }, 500),
  after('502', { kind: 'status', status: 502 }, 500),
  amid('502', { kind: 'status', status: 502 }),
  before('time-out', { kind: 'hang' }, 500),
  after('time-out', { kind: 'hang' }, 500),
];

/** Faults with an entry that fails open. */
export const FAIL_OPEN_CASES: readonly LiteLlmCase[] = [
  failsOpen(413, 'fails'),
  failsOpen(429, 'fails'),
  failsOpen(503, 'passes raw'),
];

/** Faults with the default entry, which fails closed. */
export const FAULT_CASES = [...faults];
