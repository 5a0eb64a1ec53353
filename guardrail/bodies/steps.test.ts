import { expect } from 'chai';
import { atOnce, createStepCounter, type Steps } from '../eventLoop.ts';
import {
  findingFiles,
  findingImages,
  type Json,
  parsing,
  visitingMessages,
  writingJson,
} from '../messages/messages.ts';
import { planningBody } from './request/readBody.ts';
import { known } from './testing/bodyCalls.ts';
import { readingAnswer, readingRequest } from './walk.ts';

const VALUES = 60_000;
/** The most values that a step visits. */
const IN_STEP = ((): number => {
  const isStep = createStepCounter();
  let visits = 1;
  while (!isStep(0)) visits += 1;
  return visits;
})();

const list = <T>(length: number, itemOf: (at: number) => T): T[] => Array.from({ length }, (_, at) => itemOf(at));
const object = (length: number, valueOf: (at: number) => Json): Record<string, Json> =>
  Object.fromEntries(list(length, (at) => [`k${at}`, valueOf(at)]));
const nested = (levels: number): Json => list(levels, () => 0).reduce<Json>((inner) => [inner], 1);
const chat = (content: Json): Json[] => [{ role: 'user', content }];

/** Bodies with many values, by their shape. */
const SHAPES: Readonly<Record<string, Json[]>> = {
  'texts in a list': chat(list(VALUES, () => 'a')),
  'numbers in a list': chat(list(VALUES, () => 1)),
  'deep lists': chat(list(VALUES / 50, () => nested(50))),
  'members of a part': chat([{ type: 'text', ...object(VALUES, () => 'a') }]),
  'messages with one part': list(VALUES / 6, () => ({ role: 'user', content: [{ type: 'text', text: 'a' }] })),
  'a message with many parts': chat(list(VALUES / 3, () => ({ type: 'text', text: 'a' }))),
  'members of an input of a tool': chat([{ type: 'tool_use', input: object(VALUES, (at) => at) }]),
  'inputs of tools': chat(list(VALUES / 4, () => ({ type: 'tool_use', input: { a: 'a' } }))),
};

function stepsOf(work: Steps<unknown>): number {
  let steps = 1;
  while (work.next().done !== true) steps += 1;
  return steps;
}

describe('a body with many values', () => {
  const { members } = known('POST', '/v1/chat/completions');
  const text = (one: string): string => one;
  for (const [shape, messages] of Object.entries(SHAPES)) {
    const body = JSON.stringify({ model: 'm', messages, choices: messages });
    const { root } = atOnce(parsing(body));
    const source = { root, text: body, members };
    const works: Readonly<Record<string, () => Steps<unknown>>> = {
      'read as a request': () => readingRequest(source),
      'read as an answer': () => readingAnswer(source, true),
      'visited for its texts': () => visitingMessages(messages, { text }, 'structured_messages'),
      'searched for images': () => findingImages(messages),
      'searched for files': () => findingFiles(messages),
      written: () => writingJson(messages),
    };
    for (const [work, create] of Object.entries(works)) {
      // An input of a tool is one text of an answer.
      if (work === 'read as an answer' && shape === 'members of an input of a tool') continue;
      it(`is ${work} in short steps: ${shape}`, () => {
        expect(stepsOf(create())).to.be.at.least(Math.floor(VALUES / IN_STEP));
      });
    }
  }

  it('is planned in short steps, whatever its form is', () => {
    const pairs = list(VALUES, () => 'a=b').join('&');
    const lines = list(VALUES / 10, () => '{"a":1}\n').join('');
    const file = `--b\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n${lines}\r\n--b--\r\n`;
    const files = known('POST', '/v1/files');
    const chats = known('POST', '/v1/chat/completions');
    const of = (contentType: string, bytes: string) => ({ contentType, bytes: Buffer.from(bytes) });
    expect(stepsOf(planningBody(chats, of('application/x-www-form-urlencoded', pairs)))).to.be.above(VALUES / IN_STEP);
    expect(stepsOf(planningBody(files, of('multipart/form-data; boundary=b', file)))).to.be.above(
      VALUES / 10 / IN_STEP,
    );
  });

  it('is refused if it is a form of more values than JSON may have', () => {
    const body = { contentType: 'application/x-www-form-urlencoded', bytes: Buffer.from('&'.repeat(3_000_000)) };
    const refused = (): unknown => atOnce(planningBody(known('POST', '/v1/chat/completions'), body));
    expect(refused).to.throw('more than 500000 values');
  });
});

describe('the images of an object', () => {
  it('are found one by one: an object with many of them takes no longer than many objects', () => {
    const image = 'data:image/png;base64,iVBORw0KGgo=';
    const body = JSON.stringify({ messages: chat([{ type: 'x', ...object(20_000, () => image) }]) });
    const { members } = known('POST', '/v1/chat/completions');
    const { images } = atOnce(readingRequest({ root: atOnce(parsing(body)).root, text: body, members }));
    expect(images).to.have.length(20_000);
    expect(images[7]?.put(image.replace('png', 'jpeg'))).to.have.length(1);
  });

  it('are found in each of two members of the same name', () => {
    const [first, last] = ['data:image/png;base64,iVBORw0KGgo=', 'data:image/png;base64,iVBORw0KGgoA'];
    const body = `{"messages":[{"role":"user","content":[{"type":"x","a":"${first}","a":"${last}"}]}]}`;
    const { members } = known('POST', '/v1/chat/completions');
    const { images } = atOnce(readingRequest({ root: atOnce(parsing(body)).root, text: body, members }));
    expect(images.map(({ source }) => source)).to.deep.equal([first, last]);
  });
});
