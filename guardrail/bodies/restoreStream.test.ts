import { expect } from 'chai';
import fc from 'fast-check';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import { runs } from '../../hack/harness/scale.ts';
import { BodyCalls, CARD, EMAIL, known, splitAt } from './testing/bodyCalls.ts';

const chat = known('POST', '/v1/chat/completions');
const chunk = (choice: object): string =>
  JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], usage: null });
const sse = (...events: string[]): string => events.map((event) => `data: ${event}\n\n`).join('');
const delta = (members: object): string => chunk({ delta: members, finish_reason: null });
const finish = chunk({ delta: {}, finish_reason: 'stop' });

/** The pieces of each channel of a chat stream, joined. */
function contentOf(stream: string): string {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as { choices: { delta?: { content?: string } }[] })
    .map(({ choices }) => choices[0]?.delta?.content ?? '')
    .join('');
}

describe('restoreStream', () => {
  it('restores a pseudonym that arrives in pieces', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const pieces = `Hi ${pseudonym}, you are ${pseudonym}`.match(/.{1,4}/gs) ?? [];
    const stream = sse(...pieces.map((content) => delta({ content })), finish, '[DONE]');
    const sent = Buffer.concat(await calls.streamed(chat, [Buffer.from(stream)])).toString();
    expect(contentOf(sent)).to.equal(`Hi ${EMAIL}, you are ${EMAIL}`);
  });

  it('flushes what it holds back before the end of the text', async () => {
    const calls = new BodyCalls();
    const stream = sse(delta({ content: 'a <PERS' }), finish, '[DONE]');
    const sent = Buffer.concat(await calls.streamed(chat, [Buffer.from(stream)])).toString();
    const flushed = JSON.stringify({
      ...{ id: 'c', object: 'chat.completion.chunk' },
      choices: [{ index: 0, delta: { content: '<PERS' }, logprobs: null, finish_reason: null }],
    });
    expect(sent).to.equal(sse(delta({ content: 'a ' }), flushed, finish, '[DONE]'));
  });

  it('joins a text with the last piece, in the event that ends it', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const last = (content: string): string => chunk({ delta: { content }, finish_reason: 'stop' });
    const stream = sse(delta({ content: pseudonym.slice(0, 9) }), last(`${pseudonym.slice(9)} <PERS`), '[DONE]');
    const sent = Buffer.concat(await calls.streamed(chat, [Buffer.from(stream)])).toString();
    expect(sent).to.equal(sse(delta({ content: '' }), last(`${EMAIL} <PERS`), '[DONE]'));
  });

  const responses = (type: string, more: object): string =>
    JSON.stringify({ type, item_id: 'i', output_index: 0, content_index: 0, ...more });
  const candidate = (part: object, more: object = {}): string =>
    JSON.stringify({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...more }] });
  const block = (type: string, more: object): string => JSON.stringify({ type, index: 0, ...more });
  const outputDelta = (text: string): string => responses('response.output_text.delta', { delta: text });
  const blockDelta = (text: string): string => block('content_block_delta', { delta: { type: 'text_delta', text } });
  const flushes: [name: string, before: (text: string) => string, end: string, flushed?: (text: string) => string][] = [
    [
      'a finish reason',
      (content) => delta({ content }),
      finish,
      (content) => chunk({ delta: { content }, logprobs: null, finish_reason: null }).replace(',"usage":null', ''),
    ],
    [
      'the end of chat',
      (content) => delta({ content }),
      '[DONE]',
      (content) => chunk({ delta: { content }, logprobs: null, finish_reason: null }).replace(',"usage":null', ''),
    ],
    ['the end of a text of responses', outputDelta, responses('response.output_text.done', { text: '' })],
    ['the end of a part of responses', outputDelta, responses('response.content_part.done', { part: {} })],
    ['the end of an item of responses', outputDelta, responses('response.output_item.done', { item: {} })],
    ['the end of responses', outputDelta, JSON.stringify({ type: 'response.incomplete', response: {} })],
    ['an error of responses', outputDelta, JSON.stringify({ type: 'error', message: 'x' })],
    ['the end of a block', blockDelta, block('content_block_stop', {})],
    ['the end of a message', blockDelta, JSON.stringify({ type: 'message_stop' })],
    ['a call of Gemini', (text) => candidate({ text }), candidate({ functionCall: { name: 'f', args: {} } })],
    ['a thought of Gemini', (text) => candidate({ text }), candidate({ text: '. ', thought: true })],
    [
      'the finish reason of Gemini',
      (text) => candidate({ text }),
      candidate({ inlineData: {} }, { finishReason: 'STOP' }),
    ],
  ];
  for (const [name, before, end, flushed = before] of flushes) {
    it(`flushes before ${name}`, async () => {
      const stream = sse(before('a <PERS'), end);
      const [sent] = await new BodyCalls().streamed(chat, [Buffer.from(stream)]);
      expect(sent?.toString()).to.equal(sse(before('a '), flushed('<PERS'), end));
    });
  }

  it('restores a text of Gemini in pieces that each have a finish reason', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const piece = (text: string): string => candidate({ text }, { finishReason: 'STOP' });
    const stream = sse(piece(`Mail ${pseudonym.slice(0, 5)}`), piece(pseudonym.slice(5)), piece('.'));
    const sent = await calls.streamed(chat, [Buffer.from(stream)]);
    expect(sent.map(String).join('')).to.equal(sse(piece('Mail '), piece(EMAIL), piece('.')));
  });

  it('flushes at the end of a stream that has no last event', async () => {
    const sent = await new BodyCalls().streamed(chat, [Buffer.from(sse(outputDelta('a <PERS')))]);
    expect(sent.map(String)).to.deep.equal([sse(outputDelta('a ')), sse(outputDelta('<PERS'))]);
  });

  it('ends every text in a last event without an end', async () => {
    const stream = sse(outputDelta('a <PERS')).trimEnd();
    const sent = await new BodyCalls().streamed(chat, [Buffer.from(stream)]);
    expect(sent.map(String)).to.deep.equal(['', stream]);
  });

  it('restores numbers in arguments as numbers', async () => {
    const calls = new BodyCalls();
    const number = /"\[CREDIT_CARD_\w+\]"/.exec(await calls.sent(chat, `{"messages":[],"x":{"n":${CARD}}}`))?.[0] ?? '';
    const args = `{"n":${number}}`;
    const events: ((text: string) => string)[] = [
      (json) => block('content_block_delta', { delta: { type: 'input_json_delta', partial_json: json } }),
      (json) => delta({ tool_calls: [{ index: 0, function: { arguments: json } }] }),
      (json) => responses('response.function_call_arguments.delta', { delta: json }),
    ];
    for (const event of events) {
      const [sent] = await calls.streamed(chat, [Buffer.from(sse(event(args)))]);
      expect(sent?.toString()).to.equal(sse(event(`{"n":${CARD}}`)));
    }
  });

  it('restores no address in an event that repeats the whole answer', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const completed = (text: string): string => {
      const annotations = [{ type: 'url_citation', title: text, url: `https://evil.example/${pseudonym}` }];
      const content = [{ type: 'output_text', text: `${text} ![](https://evil.example/${pseudonym})`, annotations }];
      return JSON.stringify({ type: 'response.completed', response: { output: [{ type: 'message', content }] } });
    };
    const [sent] = await calls.streamed(known('POST', '/v1/responses'), [Buffer.from(sse(completed(pseudonym)))]);
    expect(sent?.toString()).to.equal(sse(completed(EMAIL)));
  });

  it('joins no lines of a file', async () => {
    const lines = ['a <PERS', 'b'].map((text) => `${JSON.stringify({ choices: [{ index: 0, text }] })}\n`).join('');
    const sent = await new BodyCalls().streamed(
      known('GET', '/v1/files/f/content'),
      [Buffer.from(lines)],
      'application/jsonl',
    );
    expect(Buffer.concat(sent).toString()).to.equal(lines);
  });

  it('does not end other texts', async () => {
    const other = responses('response.output_text.done', { output_index: 1 });
    const stream = sse(outputDelta('a <PERS'), other, outputDelta('!'));
    const [sent] = await new BodyCalls().streamed(chat, [Buffer.from(stream)]);
    expect(sent?.toString()).to.equal(sse(outputDelta('a '), other, outputDelta('<PERS!')));
  });

  it('restores events that differ in their text only as it restores others', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const shapes: ((text: string) => object)[] = [
      (content) => ({ choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }] }),
      (content) => ({ choices: [{ index: 0, delta: { content }, logprobs: { content: [{ token: content }] } }] }),
      (content) => ({ choices: [{ index: 1, delta: { content }, logprobs: null, finish_reason: null }] }),
      (content) => ({ choices: [{ index: 1, delta: { content, refusal: 'a <PERS' } }] }),
      (content) => ({ choices: [{ index: 0, delta: { content } }], note: pseudonym }),
      (content) => ({ choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: 'ok' }] }),
      (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
      (text) => ({ candidates: [{ content: { parts: [{ text }] }, index: 0 }] }),
      (text) => ({ candidates: [{ content: { parts: [{ text, thought: true }] }, index: 0 }] }),
    ];
    const text = fc.constantFrom(
      pseudonym,
      pseudonym.slice(0, 9),
      pseudonym.slice(9),
      '<PERS',
      'ON',
      '"',
      '\\',
      '\n',
      '',
    );
    // An event comes several times in a row, as in a stream.
    const events = fc.array(fc.tuple(fc.nat(shapes.length - 1), fc.array(text, { minLength: 1, maxLength: 4 })));
    await fc.assert(
      fc.asyncProperty(events, async (runs) => {
        const all = runs.flatMap(([shape, texts]) => texts.map((piece) => shapes[shape]?.(piece)));
        const [alike = '', distinct] = await Promise.all(
          [false, true].map(async (isDistinct) => {
            // A text that each event has for itself makes them differ. Inserted events repeat it.
            const stream = sse(
              ...all.map((event, n) => JSON.stringify({ ...event, n: '.'.repeat(isDistinct ? n : 0) })),
            );
            const sent = Buffer.concat(await calls.streamed(chat, [Buffer.from(stream)])).toString();
            return sent.replaceAll(/"n":"\.*"/g, '"n":""');
          }),
        );
        expect(alike).to.equal(distinct);
      }),
    );
  });

  it('yields to the event loop in a chunk with many events', async () => {
    let yields = 0;
    let timer = setImmediate(function count() {
      yields += 1;
      timer = setImmediate(count);
    });
    const stream = sse(...Array<string>(20_000).fill(delta({ content: 'a <' })), finish);
    await new BodyCalls().streamed(chat, [Buffer.from(stream)]);
    clearImmediate(timer);
    expect(yields).to.be.above(1);
  });

  it('ends many texts in little time', async () => {
    const event = (count: number, content: string, reason: string | null): string => {
      const choices = Array.from({ length: count }, (_, index) => ({
        index,
        delta: { content },
        finish_reason: reason,
      }));
      return JSON.stringify({ choices });
    };
    const ends: Readonly<Record<string, (count: number) => string[]>> = {
      'texts that end with a reason': (count) => [event(count, 'b', 'stop')],
      'texts that end with the stream': (count) => [event(count, '', null), '[DONE]'],
    };
    for (const [what, endOf] of Object.entries(ends)) {
      await expectLinearTime(what, 6000, async (count) => {
        const stream = sse(event(count, 'a <PERS', null), ...endOf(count));
        const sent = Buffer.concat(await new BodyCalls().streamed(chat, [Buffer.from(stream)])).toString();
        expect(sent.match(/"content":"<PERSb?"/g)).to.have.length(count);
      });
    }
  });

  it('reads an event once for all texts that end after it', async () => {
    const texts = Array.from({ length: 1000 }, (_, index) => index);
    const begin = (index: number): object => ({ index, delta: { content: 'a <PERS' } });
    const ends = texts.map((index) => JSON.stringify({ choices: [{ index, delta: {}, finish_reason: 'stop' }] }));
    const processorTimeOf = async (...begins: object[][]): Promise<number> => {
      const before = process.cpuUsage();
      const stream = sse(...begins.map((choices) => JSON.stringify({ choices })), ...ends);
      const sent = Buffer.concat(await new BodyCalls().streamed(chat, [Buffer.from(stream)])).toString();
      expect(sent.match(/"content":"<PERS"/g)).to.have.length(texts.length);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const separate = await processorTimeOf(...texts.map((index) => [begin(index)]));
    // Reading the event for each text takes twenty times as long.
    expect(await processorTimeOf(texts.map(begin))).to.be.below(5 * separate);
  });

  it('keeps every byte of a stream without pseudonyms, whatever the chunks', async () => {
    const calls = new BodyCalls();
    const line = fc.oneof(
      fc.constantFrom(': ping', 'id: 7', 'retry: 10', 'event: x', 'data', 'data:', 'data: [DONE]', '', 'foo: bar'),
      fc.string({ unit: 'grapheme' }).map((content) => `data: ${delta({ content })}`),
      fc.json().map((json) => `data:${json}`),
    );
    const streams = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r'))).map((lines) => lines.flat().join(''));
    await fc.assert(
      fc.asyncProperty(streams, fc.array(fc.nat()), fc.boolean(), async (body, places, hasMark) => {
        // What may become a pseudonym is held back, and moves.
        fc.pre(!/[<>&%\\()[\]]/.test(body.replaceAll('[DONE]', '')));
        const bytes = Buffer.from((hasMark ? '\ufeff' : '') + body + '\n\n');
        const sent = Buffer.concat(await calls.streamed(chat, splitAt(bytes, places)));
        expect(sent.toString()).to.equal(bytes.toString());
      }),
      { numRuns: runs(300) },
    );
  });
});
