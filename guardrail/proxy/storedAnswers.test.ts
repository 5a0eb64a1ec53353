import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { PLANTED } from '../testing/appHarness.ts';
import { startInline, TOKEN, type Inline, type Script } from '../testing/inlineHarness.ts';
import { AnswerId } from './storedAnswers.ts';

const { email } = PLANTED;

/** Answers like an API that stores what it has answered: the text of the request, under an id. */
function storing(): Script {
  const stored = new Map<string, string>();
  return (response, { method, url, body }) => {
    const [, kind = '', id = randomUUID()] =
      /^\/v1\/(responses|conversations|chat\/completions)(?:\/([^/?]+))?/.exec(url) ?? [];
    if (method === 'POST') stored.set(id, JSON.stringify({ [kind]: kind, text: body, id, user: null }));
    const answer = stored.get(id) ?? '{}';
    const isStream = body.includes('"stream":true');
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    if (!isStream) return response.end(answer);
    const events = [`event: response.created\ndata: {"type":"response.created","response":{"id":"${id}"}}\n\n`];
    for (const text of ['a', 'b'])
      events.push(`data: ${JSON.stringify({ type: 'response.output_text.delta', delta: text })}\n\n`);
    // In pieces that split the id.
    for (const piece of events.join('').match(/.{1,20}/gsu) ?? []) response.write(piece);
    return response.end();
  };
}

interface Creation {
  readonly path: string;
  readonly fields?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const CREATIONS: Readonly<Record<string, Creation>> = {
  'a response of an end user': { path: '/v1/responses', fields: { user: 'u-1' } },
  'a response in the background': { path: '/v1/responses', fields: { safety_identifier: 'u-1', background: true } },
  'a streamed response': { path: '/v1/responses', fields: { user: 'u-1', stream: true } },
  'a response of a conversation of the client': { path: '/v1/responses', headers: { 'x-session-id': 's-1' } },
  'a response that names nobody': { path: '/v1/responses' },
  'a conversation': { path: '/v1/conversations', fields: { metadata: { user_id: 'u-1' } } },
  'a chat completion that is stored': { path: '/v1/chat/completions', fields: { user: 'u-1', store: true } },
};

for (const scope of ['user', 'conversation', 'call']) {
  describe(`an answer that the API stores, with GUARDRAIL_SESSION_SCOPE=${scope}`, () => {
    let inline: Inline;
    before(async () => {
      inline = await startInline({ env: { GUARDRAIL_SESSION_SCOPE: scope, GUARDRAIL_ADMIN_KEYS: 'litellm' } });
    });
    after(() => inline.stop());
    beforeEach(() => {
      inline.script(storing());
    });

    const call = (path: string, init: RequestInit = {}, token = TOKEN): Promise<Response> =>
      fetch(inline.proxyUrl + path, {
        ...init,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...(init.headers as object) },
      });
    /** @returns the path of what was created */
    const create = async ({ path, fields, headers }: Creation): Promise<string> => {
      const body = JSON.stringify({ input: `Write to ${email}.`, ...fields });
      const response = await call(path, { method: 'POST', body, headers: headers ?? {} });
      const text = await response.text();
      expect(text).to.not.match(/EMAIL_ADDRESS/);
      expect(inline.received.at(-1)?.body).to.not.include(email);
      return `${path}/${/"id":"([^"]+)"/.exec(text)?.[1] ?? ''}`;
    };

    for (const [what, creation] of Object.entries(CREATIONS)) {
      it(`is restored when it is fetched later: ${what}`, async () => {
        const response = await call(await create(creation));
        expect(await response.text()).to.include(email);
      });
    }

    it('is not restored for another caller', async () => {
      const path = await create({ path: '/v1/responses', fields: { user: 'u-1' } });
      const response = await call(path, {}, 'sk-of-another');
      expect(await response.text())
        .to.match(/EMAIL_ADDRESS/)
        .and.not.include(email);
    });

    it('is not restored after the end user was erased', async () => {
      const path = await create({ path: '/v1/responses', fields: { user: 'u-1' } });
      const { body } = await inline.call('POST', '/subjects/erase', { end_user_id: 'u-1', tenant: 'inline' });
      expect(body).to.have.property('erased').that.is.greaterThan(0);
      const response = await call(path);
      expect(await response.text())
        .to.match(/EMAIL_ADDRESS/)
        .and.not.include(email);
    });
  });
}

describe('the id of an answer', () => {
  const CASES: [what: string, pieces: string[], id: string | undefined][] = [
    ['a whole answer', ['{"text":"{\\"id\\":\\"x\\"}","id":"resp_1"}'], 'resp_1'],
    ['an event with a whole answer', ['event: a\ndata: {"type":"t","response":{"id":"resp_1"}}\n\n'], 'resp_1'],
    [
      'an event with an id',
      [': hi\n\n', 'data: {"id":"chat', 'cmpl-1"}\r\n', '\r\ndata: {"id":"other"}\n\n'],
      'chatcmpl-1',
    ],
    ['an event that is cut off', ['data: {"id":"resp_1"'], undefined],
    ['an answer without an id', ['{"text":"a"}'], undefined],
    ['an id that is no string', ['{"id":1}'], undefined],
    ['an answer that is no object', ['[{"id":"a"}]'], undefined],
    ['an answer that is no JSON', ['{"id":"a"'], undefined],
  ];
  for (const [what, pieces, id] of CASES) {
    it(`is ${id ?? 'none'}: ${what}`, () => {
      const answer = new AnswerId();
      const found = pieces.flatMap((piece) => answer.push(Buffer.from(piece)) ?? []);
      expect(found).to.deep.equal(id === undefined ? [] : [id]);
    });
  }
});
