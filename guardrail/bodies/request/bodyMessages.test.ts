import { expect } from 'chai';
import { atOnce } from '../../eventLoop.ts';
import { AFTER_ALL } from '../../pseudonymization/pseudonymization.ts';
import { known } from '../testing/bodyCalls.ts';
import { readingJsonBody } from './json.ts';

/** The number of the message of each text of a body; undefined: the body is one document. */
function numbersIn(path: string, body: object): Record<string, number | undefined> {
  const bytes = Buffer.from(JSON.stringify(body));
  const { passages } = atOnce(readingJsonBody(known('POST', path), { bytes }));
  return Object.fromEntries(passages.map(({ text, message }) => [text, message]));
}

describe('the messages of a body', () => {
  const tools = [{ type: 'function', function: { name: 'f', description: 'tool' } }];
  const rows: readonly [what: string, path: string, body: object, expected: Record<string, number | undefined>][] = [
    [
      'a chat',
      '/v1/chat/completions',
      {
        ...{
          messages: [
            { role: 'system', content: 'a' },
            { role: 'user', content: [{ type: 'text', text: 'b' }] },
          ],
        },
        ...{ tools, stop: 'stop', unknown: 'free', metadata: { name: 'Anna' } },
      },
      { a: 1, b: 2, tool: 0, stop: AFTER_ALL, '{"unknown":"free"}': AFTER_ALL, '{"name":"Anna"}': AFTER_ALL },
    ],
    [
      'a prompt of Anthropic, with the system prompt last',
      '/v1/messages',
      { messages: [{ role: 'user', content: 'a' }], system: [{ type: 'text', text: 'first' }] },
      { a: 1, first: 0 },
    ],
    [
      'items of responses',
      '/v1/responses',
      {
        input: [
          { role: 'user', content: 'a' },
          { type: 'function_call_output', output: 'b' },
        ],
        instructions: 'first',
      },
      { a: 1, b: 2, first: 0 },
    ],
    [
      'contents of Gemini',
      '/v1beta/models/m:generateContent',
      { systemInstruction: { parts: [{ text: 'first' }] }, contents: [{ parts: [{ text: 'a' }, { text: 'b' }] }] },
      { first: 0, a: 1, b: 1 },
    ],
    ['inputs of embeddings', '/v1/embeddings', { input: ['a', 'b'] }, { a: 1, b: 2 }],
    ['documents to rank', '/v2/rerank', { documents: ['a', 'b'], query: 'q' }, { a: 1, b: 2, q: 0 }],
    ['prompts', '/v1/completions', { prompt: ['a', 'b'], suffix: 's' }, { a: 1, b: 2, s: AFTER_ALL }],
    [
      'a batch of Anthropic',
      '/v1/messages/batches',
      { requests: [{ custom_id: '1', params: { messages: [{ role: 'user', content: 'a' }] } }] },
      { a: undefined },
    ],
    [
      'inputs of Gemini',
      '/v1/models/m:batchEmbedContents',
      { requests: [{ content: { parts: [{ text: 'a' }] } }] },
      { '{"parts":[{"text":"a"}]}': 1 },
    ],
    ['one prompt', '/v1/completions', { prompt: 'a', suffix: 's' }, { a: undefined, s: undefined }],
    ['one input', '/v1/responses', { input: 'a', instructions: 'b' }, { a: undefined, b: undefined }],
  ];
  for (const [what, path, body, expected] of rows) {
    it(`are numbered: ${what}`, () => {
      expect(numbersIn(path, body)).to.deep.equal(expected);
    });
  }
});
