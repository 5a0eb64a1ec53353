/** The audit events of the service, on every path on which calls come. */
import { createSecretKey, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { auditEventSchema, type AuditEvent } from '../audit/event.ts';
import { auditHash } from '../audit/identifiers.ts';
import { ModelEnvoy } from '../extProc/testing/modelEnvoy.ts';
import { INLINE_TENANT, type Tenant } from '../ids.ts';
import { deriveSubject } from '../pseudonymization/pseudonymization.ts';
import { PLANTED, SESSION_KEY } from '../testing/appHarness.ts';
import { completion, startInline, type Inline } from '../testing/inlineHarness.ts';

const { email, otherEmail, iban, endUser, phone } = PLANTED;
const TEXT = `Mail ${email} or ${otherEmail}`;
const key = createSecretKey(Buffer.from(SESSION_KEY));
const LITELLM = 'litellm' as Tenant;
const POLICY = 'entities: { IBAN_CODE: block }';
const BASIC = '/beta/litellm_basic_guardrail_api';
/** The id of a call that protects its mapping. */
const SHIELD_ID = 'd2719c4e-52f5-4a52-bb7f-0ef8b8a9b2a1';
const HIDDEN: AuditEvent['guardrail.entities'] = [{ type: 'EMAIL_ADDRESS', count: 2, action: 'pseudonymize' }];

/** A service that writes its audit events to a file. */
class Audited {
  readonly folder = mkdtempSync(join(tmpdir(), 'audit-'));
  readonly path = join(this.folder, 'audit.jsonl');
  #inline: Inline | undefined;

  get inline(): Inline {
    if (!this.#inline) throw new Error('The service does not run.');
    return this.#inline;
  }

  async start(env: NodeJS.ProcessEnv = {}): Promise<void> {
    const own = { GUARDRAIL_AUDIT: this.path, GUARDRAIL_INSTANCE: 'ai/main', GUARDRAIL_EXT_PROC_PORT: '0' };
    this.#inline = await startInline({ env: { ...own, GUARDRAIL_POLICY: POLICY, ...env } });
  }

  /** Sends a call with a request id, and returns this id. */
  async send(path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<string> {
    const id = randomUUID();
    await this.inline.call(method, path, body, { headers: { 'x-request-id': id, ...headers } });
    return id;
  }

  /** Stops the service, and returns the text of the stream. */
  async stop(): Promise<string> {
    await this.inline.stop();
    return readFileSync(this.path, 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

const eventsIn = (stream: string): AuditEvent[] =>
  stream
    .split('\n')
    .filter(Boolean)
    .map((line) => auditEventSchema.strict().parse(JSON.parse(line)));

const basic = (input_type: 'request' | 'response', fields: object = {}): object => ({
  input_type,
  texts: [TEXT],
  litellm_call_id: randomUUID(),
  request_data: { user_api_key_team_id: 'red', user_api_key_end_user_id: endUser },
  ...fields,
});

type Expected = Partial<AuditEvent>;

/** Each call, and what its event says. */
const CALLS: readonly (readonly [
  what: string,
  path: string,
  body: unknown,
  expected: Expected,
  headers?: Record<string, string>,
])[] = [
  [
    'a request of LiteLLM',
    BASIC,
    basic('request'),
    {
      'guardrail.phase': 'request',
      'guardrail.action': 'GUARDRAIL_INTERVENED',
      'guardrail.protocol': 'basic',
      'guardrail.instance': 'ai/main',
      'guardrail.tenant': 'litellm',
      'guardrail.team': auditHash(key, 'team', 'red'),
      'user.hash': deriveSubject(key, LITELLM, endUser),
      'http.route': BASIC,
      'http.response.status_code': 200,
      'guardrail.entities': HIDDEN,
    },
  ],
  ['a request without values', BASIC, basic('request', { texts: ['Hello'] }), { 'guardrail.action': 'NONE' }],
  [
    'a request that the policy blocks',
    BASIC,
    basic('request', { texts: [iban] }),
    {
      'guardrail.action': 'BLOCKED',
      'guardrail.entities': [{ type: 'IBAN_CODE', count: 1, action: 'block' }],
    },
  ],
  [
    'an answer',
    BASIC,
    basic('response', { model: 'openai/gpt-4o' }),
    {
      'guardrail.phase': 'response',
      'guardrail.action': 'NONE',
      'gen_ai.request.model': 'openai/gpt-4o',
      'guardrail.pseudonyms.restored': 0,
    },
  ],
  ['a wrong body', BASIC, { input_type: 7 }, { 'guardrail.action': 'FAILED', 'error.type': 'invalid_field' }],
  [
    'a wrong key',
    BASIC,
    basic('request'),
    {
      'guardrail.action': 'FAILED',
      'error.type': 'unauthorized',
      'http.response.status_code': 401,
      'http.route': BASIC,
    },
    { 'x-api-key': 'wrong' },
  ],
  [
    'a request of Portkey',
    '/v1/peer/check',
    {
      eventType: 'beforeRequestHook',
      metadata: { _user: endUser },
      request: { json: { messages: [{ role: 'user', content: TEXT }] } },
    },
    {
      'guardrail.action': 'GUARDRAIL_INTERVENED',
      'guardrail.protocol': 'portkey',
      'user.hash': deriveSubject(key, LITELLM, endUser),
      'guardrail.entities': HIDDEN,
    },
  ],
  [
    'a request of agentgateway without a team',
    '/v1/peer/check',
    { body: { messages: [{ role: 'user', content: TEXT }] } },
    { 'guardrail.action': 'BLOCKED', 'guardrail.protocol': 'agentgateway', 'guardrail.entities': HIDDEN },
  ],
  [
    'a request of the client llm_shield_proxy',
    '/v1/guard/redact',
    { texts: [TEXT] },
    {
      'guardrail.action': 'GUARDRAIL_INTERVENED',
      'guardrail.protocol': 'shield',
      'guardrail.call.id': auditHash(key, 'call', SHIELD_ID),
    },
    { 'x-session-id': SHIELD_ID },
  ],
  [
    'an erasure of an end user',
    '/subjects/erase',
    { end_user_id: endUser },
    {
      'guardrail.phase': 'erasure',
      'guardrail.action': 'ERASED',
      'guardrail.erasure.kind': 'subject',
      'user.hash': deriveSubject(key, LITELLM, endUser),
    },
  ],
  [
    'an erasure for another tenant',
    '/subjects/erase',
    { end_user_id: endUser, tenant: 'other' },
    { 'guardrail.phase': 'erasure', 'guardrail.action': 'FAILED', 'error.type': 'not_an_admin' },
  ],
];

describe('the audit trail', () => {
  const audited = new Audited();
  const ids = new Map<string, string>();
  let events: ReadonlyMap<string, AuditEvent>;
  let all: readonly AuditEvent[];

  before(async function () {
    this.timeout(30_000);
    await audited.start();
    for (const [what, path, body, , headers] of CALLS) ids.set(what, await audited.send(path, body, headers));
    for (const [what, path] of [
      ['a probe', '/healthz'],
      ['a description', '/openapi.json'],
    ] as const) {
      ids.set(what, await audited.send(path, undefined, {}, 'GET'));
    }
    ids.set('the erasure of a session', await audited.send(`/sessions/${endUser}`, undefined, {}, 'DELETE'));
    await inlineCalls();
    await envoyCall();
    await pieces();
    all = eventsIn(await audited.stop());
    events = new Map(all.map((event) => [event['http.request.id'], event]));
  });
  after(() => {
    audited.remove();
  });

  async function inlineCall(what: string, content: string, fields: object = {}, path?: string): Promise<void> {
    const id = randomUUID();
    ids.set(what, id);
    const init = { headers: { 'x-request-id': id } };
    const body = JSON.stringify({ messages: [{ role: 'user', content }] });
    const response = path
      ? await fetch(audited.inline.proxyUrl + path, { method: 'POST', body, ...init })
      : await audited.inline.chat(content, fields, init);
    await response.text();
  }

  async function inlineCalls(): Promise<void> {
    await inlineCall('inline', TEXT, { user: endUser });
    await inlineCall('inline, as a stream', TEXT, { user: endUser, stream: true });
    await inlineCall('inline, blocked', iban);
    await inlineCall('inline, to an unknown path', TEXT, {}, '/unknown');
  }

  async function envoyCall(): Promise<void> {
    const id = randomUUID();
    ids.set('through Envoy', id);
    const envoy = new ModelEnvoy(audited.inline.app.extProcPort ?? 0);
    const headers = {
      ...{ ':method': 'POST', ':path': '/v1/chat/completions', ':scheme': 'http', ':authority': 'gateway.example' },
      ...{ 'content-type': 'application/json', 'x-request-id': id },
    };
    const body = Buffer.from(JSON.stringify({ user: endUser, messages: [{ role: 'user', content: TEXT }] }));
    await envoy.call({ headers, parts: [body] }, () => ({
      headers: { ':status': '200', 'content-type': 'application/json' },
      parts: [Buffer.from(completion('Hello'))],
    }));
    envoy.close();
  }

  async function pieces(): Promise<void> {
    const call = randomUUID();
    const stream = ['Hel', 'Hello', 'Hello!'].map((text) =>
      basic('response', { litellm_call_id: call, texts: [text] }),
    );
    const sent: string[] = [];
    for (const body of stream) sent.push(await audited.send(BASIC, body));
    ids.set('a stream', sent[0] ?? '');
    ids.set('its second piece', sent[1] ?? '');
    const shield = { 'x-session-id': SHIELD_ID };
    const first = await audited.send('/v1/guard/rehydrate/stream', { text: 'Hel' }, shield);
    await audited.send('/v1/guard/rehydrate/stream', { text: 'lo', final: true }, shield);
    ids.set('a stream of llm_shield_proxy', first);
  }

  const eventOf = (what: string): AuditEvent | undefined => events.get(ids.get(what) ?? '');

  for (const [what, , , expected] of CALLS) {
    it(`has an event for ${what}`, () => {
      expect(eventOf(what)).to.deep.include(expected);
    });
  }

  it('has events with the revision of the policy, the session and the duration', () => {
    const event = eventOf('a request of LiteLLM');
    expect(event?.['guardrail.policy.revision']).to.match(/^[0-9a-f]{32}$/);
    expect(event?.['session.id']).to.match(/^[0-9a-f]{32}$/);
    expect(event?.['event.duration']).to.be.greaterThan(0);
  });

  it('has one event for both sides of a call through the inline proxy, or through Envoy', () => {
    const expected = {
      ...{ 'guardrail.phase': 'call', 'guardrail.action': 'GUARDRAIL_INTERVENED', 'guardrail.tenant': 'inline' },
      ...{ 'user.hash': deriveSubject(key, INLINE_TENANT, endUser), 'guardrail.entities': HIDDEN },
    };
    expect(eventOf('inline')).to.deep.include({ ...expected, 'http.route': 'inline/chat.completions' });
    expect(eventOf('inline')).to.include({ 'guardrail.pseudonyms.restored': 2, 'http.response.status_code': 200 });
    expect(eventOf('inline, as a stream')).to.deep.include({ ...expected, 'guardrail.pseudonyms.restored': 2 });
    expect(eventOf('through Envoy')).to.deep.include({ ...expected, 'http.route': 'ext_proc/chat.completions' });
  });

  it('has events for calls that the inline proxy refuses', () => {
    expect(eventOf('inline, blocked')).to.include({ 'guardrail.action': 'BLOCKED', 'http.response.status_code': 400 });
    expect(eventOf('inline, to an unknown path')).to.include({
      ...{ 'guardrail.action': 'FAILED', 'error.type': 'unknown_route', 'http.route': 'inline' },
    });
  });

  it('joins the pieces of an answer', () => {
    expect(eventOf('a stream')).to.include({ 'guardrail.answer.pieces': 3, 'guardrail.phase': 'response' });
    expect(eventOf('its second piece')).to.equal(undefined);
    expect(eventOf('a stream of llm_shield_proxy')).to.include({ 'guardrail.answer.pieces': 2 });
  });

  it('names no session that was made up', () => {
    const event = eventOf('the erasure of a session');
    expect(event).to.include({ 'http.route': '/sessions/:session_id', 'guardrail.erasure.sessions': 0 });
    expect(event).to.not.have.property('session.id');
  });

  it('has one event for each of these calls, and none for others', () => {
    expect(eventOf('a probe')).to.equal(undefined);
    expect(eventOf('a description')).to.equal(undefined);
    expect(all).to.have.length(ids.size - 2 - 1);
    expect(new Set(all.map((event) => event['event.id'])).size).to.equal(all.length);
  });

  it('is a file that only its owner reads', () => {
    expect(statSync(audited.path).mode & 0o777).to.equal(0o600);
  });
});

describe('the audit trail of a proxy that passes unknown paths', () => {
  const audited = new Audited();
  after(() => {
    audited.remove();
  });

  it('says what was not checked, and leaves preflights out', async () => {
    await audited.start({ GUARDRAIL_PROXY_UNKNOWN: 'pass' });
    const call = async (method: string, path: string): Promise<void> => {
      const headers = { 'access-control-request-method': 'POST' };
      await (await fetch(`${audited.inline.proxyUrl}${path}`, { method, headers })).text();
    };
    await call('OPTIONS', '/v1/chat/completions');
    await call('OPTIONS', '/unknown');
    await call('GET', '/unknown');
    const events = eventsIn(await audited.stop());
    expect(events.map((event) => [event['http.route'], event['guardrail.action']])).to.deep.equal([
      ['inline/pass', 'UNCHECKED'],
    ]);
  });
});

describe('an audit event', () => {
  /** Everything that a caller can send, each with a value. */
  const PLANTS = [
    email,
    otherEmail,
    endUser,
    phone,
    'anna.schmidt',
    'planted-team-5',
    'the-secret-id-of-a-call-0123456789',
  ];
  const audited = new Audited();
  after(() => {
    audited.remove();
  });

  it('repeats nothing that a caller sent, in whatever field', async function () {
    this.timeout(30_000);
    await audited.start({ GUARDRAIL_ADMIN_KEYS: 'litellm', GUARDRAIL_PROXY_UNKNOWN: 'pass' });
    for (const plant of PLANTS) await plantEverywhere(plant);
    const stream = await audited.stop();
    expect(eventsIn(stream).length).to.be.greaterThan(PLANTS.length * 8);
    for (const plant of PLANTS) {
      for (const spelling of [plant, encodeURIComponent(plant), Buffer.from(plant).toString('hex')]) {
        expect(stream.toLowerCase()).to.not.include(spelling.toLowerCase());
      }
    }
  });

  async function plantEverywhere(plant: string): Promise<void> {
    const names = ['x-request-id', 'x-session-id', 'x-guardrail-team', 'user-agent', 'traceparent', 'x-customer'];
    const headers = Object.fromEntries(names.map((name) => [name, plant]));
    const fields = {
      ...{ texts: [plant], model: plant, litellm_call_id: plant, litellm_trace_id: plant, images: [plant] },
      structured_messages: [{ role: 'user', name: plant, content: plant }],
      tools: [{ type: 'function', function: { name: plant, description: plant } }],
      tool_calls: [{ id: plant, function: { name: plant, arguments: plant } }],
      request_headers: headers,
      request_data: {
        ...{ user_api_key_hash: plant, user_api_key_team_id: plant },
        ...{ user_api_key_user_id: plant, user_api_key_end_user_id: plant },
      },
      additional_provider_specific_params: { block_entities: [plant] },
      [plant]: plant,
    };
    const portkey = { metadata: { _user: plant, session_id: plant }, request: { json: { model: plant, user: plant } } };
    const calls: [path: string, body: object][] = [
      [BASIC, { ...fields, input_type: 'request' }],
      [BASIC, { ...fields, input_type: 'response', model: 'gpt-4o' }],
      [BASIC, { ...fields, input_type: plant }],
      [`${BASIC}?dialect=${encodeURIComponent(plant)}`, { ...fields, input_type: 'request' }],
      ['/v1/peer/check', { ...portkey, eventType: 'beforeRequestHook' }],
      [`/v1/peer/check?dialect=${encodeURIComponent(plant)}`, { ...portkey, eventType: plant }],
      ['/v1/peer/check', { body: { messages: [{ role: plant, content: plant }] } }],
      ['/v1/guard/redact', { texts: [plant] }],
      ['/v1/guard/rehydrate', { texts: [plant] }],
      ['/v1/guard/rehydrate/stream', { text: plant, carry: plant }],
      ['/subjects/erase', { end_user_id: plant, tenant: plant === 'planted-team-5' ? plant : undefined }],
    ];
    for (const [path, body] of calls) {
      await audited.inline.call('POST', path, body, { headers });
      await audited.inline.call('POST', path, body, { headers: { ...headers, 'x-api-key': plant } });
    }
    await audited.inline.call('DELETE', `/sessions/${encodeURIComponent(plant)}`, undefined, { headers });
    const secret = { authorization: `Bearer ${plant}`, 'x-litellm-customer-id': plant };
    await (
      await audited.inline.chat(plant, { model: plant, user: plant }, { headers: { ...headers, ...secret } })
    ).text();
    const address = `${audited.inline.proxyUrl}/${encodeURIComponent(plant)}?key=${encodeURIComponent(plant)}`;
    await (await fetch(address, { method: 'POST', body: plant, headers: { ...headers, ...secret } })).text();
  }
});

describe('the audit trail in monitor mode', () => {
  const audited = new Audited();
  after(() => {
    audited.remove();
  });

  it('says what enforce mode would have done', async () => {
    await audited.start({ GUARDRAIL_MODE: 'monitor' });
    const ids = [
      await audited.send(BASIC, basic('request')),
      await audited.send(BASIC, basic('request', { texts: [iban] })),
      await audited.send(BASIC, { ...basic('request'), texts: 7 }),
    ];
    const events = new Map(eventsIn(await audited.stop()).map((event) => [event['http.request.id'], event]));
    expect(ids.map((id) => events.get(id)?.['guardrail.action'])).to.deep.equal([
      'MONITORED_GUARDRAIL_INTERVENED',
      'MONITORED_BLOCKED',
      'MONITORED_FAILED',
    ]);
  });
});
