import { expect } from 'chai';
import fc from 'fast-check';
import { answer } from './echoModel.ts';
import { guardStream } from './guardedAnswer.ts';
import type { Checked, GuardedCall, Verdict } from './guardrailClient.ts';

const CALL: GuardedCall = { callId: 'c', traceId: 't', requestData: {}, requestHeaders: {} };
const TAG = /<T_[0-9]>/g;

const restore = (text: string): string => text.replace(TAG, (tag) => `value🙂${tag.charAt(3)}`);

/** The number of code points at the end that can be the beginning of a tag. */
function tail(text: string): number {
  for (let length = Math.min(4, text.length); length > 0; length -= 1) {
    if (/^<(T(_([0-9])?)?)?$/.test(text.slice(-length))) return length;
  }
  return 0;
}

const honest = {
  check: async (_phase: string, { texts }: Checked): Promise<Verdict> => ({
    texts: texts.map(restore),
    structuredMessages: undefined,
    tools: undefined,
    holdback: texts.map(tail),
  }),
};

const pieces = fc.array(
  fc.oneof(fc.constantFrom('<T_1>', '<T_2>', '<', '<T', '<T_', '🙂', ' '), fc.string({ unit: 'grapheme' })),
);

describe('a guarded stream', () => {
  it('is a prefix of the restored text at each chunk, and complete at the end', async () => {
    const setting = fc.record({
      n: fc.integer({ min: 1, max: 3 }),
      size: fc.integer({ min: 1, max: 12 }),
      rate: fc.integer({ min: 1, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(
        pieces,
        setting,
        fc.constantFrom('echo', 'mix', 'tail'),
        async (parts, { n, size, rate }, kind) => {
          const whole = answer({ model: `${kind}-c${size}`, n, messages: [{ role: 'user', content: parts.join('') }] });
          const seen = whole.choices.map(() => '');
          const finished: (string | null)[] = [];
          for await (const { choices } of guardStream(whole, { client: honest, call: CALL, samplingRate: rate })) {
            for (const { index, delta, finish_reason: finish } of choices) {
              expect(delta.role === 'assistant' && seen[index] !== '', 'a second role').to.equal(false);
              seen[index] = (seen[index] ?? '') + (delta.content ?? '');
              expect(restore(whole.choices[index]?.text ?? '').startsWith(seen[index] ?? '')).to.equal(true);
              if (finish !== null) finished[index] = finish;
            }
          }
          expect(seen).to.deep.equal(whole.choices.map(({ text }) => restore(text ?? '')));
          expect(finished).to.deep.equal(whole.choices.map(({ finish }) => finish));
        },
      ),
      { numRuns: 300 },
    );
  });
});
