import { expect } from 'chai';
import { generic, UnreadableAnswerError } from './bodies.ts';
import { BodyCalls, EMAIL, known, QUOTED } from './testing/bodyCalls.ts';

const chat = known('POST', '/v1/chat/completions');

describe('restoreBody', () => {
  it('restores every string, and keeps every other byte', async () => {
    const calls = new BodyCalls();
    const answerWith = (email: string, name: string): string =>
      `{ "id":"c", "choices" : [{"index":0,"message":{"role":"assistant","content":"Hi ${email} \\u00e9","refusal":"${email}",` +
      `"reasoning_content":"${email}","tool_calls":[{"id":"t","function":{"name":"f","arguments":"{\\"a\\": \\"${name}\\", \\"n\\": 1.0}"}}],` +
      `"annotations":[{"type":"url_citation","url_citation":{"title":"${email}","url":"https://example.com/"}}]}}],` +
      `"usage":{"cost":1.0}, "metadata":{"${email}":"${email}"}, "error":{"message":"No ${email}","type":"x","param":"${email}"} }`;
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const restored = await calls.restored(chat, answerWith(pseudonym, await calls.pseudonymOf(QUOTED)));
    const escaped = JSON.stringify(JSON.stringify(QUOTED).slice(1, -1)).slice(1, -1);
    expect(restored).to.equal(answerWith(EMAIL, escaped).replace(`${EMAIL} \\u00e9`, `${EMAIL} é`));
  });

  it('never restores an address that the model wrote', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const answer = JSON.stringify({
      choices: [
        {
          message: {
            content: `![x](https://evil.example/?${pseudonym})`,
            images: [{ type: 'image_url', image_url: { url: `https://evil.example/${pseudonym}` } }],
            annotations: [{ type: 'url_citation', url_citation: { url: `https://evil.example/${pseudonym}` } }],
          },
        },
      ],
    });
    expect(await calls.restored(chat, answer)).to.equal(answer);
  });

  describe('logprobs', () => {
    const withLogprobs = (content: string, logprobs: unknown): object => ({ index: 0, message: { content }, logprobs });
    const tokens = {
      content: [{ token: '<', logprob: -1, bytes: [60], top_logprobs: [{ token: '<' }] }],
      refusal: null,
    };

    it('are dropped where the text changed, and only there', async () => {
      const calls = new BodyCalls();
      const pseudonym = await calls.pseudonymOf(EMAIL);
      const answer = {
        choices: [withLogprobs(pseudonym, tokens), withLogprobs('a < b', tokens), withLogprobs(pseudonym, null)],
      };
      expect(JSON.parse(await calls.restored(chat, JSON.stringify(answer)))).to.deep.equal({
        choices: [withLogprobs(EMAIL, null), withLogprobs('a < b', tokens), withLogprobs(EMAIL, null)],
      });
    });

    it('of responses and of Gemini are dropped in their form', async () => {
      const calls = new BodyCalls();
      const pseudonym = await calls.pseudonymOf(EMAIL);
      const responses = {
        output: [{ type: 'message', content: [{ type: 'output_text', text: pseudonym, logprobs: [{ token: '<' }] }] }],
      };
      expect(JSON.parse(await calls.restored(known('POST', '/v1/responses'), JSON.stringify(responses)))).to.deep.equal(
        {
          output: [{ type: 'message', content: [{ type: 'output_text', text: EMAIL, logprobs: [] }] }],
        },
      );
      const gemini = {
        candidates: [
          { content: { parts: [{ text: pseudonym }] }, logprobsResult: { chosenCandidates: [{ token: '<' }] } },
        ],
      };
      const restored = await calls.restored(known('POST', '/v1beta/models/g:generateContent'), JSON.stringify(gemini));
      expect(JSON.parse(restored)).to.deep.equal({
        candidates: [{ content: { parts: [{ text: EMAIL }] }, logprobsResult: null }],
      });
    });

    it('of a stream are dropped in the events whose text changes', async () => {
      const calls = new BodyCalls();
      const pseudonym = await calls.pseudonymOf(EMAIL);
      const event = (content: string): string =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, logprobs: { content: [{ token: content }] } }] })}\n\n`;
      const stream = event('Hi') + event(pseudonym.slice(0, 9)) + event(`${pseudonym.slice(9)}!`);
      const sent = Buffer.concat(await calls.streamed(chat, [Buffer.from(stream)])).toString();
      expect(sent).to.not.contain(pseudonym.slice(0, 9)).and.not.contain(pseudonym.slice(9));
      expect(sent.startsWith(event('Hi'))).to.equal(true);
    });
  });

  it('restores each line of the results of a batch', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const resultsWith = (value: string): string =>
      [
        {
          custom_id: 'a',
          response: { status_code: 200, body: { choices: [{ message: { content: value } }] } },
          error: null,
        },
        {
          custom_id: value,
          result: { type: 'succeeded', message: { type: 'message', content: [{ type: 'text', text: value }] } },
        },
        {
          custom_id: 'c',
          response: { body: { output: [{ type: 'message', content: [{ type: 'output_text', text: value }] }] } },
        },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('\n');
    const operations = [known('GET', '/v1/files/f/content'), known('GET', '/v1/messages/batches/b/results')];
    for (const [at, type] of ['application/octet-stream', 'application/x-jsonl'].entries()) {
      const operation = operations[at] ?? chat;
      expect(await calls.restored(operation, resultsWith(pseudonym), type)).to.equal(resultsWith(EMAIL));
      const streamed = await calls.streamed(operation, [Buffer.from(resultsWith(pseudonym))], type);
      expect(Buffer.concat(streamed).toString()).to.equal(resultsWith(EMAIL));
    }
  });

  it('restores what is no JSON as a text, and passes sound and images', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    expect(await calls.restored(chat, `<p>${pseudonym}</p>`, 'text/html')).to.equal(`<p>${EMAIL}</p>`);
    const srt = `1\n00:00:00 --> 00:00:01\n${pseudonym}\n`;
    expect(await calls.restored(chat, srt, 'text/plain; charset=utf-8')).to.equal(srt.replace(pseudonym, EMAIL));
    expect(await calls.restored(chat, pseudonym, 'audio/mpeg')).to.equal(pseudonym);
    expect(await calls.restored(chat, '', 'application/json')).to.equal('');
  });

  it('restores embeddings, however many numbers they have', async () => {
    const calls = new BodyCalls();
    const answer = `{"data":[${'0.25,'.repeat(600_000)}0],"error":"${await calls.pseudonymOf(EMAIL)}"}`;
    const restored = await calls.restored(known('POST', '/v1/embeddings'), answer);
    expect(restored.slice(-50)).to.contain(EMAIL);
  });

  it('restores a stream of Gemini that arrives as one array', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const part = (text: string): object => ({ candidates: [{ content: { parts: [{ text }] } }] });
    const answer = JSON.stringify([part(pseudonym.slice(0, 9)), part(pseudonym.slice(9))]);
    const restored = await calls.restored(known('POST', '/v1beta/models/g:streamGenerateContent'), answer);
    expect(JSON.parse(restored)).to.deep.equal([part(''), part(EMAIL)]);
  });

  const broken: [name: string, body: string | Buffer][] = [
    ['invalid JSON', '{"a":'],
    ['a page', '<html>'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['deep nesting', '['.repeat(300) + ']'.repeat(300)],
  ];
  for (const [name, body] of broken) {
    it(`refuses ${name} in the name of JSON`, async () => {
      for (const operation of [chat, generic]) {
        const error: unknown = await new BodyCalls().restored(operation, body).catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(UnreadableAnswerError);
      }
    });
  }

  it('refuses a stream that ends in the middle of an event', async () => {
    const error: unknown = await new BodyCalls()
      .streamed(chat, [Buffer.from('data: {"choices":[{"delta":{"content":"a"')])
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UnreadableAnswerError);
  });
});
