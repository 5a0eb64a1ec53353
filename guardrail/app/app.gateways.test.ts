import { expect } from 'chai';
import { KEY, PLANTED, startHarness, type Answer, type Harness } from '../testing/appHarness.ts';
import { unchangedAnswer, type Guard } from '../pseudonymization/pseudonymization.ts';

type Body = Record<string, unknown>;

const OTHER_KEY = 'key-of-another-peer';
const KEYS = { GUARDRAIL_API_KEYS: `litellm:${KEY},another:${OTHER_KEY}` };
const TEXT = `Mail ${PLANTED.email}.`;
/** The header that the configuration of a gateway sets: its team. */
const RED = { 'x-guardrail-team': 'red' };
const BLUE = { 'x-guardrail-team': 'blue' };
const TOOL_CALL = {
  id: 'c',
  type: 'function',
  function: { name: 'mail', arguments: `{"to":"${PLANTED.otherEmail}"}` },
};
const TOOLS = [{ type: 'function', function: { name: 'mail', parameters: { type: 'object', required: ['to'] } } }];

describe('the endpoint /v1/peer/check', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness({ env: KEYS });
  });
  after(async () => {
    await harness.stop();
  });

  async function check(body: Body, headers: Record<string, string> = {}, path = '/v1/peer/check'): Promise<Body> {
    const answer = await harness.call('POST', path, body, { headers });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Body;
  }

  it('accepts the key only as x-api-key or as a bearer token', async () => {
    const body = { body: { messages: [] } };
    const statuses = await Promise.all(
      [
        { 'x-api-key': KEY },
        { 'x-api-key': '', authorization: `Bearer ${KEY}` },
        { 'x-api-key': '' },
        { 'x-api-key': '', authorization: `Basic ${KEY}` },
      ].map(async (headers) => (await harness.call('POST', '/v1/peer/check', body, { headers })).status),
    );
    expect(statuses).to.deep.equal([200, 200, 401, 401]);
  });

  const UNKNOWN: [path: string, body: unknown, expected: RegExp][] = [
    ['/v1/peer/check', {}, /request format is unknown: add the parameter \?dialect=portkey or agentgateway/],
    ['/v1/peer/check', [], /must be an object/],
    ['/v1/peer/check?dialect=other', { body: { messages: [] } }, /dialect must be portkey or agentgateway/],
    ['/v1/peer/check?dialect=portkey', {}, /request\.json must be an object/],
    ['/v1/peer/check?dialect=portkey', { request: { json: {} }, eventType: 'x' }, /eventType must be/],
    ['/v1/peer/check', { body: { messages: 'x' } }, /body\.messages or body\.choices must be an array/],
    ['/request', { body: {} }, /body\.messages or body\.choices/],
  ];
  for (const [path, body, expected] of UNKNOWN) {
    it(`returns 400 at ${path}: ${JSON.stringify(body)}`, async () => {
      const answer = await harness.call('POST', path, body);
      expect(answer.status).to.equal(400);
      expect((answer.body as { error: { message: string } }).error.message).to.match(expected);
      // agentgateway would read a member `action` as a verdict.
      expect(answer.body).to.not.have.property('action');
    });
  }

  describe('in the dialect of Portkey', () => {
    const hook = (eventType: string, request: Body, rest: Body = {}): Body => ({
      request: { json: request, text: '', isStreamingRequest: false, isTransformed: false },
      response: { json: {}, text: '', statusCode: null },
      provider: 'openai',
      requestType: 'chatComplete',
      metadata: {},
      eventType,
      ...rest,
    });
    const chat = (content: unknown, more: Body = {}): Body => ({
      model: 'm',
      messages: [{ role: 'user', content }],
      ...more,
    });
    const requestOf = (answer: Body): Body => {
      expect(answer.verdict).to.equal(true);
      return (answer.transformedData as { request: { json: Body } }).request.json;
    };
    const completion = (content: string): Body => ({
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content, tool_calls: [] } }],
    });

    it('replaces values in the whole request, and restores them in the whole response, including tool calls', async () => {
      const request = chat(TEXT, { tools: TOOLS, temperature: 0.5 });
      (request.messages as unknown[]).push({ role: 'assistant', content: null, tool_calls: [TOOL_CALL] });
      const sent = requestOf(await check(hook('beforeRequestHook', request)));
      const text = JSON.stringify(sent);
      expect(text).to.not.include('example.org');
      expect(sent).to.deep.include({ model: 'm', temperature: 0.5, tools: TOOLS });
      expect(sent.x_peer_session).to.match(/^[0-9a-f]{32}$/);
      const tag = /<EMAIL_ADDRESS_\w+>/.exec(text)?.[0] ?? '';
      const echoed = (sent.messages as { tool_calls?: (typeof TOOL_CALL)[] }[])[1]?.tool_calls;
      const answer = completion(`You said ${tag}.`);
      Object.assign((answer.choices as { message: Body }[])[0]?.message ?? {}, { tool_calls: echoed });
      const back = await check(hook('afterRequestHook', sent, { response: { json: answer, statusCode: 200 } }));
      const restored = (back.transformedData as { response: { json: Body } }).response.json;
      expect(restored).to.deep.equal({
        id: 'x',
        choices: [
          { index: 0, message: { role: 'assistant', content: `You said ${PLANTED.email}.`, tool_calls: [TOOL_CALL] } },
        ],
      });
    });

    it('restores nothing in the URL of an image', async () => {
      const sent = requestOf(await check(hook('beforeRequestHook', chat(TEXT))));
      const tag = /<EMAIL_ADDRESS_\w+>/.exec(JSON.stringify(sent))?.[0] ?? '';
      const answer = completion(`For ${tag}: ![x](https://e.example/?q=${tag})`);
      const back = await check(hook('afterRequestHook', sent, { response: { json: answer, statusCode: 200 } }));
      expect((back.transformedData as { response: { json: Body } }).response.json).to.deep.equal(
        completion(`For ${PLANTED.email}: ![x](https://e.example/?q=${tag})`),
      );
    });

    it('reports no change if nothing changes, and for streams, which it cannot restore', async () => {
      expect(await check(hook('beforeRequestHook', chat('Hello.')))).to.deep.equal({ verdict: true });
      const stream = hook('afterRequestHook', chat('Hello.'), { response: { json: null, statusCode: 200 } });
      expect(await check(stream)).to.deep.equal({ verdict: true });
    });

    const NAMES: [what: string, more: Body, rest: Body, headers: Record<string, string>][] = [
      ['a header', {}, {}, { 'x-session-id': 'chosen' }],
      ['metadata.session_id', {}, { metadata: { session_id: 'chosen' } }, {}],
      ['metadata.trace_id', {}, { metadata: { trace_id: 'chosen' } }, {}],
      ['metadata.conversation_id', {}, { metadata: { conversation_id: 'chosen' } }, {}],
      ['metadata._user', {}, { metadata: { _user: 'chosen' } }, {}],
      ['user', { user: 'chosen' }, {}, {}],
    ];
    it('keeps the session that a call names within its team, one for each kind of name', async () => {
      const sessions = new Set<unknown>();
      for (const [what, more, rest, named] of NAMES) {
        const headers = { ...named, ...RED };
        const first = requestOf(await check(hook('beforeRequestHook', chat(TEXT, more), rest), headers));
        const second = requestOf(await check(hook('beforeRequestHook', chat(TEXT, more), rest), headers));
        expect(first, what).to.deep.equal(second);
        sessions.add(first.x_peer_session);
        // A gateway can drop the token. The name of the session remains.
        const { x_peer_session: _, ...lost } = first;
        const content = (first.messages as { content: string }[])[0]?.content ?? '';
        const back = await check(
          hook('afterRequestHook', lost, { ...rest, response: { json: completion(content) } }),
          headers,
        );
        expect(JSON.stringify(back), what).to.include(TEXT);
      }
      const anonymous = requestOf(await check(hook('beforeRequestHook', chat(TEXT)), RED));
      sessions.add(anonymous.x_peer_session);
      expect(sessions.size).to.equal(NAMES.length + 1);
    });

    it('shares nothing between two teams with one API key, whatever session their clients name', async () => {
      for (const [what, more, rest, named] of NAMES) {
        const ask = async (team: Record<string, string>): Promise<Body> =>
          requestOf(await check(hook('beforeRequestHook', chat(TEXT, more), rest), { ...named, ...team }));
        const [red, blue, again] = [await ask(RED), await ask(BLUE), await ask(RED)];
        expect(red.messages, what).to.deep.equal(again.messages).and.not.to.deep.equal(blue.messages);
        const content = (red.messages as { content: string }[])[0]?.content ?? '';
        const { x_peer_session: token, ...lost } = red;
        for (const request of [lost, red, { ...blue, x_peer_session: token }]) {
          const after = hook('afterRequestHook', request, { ...rest, response: { json: completion(content) } });
          expect(await check(after, { ...named, ...BLUE }), what).to.deep.equal({ verdict: true });
        }
      }
    });

    it('stores mappings for one call only if the gateway does not name a team', async () => {
      for (const [what, more, rest, headers] of NAMES) {
        const ask = async (): Promise<Body> =>
          requestOf(await check(hook('beforeRequestHook', chat(TEXT, more), rest), headers));
        const [first, second] = [await ask(), await ask()];
        expect(first.messages, what).not.to.deep.equal(second.messages);
        const content = (first.messages as { content: string }[])[0]?.content ?? '';
        const answered = (request: Body): Promise<Body> =>
          check(hook('afterRequestHook', request, { ...rest, response: { json: completion(content) } }), headers);
        expect(JSON.stringify(await answered(first)), what).to.include(TEXT);
        const { x_peer_session: _, ...lost } = first;
        for (const request of [second, lost]) expect(await answered(request), what).to.deep.equal({ verdict: true });
      }
    });

    it('never accepts a token from a client, and separates tenants', async () => {
      const victim = requestOf(await check(hook('beforeRequestHook', chat(TEXT), { metadata: { _user: 'victim' } })));
      const token = victim.x_peer_session;
      const stolen = requestOf(await check(hook('beforeRequestHook', chat(TEXT, { x_peer_session: token }))));
      expect(stolen.x_peer_session).to.not.equal(token);
      const dropped = requestOf(await check(hook('beforeRequestHook', chat('Hello.', { x_peer_session: token }))));
      expect(dropped).to.deep.equal(chat('Hello.'));
      const content = (victim.messages as { content: string }[])[0]?.content ?? '';
      const asOther = { 'x-api-key': OTHER_KEY };
      const after = hook('afterRequestHook', victim, {
        metadata: { _user: 'victim' },
        response: { json: completion(content) },
      });
      expect(await check(after, asOther)).to.deep.equal({ verdict: true });
      expect(JSON.stringify(await check(after))).to.include(TEXT);
    });

    const USERS: [what: string, more: Body, rest: Body, headers: Record<string, string>][] = [
      ['metadata._user', {}, { metadata: { _user: PLANTED.endUser } }, {}],
      ['user', { user: PLANTED.endUser }, {}, {}],
      ['user, in a session of another name', { user: PLANTED.endUser }, {}, { 'x-session-id': 'chosen' }],
    ];
    for (const [what, more, rest, named] of USERS) {
      it(`erases the session of an end user: ${what}`, async () => {
        const headers = { ...named, ...RED };
        const before = await harness.call('POST', '/v1/peer/check', hook('beforeRequestHook', chat(TEXT, more), rest), {
          headers,
        });
        const sent = requestOf(before.body as Body);
        expect(JSON.stringify(sent.x_peer_session)).to.not.include(PLANTED.endUser);
        const content = (sent.messages as { content: string }[])[0]?.content ?? '';
        const { x_peer_session: _, ...lost } = sent;
        for (const request of [sent, lost]) {
          const after = hook('afterRequestHook', request, { ...rest, response: { json: completion(content) } });
          expect(JSON.stringify(await check(after, headers))).to.include(TEXT);
        }
        const asOther = { headers: { 'x-api-key': OTHER_KEY } };
        const erase = { end_user_id: PLANTED.endUser };
        expect((await harness.call('POST', '/subjects/erase', erase, asOther)).body).to.deep.equal({ erased: 0 });
        expect((await harness.call('POST', '/subjects/erase', erase)).body).to.deep.equal({ erased: 1 });
        const after = hook('afterRequestHook', sent, { ...rest, response: { json: completion(content) } });
        expect(await check(after, headers)).to.deep.equal({ verdict: true });
        // A call without a team has its own session, which the erasure also removes.
        const alone = requestOf(await check(hook('beforeRequestHook', chat(TEXT, more), rest)));
        expect((await harness.call('POST', '/subjects/erase', erase)).body).to.deep.equal({ erased: 1 });
        const late = hook('afterRequestHook', alone, {
          ...rest,
          response: { json: completion(JSON.stringify(alone.messages)) },
        });
        expect(await check(late)).to.deep.equal({ verdict: true });
        // In a Cluster, both must be on one node.
        expect(before.headers.get('x-session-id')?.slice(0, 4)).to.equal(String(sent.x_peer_session).slice(32, 36));
      });
    }

    it('refuses images', async () => {
      const parts = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
      const answer = await check(hook('beforeRequestHook', chat(parts)));
      expect(answer.verdict).to.equal(false);
      expect(JSON.stringify(answer.data)).to.match(/image/);
    });
  });

  describe('in the dialect of agentgateway', () => {
    const traced = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
    const headers = { ...traced, ...RED };
    const ask = (content: string): Body => ({
      body: {
        messages: [
          { role: 'user', content },
          { role: 'system', content: 'Be brief.' },
        ],
      },
    });
    const reply = (content: string): Body => ({ body: { choices: [{ message: { role: 'assistant', content } }] } });
    interface Mask {
      action: {
        body: { messages: { content: string }[]; choices: { message: { content: string } }[] };
        reason: string;
      };
    }

    for (const paths of [
      ['/v1/peer/check', '/v1/peer/check'],
      ['/request', '/response'],
    ] as const) {
      it(`replaces and restores at ${paths.join(' and ')}`, async () => {
        const masked = (await check(ask(TEXT), headers, paths[0])) as unknown as Mask;
        expect(masked.action.body.messages).to.have.length(2);
        const content = masked.action.body.messages[0]?.content ?? '';
        expect(content).to.match(/^Mail <EMAIL_ADDRESS_\w+>\.$/);
        const back = (await check(reply(`So: ${content}`), headers, paths[1])) as unknown as Mask;
        expect(back.action.body.choices[0]?.message.content).to.equal(`So: ${TEXT}`);
      });
    }

    it('restores nothing in the URL of an image', async () => {
      const masked = (await check(ask(TEXT), headers)) as unknown as Mask;
      const tag = /<EMAIL_ADDRESS_\w+>/.exec(JSON.stringify(masked))?.[0] ?? '';
      const back = (await check(reply(`${tag} <img src="//e.example/${tag}">`), headers)) as unknown as Mask;
      expect(back.action.body.choices[0]?.message.content).to.equal(`${PLANTED.email} <img src="//e.example/${tag}">`);
      expect(await check(reply(`![x](//e.example/${tag})`), headers)).not.to.have.nested.property('action.body');
    });

    it('returns no body if nothing changes', async () => {
      for (const body of [ask('Hello.'), reply('Hello.')]) {
        const answer = (await check(body, headers)) as unknown as Mask;
        expect(Object.keys(answer.action)).to.deep.equal(['reason']);
      }
    });

    for (const named of [{}, traced, { 'x-session-id': 'one' }, { ...traced, 'x-session-id': 'one' }]) {
      it(`rejects a request with personal data if the gateway does not name a team: ${JSON.stringify(named)}`, async () => {
        const answer = await check(ask(TEXT), named);
        expect(answer.action).to.deep.include({ status_code: 403 });
        expect(JSON.stringify(answer))
          .to.match(/x-guardrail-team/)
          .and.not.match(/example\.org/);
        expect(await check(ask('Hello.'), named)).not.to.have.nested.property('action.body');
      });
    }

    it('shares nothing between two teams with one API key, whatever session their clients name', async () => {
      for (const named of [{}, traced, { 'x-session-id': 'one' }]) {
        const ours = { ...named, ...RED };
        const masked = (await check(ask(TEXT), ours)) as unknown as Mask;
        const content = masked.action.body.messages[0]?.content ?? '';
        const back = (await check(reply(content), ours)) as unknown as Mask;
        expect(back.action.body.choices[0]?.message.content).to.equal(TEXT);
        for (const other of [BLUE, {}]) {
          expect(await check(reply(content), { ...named, ...other })).not.to.have.nested.property('action.body');
        }
      }
    });

    it('separates sessions, traces and tenants', async () => {
      const calls: Record<string, string>[] = [
        { 'x-session-id': 'one' },
        { 'x-session-id': 'two' },
        { 'x-session-id': 'one', 'x-api-key': OTHER_KEY },
        traced,
        { traceparent: traced.traceparent.replaceAll('4', '5') },
        {},
      ];
      for (const own of calls) {
        const masked = (await check(ask(TEXT), { ...own, ...RED })) as unknown as Mask;
        const content = masked.action.body.messages[0]?.content ?? '';
        for (const call of calls) {
          const { action } = (await check(reply(content), { ...call, ...RED })) as unknown as Mask;
          expect('body' in action, JSON.stringify([own, call])).to.equal(call === own);
        }
      }
    });
  });

  it('refuses a call whose check fails, in the format of its gateway', async () => {
    const broken = (): Guard => ({
      request: () => Promise.reject(new Error(`cannot handle ${PLANTED.email}`)),
      response: () => new Promise(() => undefined),
      stream: unchangedAnswer,
      piece: () => Promise.reject(new Error('No text arrives in pieces.')),
      sessionOf: () => '0'.repeat(32) as never,
    });
    const failing = await startHarness({ guard: broken });
    try {
      const call = (body: Body): Promise<Answer> => failing.call('POST', '/v1/peer/check', body);
      const portkey = await call({ eventType: 'beforeRequestHook', request: { json: {} } });
      expect(portkey.body).to.deep.equal({
        verdict: false,
        data: { reason: 'The guardrail could not check this call. Try again.' },
      });
      const started = performance.now();
      const agentgateway = await call({ body: { choices: [] } });
      expect(performance.now() - started).to.be.lessThan(1500);
      expect(agentgateway.body).to.have.nested.property('action.status_code', 403);
      expect([portkey.status, agentgateway.status]).to.deep.equal([200, 200]);
    } finally {
      await failing.stop();
    }
  });
});
