/** Cases with a guardrail that blocks, fails or does not answer. */
import { CHAT, chat } from './chatCases.ts';
import type { Fault } from './interceptor.ts';
import { demand, exact, neverSaw } from './judge.ts';
import { FAILS_OPEN } from './litellm.ts';
import type { LiteLlmCase } from './litellm.ts';
import { blockedByPolicy, refusedAfter, refusedBefore } from './refusalCases.ts';
import { letter, newPerson, valuesOf } from './syntheticPerson.ts';

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

/** Faults with the default entry, which fails closed. */
export const FAULT_CASES: readonly LiteLlmCase[] = [
  blockedByPolicy(400),
  refusedBefore('blocked', { kind: 'block' }, 400),
  refusedAfter('blocked', { kind: 'block' }, 400),
  amid('blocked', { kind: 'block' }),
  refusedBefore('service down', { kind: 'down' }, 500),
  refusedBefore('401', { kind: 'status', status: 401 }, 500),
  refusedBefore('502', { kind: 'status', status: 502 }, 500),
  refusedAfter('413', { kind: 'status', status: 413 }, 500),
  refusedAfter('502', { kind: 'status', status: 502 }, 500),
  amid('502', { kind: 'status', status: 502 }),
  refusedBefore('time-out', { kind: 'hang' }, 500),
  refusedAfter('time-out', { kind: 'hang' }, 500),
];

/** Faults with an entry that fails open. */
export const FAIL_OPEN_CASES: readonly LiteLlmCase[] = [
  failsOpen(413, 'fails'),
  failsOpen(429, 'fails'),
  failsOpen(503, 'passes raw'),
];
