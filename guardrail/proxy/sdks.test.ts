import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'chai';
import OpenAI from 'openai';
import { PLANTED } from '../testing/appHarness.ts';
import { startInline, TOKEN, type Inline, type Script } from '../testing/inlineHarness.ts';

const { email } = PLANTED;
const SENTENCE = `Write to ${email} today.`;

/** The first pseudonym of a request. */
const pseudonymIn = (body: string): string => /<EMAIL_ADDRESS_\w+>/.exec(body)?.[0] ?? 'no pseudonym';
const sentenceFor = (body: string): string => `Write to ${pseudonymIn(body)} today.`;
const isStreamed = (body: string): boolean => (JSON.parse(body) as { stream?: boolean }).stream === true;
const pieces = (text: string): string[] => text.match(/[^]{1,3}/g) ?? [];

const json =
  (value: unknown): Script =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const events =
  (all: readonly [name: string | undefined, data: unknown][]): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [name, data] of all) {
      response.write(
        `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
      );
    }
    response.end();
  };

/** A model that answers chat completions: with a sentence, or with a tool call if it gets tools. */
const openaiModel: Script = (response, received, request) => {
  const { body } = received;
  const hasTools = body.includes('"tools"');
  const base = { id: 'chatcmpl-1', created: 1, model: 'm' };
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'send', arguments: JSON.stringify({ to: pseudonymIn(body) }) },
  };
  const message = {
    role: 'assistant',
    ...(hasTools ? { content: null, tool_calls: [call] } : { content: sentenceFor(body), refusal: null }),
  };
  const finish_reason = hasTools ? 'tool_calls' : 'stop';
  if (!isStreamed(body)) {
    json({ ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason, logprobs: null }] })(
      response,
      received,
      request,
    );
    return;
  }
  const event = (delta: object, finish: string | null = null): [undefined, object] => [
    undefined,
    { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] },
  ];
  const deltas = hasTools
    ? [
        event({ role: 'assistant', tool_calls: [{ index: 0, ...call, function: { name: 'send', arguments: '' } }] }),
        ...pieces(call.function.arguments).map((text) =>
          event({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
        ),
      ]
    : [event({ role: 'assistant', content: '' }), ...pieces(sentenceFor(body)).map((content) => event({ content }))];
  events([...deltas, event({}, finish_reason), [undefined, '[DONE]']])(response, received, request);
};

/** A model that answers messages of Anthropic's API: with a sentence, or with a tool call if it gets tools. */
const anthropicModel: Script = (response, received, request) => {
  const { body } = received;
  const hasTools = body.includes('"tools"');
  const input = { to: pseudonymIn(body) };
  const block = hasTools
    ? { type: 'tool_use', id: 'toolu_1', name: 'send', input }
    : { type: 'text', text: sentenceFor(body) };
  const stop_reason = hasTools ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null, usage };
  if (!isStreamed(body)) {
    json({ ...message, content: [block], stop_reason })(response, received, request);
    return;
  }
  const named = (data: { type: string }): [string, object] => [data.type, data];
  const deltas = hasTools
    ? pieces(JSON.stringify(input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
    : pieces(sentenceFor(body)).map((text) => ({ type: 'text_delta', text }));
  const empty = hasTools ? { ...block, input: {} } : { type: 'text', text: '' };
  const sent = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'ping' },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  events(sent.map(named))(response, received, request);
};

describe('official clients through the inline proxy', () => {
  let inline: Inline;
  let openai: OpenAI;
  let anthropic: Anthropic;
  before(async () => {
    inline = await startInline({ env: { GUARDRAIL_POLICY: 'entities: {CREDIT_CARD: block}' } });
    openai = new OpenAI({ baseURL: `${inline.proxyUrl}/v1`, apiKey: TOKEN, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: inline.proxyUrl, apiKey: TOKEN, maxRetries: 0 });
  });
  after(() => inline.stop());
  afterEach(() => {
    for (const { body } of inline.received.splice(0)) expect(body).to.not.include(email);
  });

  const messages = [{ role: 'user' as const, content: SENTENCE }];
  const parameters = { type: 'object' as const, properties: { to: { type: 'string' } } };

  describe('of OpenAI', () => {
    beforeEach(() => {
      inline.script(openaiModel);
    });
    const tools = [{ type: 'function' as const, function: { name: 'send', parameters } }];

    it('get a completion', async () => {
      const { choices } = await openai.chat.completions.create({ model: 'm', messages });
      expect(choices[0]?.message.content).to.equal(SENTENCE);
    });

    it('get a tool call', async () => {
      const { choices } = await openai.chat.completions.create({ model: 'm', messages, tools });
      expect(choices[0]?.message.tool_calls?.[0]).to.have.nested.property(
        'function.arguments',
        JSON.stringify({ to: email }),
      );
    });

    it('get a stream', async () => {
      const stream = openai.chat.completions.stream({ model: 'm', messages });
      const seen: string[] = [];
      stream.on('content', (_, snapshot) => seen.push(snapshot));
      expect(await stream.finalContent()).to.equal(SENTENCE);
      for (const snapshot of seen) expect(SENTENCE.startsWith(snapshot), snapshot).to.equal(true);
    });

    it('get a streamed tool call', async () => {
      const stream = openai.chat.completions.stream({ model: 'm', messages, tools });
      const { choices } = await stream.finalChatCompletion();
      expect(choices[0]?.message.tool_calls?.[0]).to.have.nested.property(
        'function.arguments',
        JSON.stringify({ to: email }),
      );
    });

    it('get the responses API', async () => {
      inline.script((response, received, request) => {
        const content = [{ type: 'output_text', text: sentenceFor(received.body), annotations: [] }];
        const output = [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }];
        json({ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm', output })(
          response,
          received,
          request,
        );
      });
      expect((await openai.responses.create({ model: 'm', input: SENTENCE })).output_text).to.equal(SENTENCE);
    });

    it('list models', async () => {
      inline.script(json({ object: 'list', data: [{ id: 'gpt-4o', object: 'model', created: 1, owned_by: 'o' }] }));
      expect((await openai.models.list()).data.map(({ id }) => id)).to.deep.equal(['gpt-4o']);
    });

    for (const stream of [false, true]) {
      it(`get a block as an error${stream ? ' of a stream' : ''}`, async () => {
        const blocked = [{ role: 'user' as const, content: `My card is ${PLANTED.card}` }];
        const error: unknown = await openai.chat.completions.create({ model: 'm', messages: blocked, stream }).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).to.be.instanceOf(OpenAI.BadRequestError).and.include({ code: 'guardrail_blocked' });
        expect(inline.received).to.have.length(0);
      });
    }

    it('get an error for a stream that breaks off', async () => {
      let breakOff = (): unknown => undefined;
      inline.script((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n`);
        breakOff = () => response.destroy();
      });
      const error: unknown = await (async () => {
        for await (const _ of await openai.chat.completions.create({ model: 'm', messages, stream: true })) breakOff();
      })().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(OpenAI.APIError).and.include({ code: 'upstream_failed' });
    });
  });

  describe('of Anthropic', () => {
    beforeEach(() => {
      inline.script(anthropicModel);
    });
    const params = { model: 'm', max_tokens: 100, messages };
    const tools = [{ name: 'send', input_schema: parameters }];

    it('get a message', async () => {
      const { content } = await anthropic.messages.create(params);
      expect(content).to.deep.equal([{ type: 'text', text: SENTENCE }]);
    });

    it('get a tool call', async () => {
      const { content } = await anthropic.messages.create({ ...params, tools });
      expect(content[0])
        .to.include({ type: 'tool_use' })
        .and.deep.include({ input: { to: email } });
    });

    it('get a stream', async () => {
      expect(await anthropic.messages.stream(params).finalText()).to.equal(SENTENCE);
    });

    it('get a streamed tool call', async () => {
      const { content } = await anthropic.messages.stream({ ...params, tools }).finalMessage();
      expect(content[0]).to.deep.include({ input: { to: email } });
    });

    it('get a block as an error', async () => {
      const blocked = [{ role: 'user' as const, content: `My card is ${PLANTED.card}` }];
      const error: unknown = await anthropic.messages.create({ ...params, messages: blocked }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(Anthropic.BadRequestError);
      expect((error as { error: unknown }).error).to.have.nested.property('error.code', 'guardrail_blocked');
    });
  });

  it('send keys of Gemini in the query', async () => {
    inline.script((response, received, request) => {
      const text = sentenceFor(received.body);
      json({ candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }] })(
        response,
        received,
        request,
      );
    });
    const key = 'AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY';
    const response = await fetch(`${inline.proxyUrl}/v1beta/models/gemini-2.5-pro:generateContent?key=${key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: SENTENCE }] }] }),
    });
    expect(await response.text()).to.include(email);
    expect(inline.received[0]?.url).to.equal(`/v1beta/models/gemini-2.5-pro:generateContent?key=${key}`);
  });
});
