import { expect } from 'chai';
import { createFakeAnalyzer, createTestGuard } from '../../pseudonymization/testing/testGuard.ts';
import { BodyCalls, CARD, EMAIL, known } from '../testing/bodyCalls.ts';

const chat = known('POST', '/v1/chat/completions');

describe('guardBody', () => {
  it('changes the strings with values, and keeps every other byte', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const bodyWith = (value: string, name: string): string =>
      `{ "model": "m",\t"user":"${EMAIL}", "messages":[{"role":"user","name":"${name}","content":"I am ${value} \\u00e9"}],` +
      `"temperature":1.0, "new":1e400, "stop":["a","${value}"], "stop":"${value}", "metadata":{"${value}":"${value}"} }`;
    const sent = await calls.sent(chat, bodyWith(EMAIL, EMAIL));
    const expected = bodyWith(pseudonym, pseudonym.replace('<', '[').replace('>', ']'));
    expect(sent).to.equal(expected.replace(`${pseudonym} \\u00e9`, `${pseudonym} é`));
  });

  it('checks names and numbers of free-form members', async () => {
    const calls = new BodyCalls();
    const body = `{"messages":[],"extension":{"${EMAIL}":[${CARD}, 1.50]}}`;
    const sent = await calls.sent(chat, body);
    expect(sent).to.not.contain(EMAIL).and.not.contain(CARD);
    expect(sent).to.match(
      /^\{"messages":\[\],"extension":\{"<EMAIL_ADDRESS_\w+>":\["\[CREDIT_CARD_\w+\]", 1\.50\]\}\}$/,
    );
  });

  it('replaces names of properties only if they are values of exact form, alike wherever they are', async () => {
    const calls = new BodyCalls(
      createTestGuard(createFakeAnalyzer({ [EMAIL]: 'EMAIL_ADDRESS', Anna: 'PERSON' })).guard,
    );
    const bodyWith = (email: string): string => {
      const all = { [email]: 1, Anna: 2 };
      const schema = { type: 'object', properties: all, required: Object.keys(all) };
      const call = { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify(all) } };
      return JSON.stringify({
        tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
        messages: [
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: all }] },
        ],
      });
    };
    const sent = await calls.sent(chat, bodyWith(EMAIL));
    const [pseudonym = ''] = /<EMAIL_ADDRESS_\w+>/.exec(sent) ?? [];
    expect(sent).to.equal(bodyWith(pseudonym));
  });

  describe('a number in place of a text', () => {
    const user = (content: unknown): object => ({ messages: [{ role: 'user', content }] });
    const input = known('POST', '/v1/responses');
    for (const [what, operation, body] of [
      ['a content', chat, user(Number(CARD))],
      ['a part', chat, user([{ type: 'text', text: Number(CARD) }])],
      ['a list of contents', chat, user([Number(CARD)])],
      ['a prompt', known('POST', '/v1/completions'), { prompt: Number(CARD) }],
      ['prompts', known('POST', '/v1/completions'), { prompt: ['a', Number(CARD)] }],
      ['an input', input, { input: Number(CARD) }],
      [
        'the output of a tool',
        input,
        { input: [{ type: 'function_call_output', call_id: 'c', output: Number(CARD) }] },
      ],
      ['the result of a tool', chat, { messages: [{ role: 'tool', tool_call_id: 't', content: Number(CARD) }] }],
      [
        'a block of a result',
        known('POST', '/v1/messages'),
        user([{ type: 'tool_result', tool_use_id: 't', content: Number(CARD) }]),
      ],
    ] as const)
      it(`is checked: ${what}`, async () => {
        const sent = await new BodyCalls().sent(operation, JSON.stringify(body));
        expect(sent).to.match(/"<CREDIT_CARD_\w+>"/);
        expect(sent).to.not.include(CARD);
      });

    it('stays a number if nothing is found, and so do tokens', async () => {
      const calls = new BodyCalls();
      for (const body of [
        user(12345678),
        { prompt: [[1, 2, 50256], [7]] },
        { prompt: [50256], max_tokens: 99999999 },
      ]) {
        const text = JSON.stringify(body);
        expect(await calls.sent('messages' in body ? chat : known('POST', '/v1/completions'), text)).to.equal(text);
      }
    });
  });

  it('keeps the pseudonyms of signed thoughts, and changes no signature', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const bodyWith = (value: string): string =>
      JSON.stringify({
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: `I greet ${value} and ${pseudonym}`, signature: `${EMAIL} x` },
              { type: 'redacted_thinking', data: 'abc' },
            ],
          },
        ],
      });
    expect(await calls.sent(known('POST', '/v1/messages'), bodyWith(EMAIL))).to.equal(bodyWith(pseudonym));
  });

  it('restores what the client typed as it looks like a pseudonym', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const body = JSON.stringify({ messages: [{ role: 'user', content: `What is ${pseudonym}?` }] });
    const sent = await calls.sent(chat, body);
    expect(sent).to.not.contain(pseudonym);
    expect(await calls.restored(chat, sent)).to.equal(body);
  });

  it('adds up what it finds in all parts of a request', async () => {
    const calls = new BodyCalls();
    const line = (prompt: string): string => JSON.stringify({ body: { prompt } });
    const lines = `${line(EMAIL)}\n${line(`${'x '.repeat(40_000)}${EMAIL}`)}`;
    const form = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n${lines}\r\n--b--\r\n`;
    const outcome = await calls.request(known('POST', '/v1/files'), form, 'multipart/form-data; boundary=b');
    expect(outcome.entities).to.deep.equal([
      { type: 'EMAIL_ADDRESS', detector: 'fake', action: 'pseudonymize', count: 2 },
    ]);
  });

  it('blocks as the policy says, and gives the reason', async () => {
    const analyzer = createFakeAnalyzer({ [EMAIL]: 'EMAIL_ADDRESS' }, { block: ['EMAIL_ADDRESS'] });
    const calls = new BodyCalls(createTestGuard(analyzer).guard);
    const outcome = await calls.request(chat, JSON.stringify({ messages: [], extra: EMAIL }));
    expect(outcome).to.include({ action: 'BLOCKED' }).and.have.property('reason').that.contains('blocked');
  });

  describe('a batch', () => {
    const files = known('POST', '/v1/files');
    const FORM = 'multipart/form-data; boundary=b';
    const formOf = (lines: readonly string[]): string =>
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n${lines.join('\n')}\r\n--b--\r\n`;
    const line = (prompt: string): string => JSON.stringify({ prompt });

    it('is one document, whatever its size: a value that one line has is replaced in all', async () => {
      const fake = createFakeAnalyzer({ 'ref-4711-ab': 'ID' });
      const labelled: typeof fake = {
        ...fake,
        analyze: async (texts, context) =>
          (await fake.analyze(texts, context)).map((found, at) => (/(?:^|")0: /.test(texts[at] ?? '') ? found : [])),
      };
      const calls = new BodyCalls(createTestGuard(labelled).guard);
      const filler = 'x '.repeat(500);
      const lines = Array.from({ length: 200 }, (_, at) =>
        line(`${at}: ${filler} ${at % 199 === 0 ? 'ref-4711-ab' : ''}`),
      );
      lines[100] = line('y'.repeat(100_000));
      const sent = await calls.sent(files, formOf(lines), FORM);
      expect(sent).to.not.include('ref-4711-ab');
      expect(new Set(sent.match(/<ID_\w+>/g))).to.have.length(1);
    });

    it('is blocked as a whole, and stores nothing then', async () => {
      const analyzer = createFakeAnalyzer(
        { [EMAIL]: 'EMAIL_ADDRESS', [CARD]: 'CREDIT_CARD' },
        { block: ['CREDIT_CARD'] },
      );
      const { guard, store } = createTestGuard(analyzer);
      const lines = [line(`I am ${EMAIL}`), ...Array<string>(300).fill(line('x'.repeat(500))), line(CARD)];
      const outcome = await new BodyCalls(guard).request(files, formOf(lines), FORM);
      expect(outcome.action).to.equal('BLOCKED');
      expect(await store.count()).to.equal(0);
    });
  });
});
