import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually, KEY, PLANTED, startHarness, type Answer, type Harness } from '../testing/appHarness.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { DetectorUnavailableError } from '../detection/detection.ts';
import { ImagesBusyError } from '../images/images.ts';
import { unchangedAnswer, type Guard } from '../pseudonymization/pseudonymization.ts';
import { DocumentTooDeepError } from '../messages/messages.ts';

interface Body {
  readonly action: string;
  readonly texts: string[];
  readonly structured_messages?: { role: string; content: unknown }[];
  readonly tools?: unknown[];
  readonly tool_calls?: { function: { arguments: string } }[];
  readonly stream_holdback_chars: number[];
  readonly blocked_reason?: string;
  readonly error: { code: string; message: string; request_id: string };
}

const bodyOf = (answer: Answer): Body => {
  expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  return answer.body as Body;
};
const caller = (team: string, endUser?: string): Record<string, unknown> => ({
  litellm_call_id: randomUUID(),
  request_data: { user_api_key_hash: `hash of ${team}`, user_api_key_team_id: team, user_api_key_end_user_id: endUser },
});

describe('the service', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness();
  });
  after(async () => {
    await harness.stop();
  });

  it('replaces a value in the request and restores it in the response', async () => {
    const who = caller('team-1');
    const sent = bodyOf(
      await harness.guard({ ...who, input_type: 'request', texts: [`Mail ${PLANTED.email} now.`, 'Hello.'] }),
    );
    expect(sent.action).to.equal('GUARDRAIL_INTERVENED');
    expect(sent.texts).to.have.length(2);
    expect(sent.texts[0]).to.match(/^Mail <EMAIL_ADDRESS_[0-9A-Z]{8,}> now\.$/);
    expect(sent.texts[1]).to.equal('Hello.');
    const received = bodyOf(
      await harness.guard({ ...who, input_type: 'response', texts: [`You said: ${sent.texts[0] ?? ''}`] }),
    );
    expect(received).to.deep.equal({
      action: 'GUARDRAIL_INTERVENED',
      texts: [`You said: Mail ${PLANTED.email} now.`],
      stream_holdback_chars: [0],
    });
  });

  it('returns NONE if there is nothing to replace or restore', async () => {
    const who = caller('team-1');
    expect(bodyOf(await harness.guard({ ...who, input_type: 'request', texts: ['Hello.'] }))).to.deep.equal({
      action: 'NONE',
    });
    const answer = bodyOf(await harness.guard({ ...who, input_type: 'response', texts: ['Hello.', ''] }));
    expect(answer).to.deep.equal({ action: 'NONE', texts: ['Hello.', ''], stream_holdback_chars: [0, 0] });
  });

  it('handles messages and tool calls in both phases, and keeps unknown members', async () => {
    const who = caller('team-1');
    const messages = [
      { role: 'user', content: [{ type: 'text', text: `Mail ${PLANTED.email}`, cache: { ttl: 5 } }], extra: null },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'mail', arguments: `{"to": "${PLANTED.otherEmail}"}` } },
        ],
      },
    ];
    const sent = bodyOf(
      await harness.guard({
        ...who,
        input_type: 'request',
        texts: [`Mail ${PLANTED.email}`],
        structured_messages: messages,
      }),
    );
    const text = JSON.stringify(sent.structured_messages);
    expect(text).to.not.include('@example.org');
    expect(sent.structured_messages).to.have.length(2);
    expect(sent.structured_messages?.[0]).to.deep.include({ role: 'user', extra: null });
    expect(text).to.include('"cache":{"ttl":5}');
    const call = (sent.structured_messages?.[1] as unknown as { tool_calls: Required<Body>['tool_calls'] })
      .tool_calls[0];
    const back = bodyOf(await harness.guard({ ...who, input_type: 'response', texts: [], tool_calls: [call] }));
    expect(back.tool_calls?.[0]?.function.arguments).to.equal(`{"to": "${PLANTED.otherEmail}"}`);
  });

  it('returns tools only if they changed', async () => {
    const tool = (description: string): object => ({
      type: 'function',
      function: { name: 'mail', description, extra: [1] },
    });
    const ask = async (description: string): Promise<Body> =>
      bodyOf(
        await harness.guard({
          ...caller('team-1'),
          input_type: 'request',
          texts: [`Mail ${PLANTED.email}`],
          tools: [tool(description)],
        }),
      );
    expect(await ask('Sends a mail.')).to.not.have.property('tools');
    const [changed] = (await ask(`Sends as ${PLANTED.otherEmail}.`)).tools ?? [];
    expect(JSON.stringify(changed)).to.match(/"description":"Sends as <EMAIL_ADDRESS_\w+>\.","extra":\[1\]/);
  });

  it('never returns GUARDRAIL_INTERVENED with an empty list of texts', async () => {
    const structured_messages = [{ role: 'user', content: `Mail ${PLANTED.email}` }];
    for (const texts of [undefined, null, []]) {
      const answer = bodyOf(
        await harness.guard({ ...caller('team-1'), input_type: 'request', texts, structured_messages }),
      );
      expect(answer.action).to.equal('GUARDRAIL_INTERVENED');
      expect(answer).to.not.have.property('texts');
      expect(JSON.stringify(answer.structured_messages)).to.include('<EMAIL_ADDRESS_');
    }
  });

  it('holds back a possible pseudonym, counted in code points, and releases the rest', async () => {
    const who = caller('team-1');
    const value = `\u{1F600} ${PLANTED.email}`;
    const sent = bodyOf(await harness.guard({ ...who, input_type: 'request', texts: [value] })).texts[0] ?? '';
    const full = `\u{1F680}\u{1F680} ${sent} and ${sent}!`;
    let released = '';
    for (let length = 1; length <= full.length; length += 1) {
      if (!full.slice(0, length).isWellFormed()) continue;
      const step = bodyOf(await harness.guard({ ...who, input_type: 'response', texts: [full.slice(0, length)] }));
      const points = Array.from(step.texts[0] ?? '');
      const shown = points.slice(0, points.length - (step.stream_holdback_chars[0] ?? 0)).join('');
      expect(shown.startsWith(released), `${shown} after ${released}`).to.equal(true);
      expect(`\u{1F680}\u{1F680} ${value} and ${value}!`.startsWith(shown), shown).to.equal(true);
      released = shown;
    }
    expect(released).to.equal(`\u{1F680}\u{1F680} ${value} and ${value}!`);
  });

  it('ignores streaming_transform_mode', async () => {
    const who = caller('team-1');
    const sent = bodyOf(await harness.guard({ ...who, input_type: 'request', texts: [`Mail ${PLANTED.email}`] }));
    const [text = ''] = sent.texts;
    // A call does not show whether the response is streamed. Without restored text, plain responses would contain
    // pseudonyms; without a holdback, a streaming gateway would send the beginning of a pseudonym.
    for (const texts of [[text], [text.slice(0, -3)]]) {
      const plain = bodyOf(await harness.guard({ ...who, input_type: 'response', texts }));
      for (const streaming_transform_mode of ['block_only', 'incremental_diff', null]) {
        const params = { additional_provider_specific_params: { streaming_transform_mode } };
        const answer = bodyOf(await harness.guard({ ...who, ...params, input_type: 'response', texts }));
        expect(answer, String(streaming_transform_mode)).to.deep.equal(plain);
      }
    }
    const document = JSON.stringify((await harness.call('GET', '/openapi.json')).body);
    expect(document).to.match(/"streaming_transform_mode":\{"description":"Has no effect\./);
  });

  it('refuses a response that would exceed the body limit when restored', async () => {
    const who = { litellm_call_id: 'large', request_data: { user_api_key_hash: 'k1' } };
    const lines = Array.from({ length: 100 }, (_, at) => `${at}Ab+/`.repeat(16).slice(0, 64));
    const key = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----`;
    const sent = bodyOf(await harness.guard({ ...who, input_type: 'request', texts: [`This is my key:\n${key}`] }))
      .texts[0];
    const [tag = ''] = /<[A-Z_0-9]+>/.exec(sent ?? '') ?? [];
    const answer = await harness.guard({ ...who, input_type: 'response', texts: [tag.repeat(2000)] });
    expect(answer.status).to.equal(413);
    expect(answer.body).to.have.nested.property('error.code', 'response_too_large');
    const small = bodyOf(await harness.guard({ ...who, input_type: 'response', texts: [tag] }));
    expect(small.texts).to.deep.equal([key]);
  });

  it('restores nothing in the URL of an image, also in a stream, and counts it', async () => {
    const who = caller('team-1');
    const sent =
      bodyOf(await harness.guard({ ...who, input_type: 'request', texts: [PLANTED.email] })).texts[0] ?? 'none';
    const written = (value: string): string =>
      `For ${value}: ![x](https://e.example/?q=${sent} "to ${value}") <img alt="${value}" src="//e.example/${sent}">, ${value}`;
    const answer = written(sent);
    const final = written(PLANTED.email);
    let released = '';
    for (let length = 1; length <= answer.length; length += 1) {
      const texts = [answer.slice(0, length)];
      const step = bodyOf(await harness.guard({ ...who, input_type: 'response', texts }));
      const text = step.texts[0] ?? '';
      const shown = text.slice(0, text.length - (step.stream_holdback_chars[0] ?? 0));
      expect(shown.startsWith(released), `${shown} after ${released}`).to.equal(true);
      expect(final.startsWith(shown), shown).to.equal(true);
      released = shown;
    }
    expect(released).to.equal(final);
    // Tool arguments are restored, because they are not displayed.
    const toolCall = {
      function: { name: 'show', arguments: JSON.stringify({ text: `![x](https://e.example/?q=${sent})` }) },
    };
    const back = bodyOf(await harness.guard({ ...who, input_type: 'response', texts: [], tool_calls: [toolCall] }));
    expect(back.tool_calls?.[0]?.function.arguments).to.include(`q=${PLANTED.email})`);
    const guesses = Array.from({ length: 40 }, (_, at) => `<EMAIL_ADDRESS_AAAAA${100 + at}>`).join('');
    const search = { ...who, input_type: 'response', texts: [guesses + sent] };
    expect(bodyOf(await harness.guard(search))).to.include({ action: 'NONE' });
    const metrics = await harness.metrics();
    expect(metrics).to.match(/guardrail_response_pseudonyms_total\{outcome="withheld"\} [1-9]/);
    expect(metrics).to.match(/guardrail_suspected_enumerations_total [1-9]/);
  });

  it('separates teams and tenants for the same end user', async () => {
    const text = `Mail ${PLANTED.email}`;
    const other = 'key-of-another';
    const two = await startHarness({ env: { GUARDRAIL_API_KEYS: `litellm:${KEY},another:${other}` } });
    try {
      const sent =
        bodyOf(await two.guard({ ...caller('team-1', PLANTED.endUser), input_type: 'request', texts: [text] }))
          .texts[0] ?? '';
      const asks: [Record<string, unknown>, string, string][] = [
        [caller('team-1', PLANTED.endUser), KEY, text],
        [caller('team-2', PLANTED.endUser), KEY, sent],
        [caller('team-1', PLANTED.endUser), other, sent],
        [caller('team-1'), KEY, sent],
      ];
      for (const [who, key, expected] of asks) {
        const answer = await two.guard(
          { ...who, input_type: 'response', texts: [sent] },
          { headers: { 'x-api-key': key } },
        );
        expect(bodyOf(answer).texts[0]).to.equal(expected);
      }
    } finally {
      await two.stop();
    }
  });

  it('scopes sessions to conversations by a client header or the trace id', async () => {
    const service = await startHarness({ env: { GUARDRAIL_SESSION_SCOPE: 'conversation' } });
    const ask = async (trace: string, header?: string): Promise<string> => {
      const fields = { litellm_trace_id: trace, request_headers: { 'x-session-id': header, host: 'gateway' } };
      const answer = await service.guard({ ...caller('team-1'), ...fields, input_type: 'request', texts: ['Hello.'] });
      return answer.headers.get('x-session-id') ?? '';
    };
    try {
      const [first, second] = [await ask('one'), await ask('two')];
      expect(await ask('one'))
        .to.equal(first)
        .and.not.equal(second);
      expect(await ask('one', 'mine'))
        .to.equal(await ask('two', 'mine'))
        .and.not.equal(first);
      expect(await ask('one', '[present]')).to.equal(first);
      expect(await ask('one', '')).to.equal(first);
    } finally {
      await service.stop();
    }
  });

  it('refuses or forwards requests with images anywhere, as configured', async () => {
    const image = 'data:image/png;base64,iVBORw0KGgo=';
    const parts = [
      { type: 'image_url', image_url: { url: image } },
      { type: 'input_image', image_url: image },
      { type: 'image', source: { type: 'base64', data: 'iVBORw0KGgo=' } },
    ];
    const requests = [
      { texts: ['Look.'], images: [image] },
      { images: [image] },
      ...parts.map((part) => ({
        texts: ['Look.'],
        structured_messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, part] }],
      })),
      { texts: ['x'], structured_messages: [{ role: 'tool', content: [{ type: 'tool_result', content: parts }] }] },
    ];
    const [blocking, passing] = [
      await startHarness({ env: { GUARDRAIL_IMAGES: 'block' } }),
      await startHarness({ env: { GUARDRAIL_IMAGES: 'pass' } }),
    ];
    try {
      for (const fields of requests) {
        const answer = bodyOf(await blocking.guard({ ...caller('team-1'), input_type: 'request', ...fields }));
        expect(answer.action).to.equal('BLOCKED');
        expect(answer.blocked_reason).to.match(/policy does not allow images/);
        expect(answer).to.not.have.property('texts');
        expect(bodyOf(await passing.guard({ ...caller('team-1'), input_type: 'request', ...fields })).action).to.equal(
          'NONE',
        );
      }
      const stricter = { additional_provider_specific_params: { images: 'block' } };
      expect(bodyOf(await passing.guard({ ...requests[0], ...stricter, input_type: 'request' })).action).to.equal(
        'BLOCKED',
      );
    } finally {
      await blocking.stop();
      await passing.stop();
    }
  });

  it('refuses requests with files, unless images are forwarded too, and never in monitor mode', async () => {
    const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0xLjQK' } };
    const fields = {
      ...caller('team-1'),
      input_type: 'request',
      texts: ['Look.'],
      structured_messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, file] }],
    };
    const passing = await startHarness({ env: { GUARDRAIL_IMAGES: 'pass' } });
    const monitoring = await startHarness({ env: { GUARDRAIL_MODE: 'monitor' } });
    try {
      const answer = bodyOf(await harness.guard(fields));
      expect(answer.action).to.equal('BLOCKED');
      expect(answer.blocked_reason).to.match(/contains a file, a recording or a video/);
      expect(bodyOf(await passing.guard(fields)).action).to.equal('NONE');
      const stricter = { additional_provider_specific_params: { images: 'block' } };
      expect(bodyOf(await passing.guard({ ...fields, ...stricter })).action).to.equal('BLOCKED');
      expect(bodyOf(await monitoring.guard(fields)).action).to.equal('NONE');
      const peer = { eventType: 'beforeRequestHook', request: { json: { messages: fields.structured_messages } } };
      expect((await harness.call('POST', '/v1/peer/check', peer)).body).to.have.property('verdict', false);
      const metrics = await monitoring.metrics();
      expect(metrics).to.match(/guardrail_requests_total\{.*action="MONITORED_BLOCKED".*\} 1/);
    } finally {
      await passing.stop();
      await monitoring.stop();
    }
  });

  it('blocks entity types that a request names, for this request only', async () => {
    const params = { additional_provider_specific_params: { block_entities: ['EMAIL_ADDRESS'], tenant: 'acme' } };
    const answer = bodyOf(
      await harness.guard({ ...caller('team-1'), ...params, input_type: 'request', texts: [`Mail ${PLANTED.email}`] }),
    );
    expect(answer.action).to.equal('BLOCKED');
    expect(answer.blocked_reason).to.not.include('example.org');
  });

  it('guards tool calls that are in no message of a request', async () => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: `{"to":"${PLANTED.email}"}` } }];
    const request = { ...caller('team-1'), input_type: 'request', texts: ['Hello'], tool_calls };
    const answer = bodyOf(await harness.guard(request));
    expect(answer.action).to.equal('GUARDRAIL_INTERVENED');
    expect(JSON.stringify(answer)).to.match(/EMAIL_ADDRESS_/);
    expect(JSON.stringify(answer)).to.not.include(PLANTED.email);
    const params = { additional_provider_specific_params: { block_entities: ['EMAIL_ADDRESS'] } };
    expect(bodyOf(await harness.guard({ ...request, ...params })).action).to.equal('BLOCKED');
  });

  it('serves every proxy name with its own field names', async () => {
    const text = `Mail ${PLANTED.email}`;
    const path = '/beta/gateway_basic_guardrail_api';
    const sent = bodyOf(
      await harness.call('POST', path, { gateway_call_id: 'call-1', input_type: 'request', texts: [text] }),
    ).texts[0];
    const same = bodyOf(
      await harness.call('POST', path, { gateway_call_id: 'call-1', input_type: 'response', texts: [sent] }),
    );
    expect(same.texts[0]).to.equal(text);
    const other = bodyOf(
      await harness.call('POST', path, { gateway_call_id: 'call-2', input_type: 'response', texts: [sent] }),
    );
    expect(other.texts[0]).to.equal(sent);
  });

  it('returns the session id, describes the session, and erases it repeatedly', async () => {
    const who = caller('team-9', PLANTED.endUser);
    const answer = await harness.guard({ ...who, input_type: 'request', texts: [`Mail ${PLANTED.email}`] });
    const id = answer.headers.get('x-session-id') ?? '';
    const path = `/sessions/${id}`;
    const described = await harness.call('GET', path);
    expect(described.body).to.deep.include({ session_id: id, pseudonyms: 1 });
    expect(JSON.stringify(described.body)).to.not.include('example.org');
    expect((await harness.call('DELETE', path, undefined, { headers: { 'x-api-key': 'wrong-key' } })).status).to.equal(
      401,
    );
    expect((await harness.call('DELETE', path)).body).to.deep.equal({ deleted: true });
    expect((await harness.call('DELETE', path)).body).to.deep.equal({ deleted: false });
    expect((await harness.call('GET', path)).status).to.equal(404);
    const restored = bodyOf(await harness.guard({ ...who, input_type: 'response', texts: bodyOf(answer).texts }));
    expect(restored.texts).to.deep.equal(bodyOf(answer).texts);
  });

  it('stores nothing for a call whose body arrives during an erasure', async () => {
    const who = caller('team-slow', PLANTED.endUser);
    const body = JSON.stringify({ ...who, input_type: 'request', texts: [`Mail ${PLANTED.email}`] });
    const first = await harness.guard(JSON.parse(body) as Record<string, unknown>);
    const id = first.headers.get('x-session-id') ?? '';
    const slow = request(`${harness.url}/beta/litellm_basic_guardrail_api`, {
      method: 'POST',
      headers: {
        'x-api-key': KEY,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        // The service sends this when it accepts the call, which is the start of the call.
        expect: '100-continue',
      },
    });
    const answered = once(slow, 'response') as Promise<[IncomingMessage]>;
    slow.flushHeaders();
    await once(slow, 'continue');
    expect((await harness.call('DELETE', `/sessions/${id}`)).body).to.deep.equal({ deleted: true });
    slow.end(body);
    const [response] = await answered;
    response.resume();
    expect(response.statusCode).to.equal(409);
    expect((await harness.call('GET', `/sessions/${id}`)).status).to.equal(404);
  });

  for (const id of ['x', '%00', 'a'.repeat(500), '..%2f..', '%7Bslot%7D', 'anna@example.org']) {
    it(`treats an invalid session id as unknown: ${id.slice(0, 20)}`, async () => {
      expect(await harness.call('DELETE', `/sessions/${id}`)).to.deep.include({
        status: 200,
        body: { deleted: false },
      });
      expect((await harness.call('GET', `/sessions/${id}`)).status).to.equal(404);
    });
  }

  it('erases all sessions of an end user of the calling tenant only', async () => {
    for (const team of ['team-a', 'team-b']) {
      await harness.guard({
        ...caller(team, PLANTED.endUser),
        input_type: 'request',
        texts: [`Mail ${PLANTED.email}`],
      });
    }
    await harness.guard({
      ...caller('team-a', 'somebody else'),
      input_type: 'request',
      texts: [`Mail ${PLANTED.email}`],
    });
    const erase = (): Promise<Answer> => harness.call('POST', '/subjects/erase', { end_user_id: PLANTED.endUser });
    expect((await erase()).body).to.deep.equal({ erased: 2 });
    expect((await erase()).body).to.deep.equal({ erased: 0 });
    expect((await harness.call('POST', '/subjects/erase', {})).status).to.equal(400);
    expect((await harness.call('POST', '/subjects/erase', { end_user_id: '' })).status).to.equal(400);
    const audit = harness.logs.filter((line) => line.includes('"audit":true') && line.includes('subject_erased'));
    expect(audit.join()).to.include('"sessions":2');
  });

  const GUARDED = [
    'POST /beta/litellm_basic_guardrail_api',
    'DELETE /sessions/x',
    'GET /sessions/x',
    'POST /subjects/erase',
    'GET /openapi.json',
    'GET /anything',
  ];
  for (const endpoint of GUARDED) {
    it(`requires a key: ${endpoint}`, async () => {
      const [method = '', path = ''] = endpoint.split(' ');
      for (const key of ['', 'wrong', `${KEY}x`, KEY.slice(1), `litellm:${KEY}`]) {
        const answer = await harness.call(method, path, method === 'POST' ? {} : undefined, {
          headers: { 'x-api-key': key },
        });
        expect(answer.status).to.equal(401);
        expect((answer.body as Body).error.code).to.equal('unauthorized');
      }
      const bearer = await harness.call(method, path, undefined, {
        headers: { 'x-api-key': '', authorization: `Bearer ${KEY}` },
      });
      expect(bearer.status).to.equal(401);
    });
  }

  it('serves only metrics on a separate port, without a key', async () => {
    const { metricsUrl } = harness;
    expect((await fetch(`${metricsUrl}/metrics`)).headers.get('content-type')).to.match(
      /^text\/plain; version=0\.0\.4/,
    );
    expect((await fetch(`${metricsUrl}/metrics`, { method: 'HEAD' })).status).to.equal(200);
    expect((await fetch(`${metricsUrl}/metrics`, { method: 'POST' })).status).to.equal(405);
    for (const { path } of harness.app.routes) expect((await fetch(metricsUrl + path)).status, path).to.equal(404);
    for (const key of ['', KEY]) {
      const answer = await harness.call('GET', '/metrics', undefined, { headers: { 'x-api-key': key } });
      expect(answer.status).to.equal(key === KEY ? 404 : 401);
    }
    expect(harness.app.routes.map(({ path }) => path)).to.not.include('/metrics');
  });

  it('serves no metrics if they are disabled', async () => {
    const silent = await startHarness({ env: { GUARDRAIL_METRICS_PORT: 'off' } });
    expect(silent.app.metricsPort).to.equal(undefined);
    await silent.stop();
  });

  for (const path of ['/healthz', '/readyz']) {
    it(`requires no key: ${path}`, async () => {
      expect((await harness.call('GET', path, undefined, { headers: { 'x-api-key': '' } })).status).to.equal(200);
      expect((await fetch(harness.url + path, { method: 'HEAD' })).status).to.equal(200);
    });
  }

  it('accepts a key that is added to the file, and refuses a removed one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keys-'));
    const path = join(folder, 'keys');
    writeFileSync(path, 'litellm:first-key');
    const rotating = await startHarness({ env: { GUARDRAIL_API_KEYS: undefined, GUARDRAIL_API_KEYS_FILE: path } });
    const status = async (key: string): Promise<number> =>
      (await rotating.call('GET', '/openapi.json', undefined, { headers: { 'x-api-key': key } })).status;
    try {
      expect([await status('first-key'), await status('second-key')]).to.deep.equal([200, 401]);
      writeFileSync(path, 'litellm:first-key,litellm:second-key');
      await eventually(async () => (await status('second-key')) === 200);
      expect(await status('first-key')).to.equal(200);
      writeFileSync(path, 'litellm:second-key');
      await eventually(async () => (await status('first-key')) === 401);
    } finally {
      await rotating.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it('counts by type, never by value', async () => {
    await harness.guard({
      ...caller('team-1'),
      input_type: 'request',
      texts: [`Mail ${PLANTED.email}, pay ${PLANTED.iban}`],
    });
    const text = await harness.metrics();
    for (const name of [
      'guardrail_requests_total{phase="request",protocol="basic",action="GUARDRAIL_INTERVENED"}',
      'guardrail_requests_total{phase="request",protocol="basic",action="BLOCKED"}',
      'guardrail_requests_total{phase="response",protocol="basic",action="NONE"}',
      'guardrail_entities_total{type="EMAIL_ADDRESS",detector="builtin"}',
      'guardrail_entities_total{type="IBAN_CODE",detector="builtin"}',
      'guardrail_response_pseudonyms_total{outcome="restored"}',
      'guardrail_response_pseudonyms_total{outcome="withheld"}',
      'guardrail_response_pseudonyms_total{outcome="unknown"}',
      'guardrail_store_operation_duration_seconds_count{operation="put",outcome="ok"}',
      'guardrail_detection_duration_seconds_count{outcome="ok"}',
      'guardrail_http_requests_total{route="/beta/litellm_basic_guardrail_api",method="POST",status="200"}',
      'guardrail_erasures_total{kind="subject"}',
      'guardrail_sessions',
      'nodejs_eventloop_lag_seconds',
      'process_resident_memory_bytes',
    ]) {
      expect(text).to.include(`\n${name} `);
    }
  });

  it('sets an id for every call, and accepts a given id that cannot be personal data', async () => {
    const call = (id: string): Promise<Answer> =>
      harness.call('GET', '/nowhere', undefined, { headers: { 'x-request-id': id } });
    for (const id of [randomUUID(), randomUUID().toUpperCase(), '4bf92f3577b34da6a3ce929d0e0e4736']) {
      expect((await call(id)).headers.get('x-request-id')).to.equal(id);
    }
    const digits = '12345678901234567890123456789012';
    for (const id of [PLANTED.email, '4111111111111111', '4111-1111-1111-1111', 'BE68539007547034', digits]) {
      const { headers, body } = await call(id);
      expect(headers.get('x-request-id'))
        .to.match(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
        .and.not.equal(id);
      expect((body as Body).error.request_id).to.equal(headers.get('x-request-id'));
      expect(harness.logs.join('')).to.not.include(id);
    }
  });

  it('logs no planted value from a URL, a header or an error', async () => {
    await harness.call('GET', `/sessions/${PLANTED.email}?card=${PLANTED.card}`);
    await harness.call('DELETE', `/sessions/${PLANTED.endUser}`);
    await harness.call('POST', `/${PLANTED.email}`, { texts: [PLANTED.card] });
    await harness.guard({ input_type: PLANTED.email, [PLANTED.card]: 1, texts: [PLANTED.iban] });
    await harness.guard({ input_type: 'request', texts: [], request_data: { user_api_key_team_id: [PLANTED.phone] } });
    await harness.call('POST', '/beta/litellm_basic_guardrail_api', undefined, {
      body: `{"input_type":"request","texts":["${PLANTED.iban}"`,
      headers: { 'content-type': 'application/json' },
    });
  });

  it('serves an OpenAPI document', async () => {
    const document = (await harness.call('GET', '/openapi.json')).body as { openapi: string; paths: object };
    expect(document.openapi).to.match(/^3\.1\./);
    expect(Object.keys(document.paths)).to.include.members([
      '/beta/gateway_basic_guardrail_api',
      '/beta/litellm_basic_guardrail_api',
      '/sessions/{session_id}',
    ]);
  });

  it('changes nothing in monitor mode, and counts the actions that it does not take', async () => {
    const monitor = await startHarness({ env: { GUARDRAIL_MODE: 'monitor' } });
    try {
      const answer = await monitor.guard({
        ...caller('team-1'),
        input_type: 'request',
        texts: [`Mail ${PLANTED.email}`],
      });
      expect(answer.body).to.deep.equal({ action: 'NONE' });
      expect(await monitor.metrics()).to.include('action="MONITORED_GUARDRAIL_INTERVENED"} 1');
    } finally {
      await monitor.stop();
    }
  });

  it('runs without keys only if configured, and then serves every caller', async () => {
    const open = await startHarness({ env: { GUARDRAIL_API_KEYS: undefined, GUARDRAIL_INSECURE_NO_AUTH: 'true' } });
    try {
      expect(
        (await open.guard({ input_type: 'request', texts: ['Hello.'] }, { headers: { 'x-api-key': '' } })).status,
      ).to.equal(200);
    } finally {
      await open.stop();
    }
  });
});

