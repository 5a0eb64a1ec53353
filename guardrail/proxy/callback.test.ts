/** Calls that pass the proxy before a gateway that calls the same guardrail too, as while applications move to the proxy. */
import { expect } from 'chai';
import { startDevGateway, type DevGateway } from '../../hack/harness/gateway/gateway.ts';
import { freePort } from '../../hack/harness/processes.ts';
import { KEY, PLANTED, startHarness, type Harness } from '../testing/appHarness.ts';

const MASTER_KEY = 'sk-of-the-gateway';
const { email, iban } = PLANTED;
const TEXT = `Mail ${email} about ${iban}, then ${email} again. {"to":"${email}"}`;
const PSEUDONYM = /<(?:EMAIL_ADDRESS|IBAN_CODE)_[A-Z0-9]+>/;

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

describe('the inline proxy before a gateway that calls the guardrail too', () => {
  let gateway: DevGateway;
  let harness: Harness;
  before(async () => {
    const port = await freePort();
    const guardrail = { url: `http://127.0.0.1:${port}`, key: KEY };
    gateway = await startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm', guardrail });
    harness = await startHarness({
      env: { GUARDRAIL_PORT: String(port), GUARDRAIL_PROXY_UPSTREAM: gateway.url, GUARDRAIL_PROXY_PORT: '0' },
    });
  });
  after(async () => {
    await harness.stop();
    await gateway.stop();
  });

  const chat = (url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}`, ...headers },
      body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: TEXT }], ...body }),
    });

  async function messageOf(response: Response): Promise<Message> {
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    return (JSON.parse(text) as { choices: [{ message: Message }] }).choices[0].message;
  }

  async function streamed(response: Response): Promise<string> {
    const text = await response.text();
    expect(text).to.match(/data: \[DONE\]\s*$/);
    const events = text.split('\n').filter((line) => line.startsWith('data: {'));
    return events
      .map((line) => JSON.parse(line.slice('data: '.length)) as { choices: { delta: { content?: string | null } }[] })
      .map(({ choices }) => choices[0]?.delta.content ?? '')
      .join('');
  }

  /** What the model received in the latest call. */
  function seen(): string {
    const last = gateway.log().at(-1);
    expect(last?.guarded).to.equal(true);
    const text = JSON.stringify(last?.messages);
    for (const value of [email, iban]) expect(text).to.not.include(value);
    return text;
  }

  for (const endUser of [undefined, PLANTED.endUser]) {
    const body = endUser === undefined ? {} : { user: endUser };
    const whose = endUser === undefined ? 'no end user' : 'an end user';

    it(`restores an answer for ${whose}, and the gateway changes no pseudonym of the proxy`, async () => {
      const { content } = await messageOf(await chat(harness.proxyUrl, body));
      expect(content).to.equal(`You said: ${TEXT}`);
      expect(seen()).to.match(PSEUDONYM);
      expect(new Set(seen().match(/<EMAIL_ADDRESS_[A-Z0-9]+>/g))).to.have.length(1);
    });

    for (const size of [1, 3, 7]) {
      it(`restores a stream in chunks of ${size} for ${whose}`, async () => {
        const response = await chat(harness.proxyUrl, { ...body, model: `echo-c${size}`, stream: true });
        expect(await streamed(response)).to.equal(`You said: ${TEXT}`);
        seen();
      });
    }
  }

  it('restores the arguments of a tool call', async () => {
    const { tool_calls: calls } = await messageOf(await chat(harness.proxyUrl, { model: 'tool' }));
    expect(JSON.parse(calls?.[0]?.function.arguments ?? '')).to.deep.equal({ to: TEXT });
    seen();
  });

  it('restores a text of many values and kinds of values', async () => {
    const people = Array.from({ length: 40 }, (_, at) => `person.${at}.${at * 7919}@example.org`);
    const content = `Dear Anna Schmidt,\nplease call Bob Miller at +1 202-555-0123 or 4111 1111 1111 1111.\npassword: hunter2-Zebra!\nDOB: 1984-03-12, Hauptstraße 12, 10115 Berlin\n${people.join(', ')}\nKind regards\nMaria Lopez`;
    const messages = [{ role: 'user', content }];
    expect((await messageOf(await chat(harness.proxyUrl, { messages }))).content).to.equal(`You said: ${content}`);
    const guarded = gateway.log().at(-1)?.messages;
    expect(JSON.stringify(guarded)).to.not.match(/Schmidt|Miller|Lopez|hunter2|@example/);
    const tool = await messageOf(await chat(harness.proxyUrl, { model: 'tool', messages }));
    expect(JSON.parse(tool.tool_calls?.[0]?.function.arguments ?? '')).to.deep.equal({ to: content });
  });

  it('gives a value the same pseudonym in every call of a conversation', async () => {
    const first = await messageOf(await chat(harness.proxyUrl, {}));
    const messages = [
      { role: 'user', content: TEXT },
      { role: 'assistant', content: first.content },
      { role: 'user', content: `Once more: ${email}` },
    ];
    const { content } = await messageOf(await chat(harness.proxyUrl, { messages }));
    expect(content).to.equal(`You said: Once more: ${email}`);
    expect(new Set(seen().match(/<EMAIL_ADDRESS_[A-Z0-9]+>/g))).to.have.length(1);
  });

  it('restores the calls of both addresses at the same time, each with its own pseudonyms', async () => {
    for (let call = 0; call < 10; call += 1) {
      const content = `${call} to ${email}`;
      const both = await Promise.all(
        [harness.proxyUrl, gateway.url].map((url) => chat(url, { messages: [{ role: 'user', content }] })),
      );
      const texts = await Promise.all(both.map(async (answer) => (await messageOf(answer)).content));
      expect(texts).to.deep.equal([`You said: ${content}`, `You said: ${content}`]);
    }
    const pseudonyms = gateway
      .log()
      .slice(-20)
      .map(({ messages }) => /<EMAIL_ADDRESS_[A-Z0-9]+>/.exec(JSON.stringify(messages))?.[0]);
    expect(new Set(pseudonyms)).to.have.length(2).and.not.include(undefined);
  });

  it('gives no value to a caller who types its pseudonym at the other address', async () => {
    await messageOf(await chat(harness.proxyUrl, {}));
    const pseudonym = /<EMAIL_ADDRESS_[A-Z0-9]+>/.exec(seen())?.[0] ?? '';
    const messages = [{ role: 'user', content: `Who is ${pseudonym}?` }];
    const { content } = await messageOf(await chat(gateway.url, { messages }));
    expect(content).to.equal(`You said: Who is ${pseudonym}?`);
  });

  for (const mark of ['1', 'true', 't0abc.0123456789abcdef0123456789abcdef'])
    it(`gives no value to a caller of the same session who types its pseudonym and claims the mark ${mark}`, async () => {
      // Without an end user, all users of a key share a session.
      await messageOf(await chat(gateway.url, {}));
      const pseudonym = /<EMAIL_ADDRESS_[A-Z0-9]+>/.exec(seen())?.[0] ?? '';
      const messages = [{ role: 'user', content: `Who is ${pseudonym}?` }];
      const { content } = await messageOf(await chat(gateway.url, { messages }, { 'x-guardrail-pseudonymized': mark }));
      expect(content).to.equal(`You said: Who is ${pseudonym}?`);
    });
});
