/** The official SDKs read what the room writes. */
import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'chai';
import OpenAI from 'openai';
import { errorBodyOf, errorEventOf, type Operation } from './bodies.ts';
import { BodyCalls, EMAIL, known } from './testing/bodyCalls.ts';
import { STREAM_CASES } from './testing/streams.ts';

/** A fetch that answers with a stream or an error. */
const answering =
  (body: Buffer | string, contentType: string, status = 200): typeof fetch =>
  () =>
    Promise.resolve(
      new Response(new Uint8Array(Buffer.from(body)), { status, headers: { 'content-type': contentType } }),
    );
const openAi = (body: Buffer | string, type = 'text/event-stream', status = 200): OpenAI =>
  new OpenAI({ apiKey: 'k', maxRetries: 0, fetch: answering(body, type, status) });
const anthropic = (body: Buffer | string, type = 'text/event-stream', status = 200): Anthropic =>
  new Anthropic({ apiKey: 'k', maxRetries: 0, fetch: answering(body, type, status) });

const TEXT = `Hi ${EMAIL} <PERS`;

/** A stream of pieces of three characters, restored. */
async function streamOf(name: string): Promise<{ operation: Operation; stream: Buffer }> {
  const one = STREAM_CASES.find((candidate) => candidate.name === name);
  if (!one) throw new Error(`There is no stream of ${name}.`);
  const calls = new BodyCalls();
  const operation = known(one.method, one.path);
  const sent = TEXT.replace(EMAIL, await calls.pseudonymOf(EMAIL));
  const bytes = Buffer.from(one.events(sent.match(/.{1,3}/gs) ?? [], sent));
  return { operation, stream: Buffer.concat(await calls.streamed(operation, [bytes])) };
}

describe('the SDK of OpenAI', () => {
  it('reads a stream of chat completions', async () => {
    const { stream } = await streamOf('chat');
    const runner = openAi(stream).chat.completions.stream({ model: 'm', messages: [] });
    const [first, second] = (await runner.finalChatCompletion()).choices;
    expect(first?.message.content).to.equal(TEXT);
    expect(second?.message.refusal).to.equal(TEXT);
    const args = first?.message.tool_calls?.map((call) => call.function.arguments);
    expect(args?.map((json) => JSON.parse(json) as unknown)).to.deep.equal([{ a: TEXT }, { a: TEXT }]);
  });

  it('reads a stream of responses, whose last event has the same text', async () => {
    const { stream } = await streamOf('responses');
    let text = '';
    for await (const event of await openAi(stream).responses.create({ model: 'm', input: '', stream: true })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.output_text.done') expect(event.text).to.equal(text);
      if (event.type === 'response.completed') expect(JSON.stringify(event.response.output)).to.contain(TEXT);
    }
    expect(text).to.equal(TEXT);
  });

  it('reads a stream of completions', async () => {
    const { stream } = await streamOf('completions');
    let text = '';
    for await (const chunk of await openAi(stream).completions.create({ model: 'm', prompt: '', stream: true })) {
      text += chunk.choices[0]?.text ?? '';
    }
    expect(text).to.equal(TEXT);
  });

  const error = { status: 400, code: 'guardrail_blocked', message: 'The request is blocked.' };

  it('reads an error', async () => {
    const { contentType, body } = errorBodyOf({ api: 'openai' }, error);
    const thrown = await openAi(body, contentType, 400)
      .chat.completions.create({ model: 'm', messages: [] })
      .then(
        () => undefined,
        (one: unknown) => one,
      );
    expect(thrown)
      .to.be.instanceOf(OpenAI.BadRequestError)
      .and.include({ code: 'guardrail_blocked', type: 'invalid_request_error' });
  });

  it('reads an error in a stream', async () => {
    const event = errorEventOf({ api: 'openai' }, 'text/event-stream', { ...error, status: 502 });
    const stream = await openAi(event).chat.completions.create({ model: 'm', messages: [], stream: true });
    const thrown = await stream[Symbol.asyncIterator]()
      .next()
      .catch((one: unknown) => one);
    expect(thrown).to.be.instanceOf(OpenAI.APIError).and.have.property('code', 'guardrail_blocked');
  });
});

describe('the SDK of Anthropic', () => {
  it('reads a stream of messages', async () => {
    const { stream } = await streamOf('messages');
    const message = await anthropic(stream).messages.stream({ model: 'm', max_tokens: 1, messages: [] }).finalMessage();
    expect(message.content).to.deep.equal([
      { type: 'thinking', thinking: TEXT, signature: 'abc' },
      { type: 'text', text: TEXT },
      { type: 'tool_use', id: 't', name: 'find', input: { a: TEXT } },
    ]);
  });

  const error = { status: 400, code: 'guardrail_blocked', message: 'The request is blocked.' };

  it('reads an error', async () => {
    const { contentType, body } = errorBodyOf({ api: 'anthropic' }, error);
    const thrown = await anthropic(body, contentType, 400)
      .messages.create({ model: 'm', max_tokens: 1, messages: [] })
      .then(
        () => undefined,
        (one: unknown) => one,
      );
    expect(thrown).to.be.instanceOf(Anthropic.BadRequestError);
    expect((thrown as Error).message)
      .to.contain('The request is blocked.')
      .and.contain('guardrail_blocked');
  });

  it('reads an error in a stream', async () => {
    const event = errorEventOf({ api: 'anthropic' }, 'text/event-stream', { ...error, status: 502 });
    const thrown = await anthropic(event)
      .messages.stream({ model: 'm', max_tokens: 1, messages: [] })
      .finalMessage()
      .then(
        () => undefined,
        (one: unknown) => one,
      );
    expect(thrown).to.be.instanceOf(Anthropic.APIError);
  });
});