describe('the service during failures', () => {
  const failing =
    (error: Error): (() => Guard) =>
    () => ({
      request: () => Promise.reject(error),
      response: () => Promise.reject(error),
      stream: unchangedAnswer,
      piece: () => Promise.reject(new Error('No text arrives in pieces.')),
      sessionOf: () => {
        throw error;
      },
    });
  const FAILURES: [error: Error, status: number, code: string, retryAfter?: string][] = [
    [new StoreUnavailableError('Redis is unreachable.'), 502, 'store_unavailable'],
    [new DetectorUnavailableError('The detector did not respond.'), 502, 'detector_unavailable'],
    [new DocumentTooDeepError('tools'), 400, 'invalid_field'],
    [new Error(`cannot read ${PLANTED.email}`), 500, 'internal_error'],
    [new SyntaxError(`Unexpected token in ${PLANTED.iban}`), 500, 'internal_error'],
    [new ImagesBusyError('overloaded', 'There are too many images.', 41_500), 429, 'overloaded', '42'],
    [new ImagesBusyError('timeout', 'The image took too long.', 20), 429, 'timeout', '1'],
  ];
  for (const [error, status, code, retryAfter] of FAILURES) {
    it(`returns ${status} in both phases: ${error.name}, ${code}`, async () => {
      const harness = await startHarness({ guard: failing(error) });
      try {
        for (const input_type of ['request', 'response']) {
          const answer = await harness.guard({ input_type, texts: ['Hello.'] });
          expect(answer.status).to.equal(status);
          expect((answer.body as Body).error.code).to.equal(code);
          expect(answer.headers.get('retry-after')).to.equal(retryAfter ?? null);
          if (status === 400) expect((answer.body as Body).error.message).to.match(/^tools must not be nested more/);
        }
        if (status === 500) expect(harness.logs.join('')).to.match(/app\.test\.ts/);
      } finally {
        await harness.stop();
      }
    });
  }

  it('returns 502 if the detector is unreachable, reports it in its readiness, and still restores', async () => {
    // No process listens on port 1.
    const env = { GUARDRAIL_DETECTORS: 'builtin,presidio', GUARDRAIL_PRESIDIO_URL: 'http://127.0.0.1:1' };
    const harness = await startHarness({ env });
    try {
      const request = await harness.guard({ input_type: 'request', texts: [`Mail ${PLANTED.email}`] });
      expect([request.status, (request.body as Body).error.code]).to.deep.equal([502, 'detector_unavailable']);
      expect((await harness.guard({ input_type: 'response', texts: ['Hello.'] })).status).to.equal(200);
      const ready = await harness.call('GET', '/readyz');
      expect(ready.status).to.equal(503);
      const { dependencies } = ready.body as {
        dependencies: Record<string, { up: boolean; reason?: string; since?: string }>;
      };
      expect(dependencies.store).to.deep.equal({ up: true });
      expect(dependencies.detector?.up).to.equal(false);
      expect(Date.parse(dependencies.detector?.since ?? '')).to.be.closeTo(Date.now(), 5000);
    } finally {
      await harness.stop();
    }
  });

  it('applies the policy of a file, reports its errors at the start, and follows its changes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'policy-'));
    const path = join(folder, 'policy.yaml');
    const ask = async (service: Harness): Promise<string> =>
      bodyOf(await service.guard({ ...caller('team-1'), input_type: 'request', texts: [`Mail ${PLANTED.email}`] }))
        .action;
    try {
      writeFileSync(path, 'entities:\n  EMAIL_ADDRESS: block\n');
      const harness = await startHarness({ env: { GUARDRAIL_POLICY: path } });
      try {
        expect(await ask(harness)).to.equal('BLOCKED');
        writeFileSync(path, 'entities:\n  EMAIL_ADDRESS: ignore\n');
        await eventually(async () => (await ask(harness)) === 'NONE');
        writeFileSync(path, 'entities:\n  EMAIL_ADDRESS: forget\n');
        await eventually(() => harness.logs.some((line) => line.includes('The previous value stays in use.')));
        expect(await ask(harness)).to.equal('NONE');
      } finally {
        await harness.stop();
      }
      const refused = await startHarness({ env: { GUARDRAIL_POLICY: path } }).then(
        () => 'It has started.',
        (error: unknown) => (error as Error).message,
      );
      expect(refused).to.match(/^GUARDRAIL_POLICY has an error: .*EMAIL_ADDRESS/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses calls early if it cannot process them in time, and recovers', async () => {
    let open: (() => void)[] = [];
    const stuck = (): Guard => ({
      request: () =>
        new Promise((resolve) => {
          open.push(() => {
            resolve({ action: 'NONE', session: 'x' as never, entities: [] });
          });
        }),
      response: () => Promise.reject(new Error('There is no response here.')),
      stream: unchangedAnswer,
      piece: () => Promise.reject(new Error('No text arrives in pieces.')),
      sessionOf: () => 'x' as never,
    });
    const env = { GUARDRAIL_API_KEYS: `litellm:${KEY},other:key-of-another-tenant` };
    const harness = await startHarness({ guard: stuck, env, times: { maxWaitMs: 100 } });
    try {
      const request = (init?: RequestInit): Promise<Answer> =>
        harness.guard({ input_type: 'request', texts: ['Hello.'] }, init);
      // The share of one tenant: three quarters of 256 slots, and one.
      const running = Array.from({ length: 193 }, () => request());
      await eventually(() => open.length === 193);
      const late = await request();
      // Not 502, 503 or 504: after these, a gateway that fails open sends the original to the model.
      expect([late.status, (late.body as Body).error.code]).to.deep.equal([429, 'overloaded']);
      expect(late.headers.get('retry-after')).to.equal('1');
      expect((await harness.call('GET', '/healthz')).status).to.equal(200);
      running.push(request({ headers: { 'x-api-key': 'key-of-another-tenant' } }));
      await eventually(() => open.length === 194);
      for (const finish of open) finish();
      for (const answer of await Promise.all(running)) expect(answer.status).to.equal(200);
      open = [];
      const next = request();
      await eventually(() => open.length === 1);
      open[0]?.();
      expect((await next).status).to.equal(200);
    } finally {
      await harness.stop();
    }
  });

  it('finishes running calls when it stops, and refuses new ones', async () => {
    let finish: (() => void) | undefined;
    const slow = (): Guard => ({
      request: () =>
        new Promise((resolve) => {
          finish = () => {
            resolve({ action: 'NONE', session: 'x' as never, entities: [] });
          };
        }),
      response: () => Promise.reject(new Error('There is no response here.')),
      stream: unchangedAnswer,
      piece: () => Promise.reject(new Error('No text arrives in pieces.')),
      sessionOf: () => 'x' as never,
    });
    const harness = await startHarness({ guard: slow });
    // A connection that is already open: the port accepts no new ones when the drain ends.
    await harness.call('GET', '/healthz');
    const running = harness.guard({ input_type: 'request', texts: ['Hello.'] });
    await eventually(() => finish !== undefined);
    const stopped = harness.app.drain();
    const refused = await harness.guard({ input_type: 'request', texts: ['Hello.'] });
    expect([refused.status, (refused.body as Body).error.code]).to.deep.equal([503, 'draining']);
    const ready = await harness.call('GET', '/readyz');
    expect([ready.status, (ready.body as { status: string }).status]).to.deep.equal([503, 'draining']);
    finish?.();
    expect((await running).status).to.equal(200);
    expect(await stopped).to.equal(true);
    expect(await fetch(`${harness.url}/healthz`).catch(() => 'refused')).to.equal('refused');
  });
});
