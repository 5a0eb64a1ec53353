import { expect } from 'chai';
import { atOnce } from '../eventLoop.ts';
import type { RequestDocument } from './contract.ts';
import { AFTER_ALL, messageNumbersOf, type MessageNumbers } from './messageNumbers.ts';

const user = (content: string) => ({ role: 'user', content });
const call = (name: string) => ({
  id: '1',
  type: 'function',
  function: { name: 'f', arguments: `{"name":"${name}"}` },
});
const png = 'data:image/png;base64,AA==';
const image = { role: 'user', content: [{ type: 'image_url', image_url: { url: png } }] };
const inImage = { text: 'Anna', source: png };

describe('the numbers of messages', () => {
  const rows: readonly [what: string, document: RequestDocument, expected: Partial<MessageNumbers>][] = [
    [
      'texts are those of the messages that contain them',
      { texts: ['a', 'b', 'c'], structuredMessages: [user('a'), user('b'), user('c')] },
      { texts: [1, 2, 3] },
    ],
    [
      'a text that occurs twice is in both messages',
      { texts: ['a', 'b', 'a'], structuredMessages: [user('a'), user('b'), user('a')] },
      { texts: [1, 2, 3] },
    ],
    [
      'messages without texts are passed over',
      { texts: ['a', 'c'], structuredMessages: [user('a'), user(''), user('c')] },
      { texts: [1, 3] },
    ],
    [
      'a text in no message is one of its own, after the one before it',
      { texts: ['a', 'x', 'b'], structuredMessages: [user('a'), user('b')] },
      { texts: [1, 1.5, 2] },
    ],
    ['texts without messages are messages', { texts: ['a', 'b', 'a'] }, { texts: [0.25, 0.5, 0.75] }],
    [
      'tool calls are those of the messages that contain them',
      {
        texts: [],
        structuredMessages: [user('a'), { role: 'assistant', tool_calls: [call('x'), call('y')] }],
        toolCalls: [call('x'), call('y')],
      },
      { toolCalls: [2, 2] },
    ],
    ['tool calls in no message come last', { texts: ['a'], toolCalls: [call('x')] }, { toolCalls: [AFTER_ALL] }],
    [
      'an image is in the first message that has it',
      { texts: [], structuredMessages: [user('a'), image, image], images: [png, png], imageTexts: [inImage] },
      { imageTexts: [2] },
    ],
    [
      'an image of a body is where the body has it',
      { texts: [], images: [png], imageMessages: [4], imageTexts: [inImage] },
      { imageTexts: [4] },
    ],
    [
      'an image without messages makes one document',
      { texts: ['a', 'b'], images: [png], imageTexts: [inImage] },
      { texts: [] },
    ],
  ];
  for (const [what, document, expected] of rows) {
    it(what, () => {
      expect(atOnce(messageNumbersOf(document))).to.deep.include(expected);
    });
  }
});
