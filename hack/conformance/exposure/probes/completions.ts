import type { JsonObject } from '../../../harness/gateway/gateway.ts';
import type { Reply } from '../../../harness/upstream/modelServer.ts';
import { answer, event, over, pieces, type Probe, probesOf } from '../probe.ts';

const COMPLETIONS = '/v1/completions';

const requests = probesOf(
  { call: over({ model: 'echo-c7', prompt: 'Hello' }) },
  `
/v1/completions:
  - [call, <prompt>, { prompt: Mail $value }]
  - [call, <prompt> as a list, { prompt: [Hello, Mail $value] }]
  - [call, <prompt> as tokens, { prompt: [$number, 1] }, { value: token }]
  - [call, <suffix>, { suffix: 'Yours, $value' }]
  - [call, <stop>, { stop: [$value] }]
  - [call, <user>, { user: $value }]
  - [call, unknown fields, { x_note: $value }]
`,
);

const body = (value: string): JsonObject => ({ model: 'echo-c7', prompt: `Mail ${value}` });
const streamed = (value: string): JsonObject => ({ ...body(value), stream: true });

const completion = (text: string, choice: JsonObject = {}): JsonObject => ({
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1,
  model: 'fake',
  choices: [{ index: 0, text, finish_reason: 'stop', logprobs: null, ...choice }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
});

const whole = (text: string, choice?: JsonObject): Reply => ({ json: completion(text, choice) });

const logprobs = (token: string): JsonObject => ({
  logprobs: { tokens: [token], token_logprobs: [-1], top_logprobs: null, text_offset: [0] },
});

/** All fields of a completion, in the request and in the answer. */
export const COMPLETION_PROBES: readonly Probe[] = [
  ...requests,
  answer(COMPLETIONS, 'answer: `text`', body, (pseudonym) => whole(`Mailed ${pseudonym}`)),
  answer(COMPLETIONS, 'answer: `logprobs`', body, (pseudonym) =>
    whole(pseudonym.replace('<', '&lt;').replace('>', '&gt;'), logprobs(pseudonym)),
  ),
  answer(COMPLETIONS, 'stream: `text`', streamed, (pseudonym) => ({
    events: [...pieces(`Mailed ${pseudonym}`).map((text) => event(completion(text))), 'data: [DONE]\n\n'],
  })),
];
