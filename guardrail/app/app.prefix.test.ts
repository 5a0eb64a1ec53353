import { expect } from 'chai';
import { KEY, startHarness, type Harness } from '../testing/appHarness.ts';
import { startInline, TOKEN, type Inline } from '../testing/inlineHarness.ts';

/** The texts of a conversation, beginning with the user's, as a form of the service sends them to the model. */
type Send = (texts: readonly string[]) => Promise<readonly string[]>;

/** What the user says. The model quotes each, so that later messages name words of earlier ones. */
const SAID = [
  'Tighten each Bolt before use. Summer is warm, and Angela Merkel was chancellor.',
  'Please call my colleague Tamsin Bolt on +49 30 901820.',
  'My daughter Summer is five. Her code is 4711-2298.',
  'Customer number: 4711-2298\nName: Angela Merkel',
  'Thanks, and goodbye.',
];
const answerTo = (sent: string): string => `You wrote: ${sent}`;

const messagesOf = (texts: readonly string[]): { role: string; content: string }[] =>
  texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
const contentsOf = (messages: unknown): string[] => (messages as { content: string }[]).map(({ content }) => content);

describe('messages that were sent', () => {
  let harness: Harness;
  let inline: Inline;
  before(async () => {
    harness = await startHarness();
    inline = await startInline();
    inline.script((response, { body }) => {
      const content = answerTo(contentsOf((JSON.parse(body) as { messages: unknown }).messages).at(-1) ?? '');
      const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices: [choice] }));
    });
  });
  after(() => Promise.all([harness.stop(), inline.stop()]));

  /** What a call before the model changes; undefined if it changes nothing. */
  const post = async (path: string, body: object, headers = {}): Promise<Record<string, unknown>> => {
    const answer = await harness.call('POST', path, body, { headers });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Record<string, unknown>;
  };
  const user = { request_data: { user_api_key_hash: 'key' } };
  const callback: Send = async (texts) => {
    const messages = messagesOf(texts);
    const changed = await post('/beta/litellm_basic_guardrail_api', {
      ...{ ...user, input_type: 'request', texts, structured_messages: messages },
    });
    const sent = changed as { texts?: string[]; structured_messages?: unknown };
    expect(sent.texts ?? texts).to.deep.equal(contentsOf(sent.structured_messages ?? messages));
    return sent.texts ?? texts;
  };
  const portkey: Send = async (texts) => {
    const messages = messagesOf(texts);
    const json = { model: 'm', messages, user: 'planted', stream: false };
    const { transformedData } = await post(
      '/v1/peer/check',
      {
        ...{ eventType: 'beforeRequestHook', request: { json }, metadata: { _user: 'u' } },
      },
      { 'x-guardrail-team': 'red' },
    );
    const sent = (transformedData as { request: { json: Record<string, unknown> } } | undefined)?.request.json ?? json;
    expect(Object.keys(sent).slice(0, 4)).to.deep.equal(['model', 'messages', 'user', 'stream']);
    return contentsOf(sent.messages);
  };
  const agentgateway: Send = async (texts) => {
    const messages = messagesOf(texts);
    const headers = { 'x-guardrail-team': 'red', 'x-session-id': 'conversation' };
    const { action } = await post('/v1/peer/check', { body: { messages } }, headers);
    return contentsOf((action as { body?: { messages: unknown } }).body?.messages ?? messages);
  };
  const shield: Send = async (texts) => {
    const headers = { 'x-api-key': '', authorization: `Bearer ${KEY}`, 'x-session-id': 'c'.repeat(40) };
    return ((await post('/v1/guard/redact', { texts }, headers)) as { texts: string[] }).texts;
  };
  const restored = async (text: string): Promise<string> => {
    const answer = await post('/beta/litellm_basic_guardrail_api', { ...user, input_type: 'response', texts: [text] });
    return (answer as { texts: string[] }).texts[0] ?? '';
  };

  for (const [name, send] of Object.entries({ callback, portkey, agentgateway, shield })) {
    it(`stay as they were when the conversation goes on: ${name}`, async () => {
      const history: string[] = [];
      let last: readonly string[] = [];
      for (const text of SAID) {
        history.push(text);
        const sent = await send([...history]);
        expect(sent.slice(0, last.length)).to.deep.equal(last);
        last = sent;
        // Only the caller of the callback can restore here. The client of another gateway gets the same text.
        const answer = answerTo(sent.at(-1) ?? '');
        history.push(name === 'callback' ? await restored(answer) : answerTo(text));
      }
      expect(last.at(0)).to.contain('each Bolt before').and.to.contain('Angela Merkel was');
      expect(last.join('\n'))
        .to.match(/colleague <PERSON_/)
        .and.to.match(/Name: <PERSON_/);
    });
  }

  it('stay as they were when the conversation goes on: inline, with the answers that the client got', async () => {
    const history: string[] = [];
    const bodies: string[] = [];
    for (const text of SAID) {
      history.push(text);
      const answer = await fetch(`${inline.proxyUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({ model: 'm', messages: messagesOf(history) }),
      });
      const { choices } = (await answer.json()) as { choices: { message: { content: string } }[] };
      history.push(choices[0]?.message.content ?? '');
      bodies.push(inline.received.at(-1)?.body ?? '');
    }
    for (const [at, body] of bodies.slice(1).entries())
      expect(body.startsWith(bodies[at]?.slice(0, -']}'.length) ?? '?'), body).to.equal(true);
    expect(history.at(-3)).to.equal(`You wrote: ${SAID.at(-2) ?? ''}`);
    expect(bodies.at(-1))
      .to.contain('each Bolt before')
      .and.to.match(/colleague <PERSON_/);
  });
});
