/** The audit events of calls by tools: restoring, and the MCP proxy. */
import { createSecretKey, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { auditEventSchema, type AuditEvent } from '../audit/event.ts';
import { INLINE_TENANT, type Tenant } from '../ids.ts';
import { deriveSubject } from '../pseudonymization/pseudonymization.ts';
import { KEY, PLANTED, SESSION_KEY } from '../testing/appHarness.ts';
import { completion, startInline, TOKEN, type Inline } from '../testing/inlineHarness.ts';

const { email, otherEmail, phone, iban, endUser } = PLANTED;
const TOOL_KEY = 'key-of-the-crm-tool';
const TEXT = `Mail ${email} or call ${phone}.`;
const MISSING = '0123456789abcdef'.repeat(2);
const key = createSecretKey(Buffer.from(SESSION_KEY));

const json = { 'content-type': 'application/json' };
const resultOf = (text: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text }] } });

describe('the audit trail of tools', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  const path = join(folder, 'audit.jsonl');
  const ids = new Map<string, string>();
  let harness: Inline;
  let stream: string;
  let logs: readonly string[];
  let session: string;
  let events: ReadonlyMap<string, AuditEvent>;

  const newId = (what: string): Record<string, string> => {
    const id = randomUUID();
    ids.set(what, id);
    return { 'x-request-id': id };
  };

  before(async function () {
    this.timeout(30_000);
    harness = await startInline({
      hasMcp: true,
      env: {
        GUARDRAIL_AUDIT: path,
        GUARDRAIL_API_KEYS: `litellm:${KEY},crm:${TOOL_KEY}`,
        GUARDRAIL_RESTORE_KEYS: 'crm@litellm:EMAIL_ADDRESS',
        GUARDRAIL_MCP_RESTORE_TYPES: 'EMAIL_ADDRESS',
        GUARDRAIL_POLICY: 'entities: { IBAN_CODE: block }',
      },
    });
    await restores();
    await toolCalls();
    ({ logs } = harness);
    await harness.stop();
    stream = readFileSync(path, 'utf8');
    const all = stream
      .split('\n')
      .filter(Boolean)
      .map((line) => auditEventSchema.strict().parse(JSON.parse(line)));
    events = new Map(all.map((event) => [event['http.request.id'], event]));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  async function restores(): Promise<void> {
    const request_data = { user_api_key_team_id: 'red', user_api_key_end_user_id: endUser };
    const masked = await harness.guard({ request_data, input_type: 'request', texts: [TEXT] });
    session = masked.headers.get('x-session-id') ?? '';
    const { texts } = masked.body as { texts: string[] };
    const restore = (what: string, body: object, apiKey = TOOL_KEY) =>
      harness.call('POST', '/v1/restore', body, { headers: { 'x-api-key': apiKey, ...newId(what) } });
    await restore('restored', { session_id: session, texts: [...texts, '<PERSON_BBBB3333>'] });
    await restore('restored for an end user', { request_data, texts });
    const guesses = Array.from({ length: 40 }, (_, at) => `<EMAIL_ADDRESS_AAAA${1000 + at}>`);
    await restore('a search', { session_id: session, texts: guesses });
    await restore('a search that is refused', { session_id: session, texts: guesses });
    await restore('of a session that does not exist', { session_id: MISSING, texts });
    await restore('without the right', { session_id: session, texts }, KEY);
    await restore('with a wrong key', { session_id: session, texts }, 'a wrong key');
  }

  async function toolCalls(): Promise<void> {
    harness.script((response) => response.writeHead(200, json).end(completion('')));
    await harness.chat(TEXT, {}, { headers: { authorization: `Bearer ${TOKEN}` } });
    const argument = (JSON.parse(harness.received.at(-1)?.body ?? '') as { messages: { content: string }[] })
      .messages[0]?.content;
    const call = async (what: string, body: unknown, more: RequestInit = {}, to = '/mcp'): Promise<void> => {
      const headers = { authorization: `Bearer ${TOKEN}`, ...json, ...newId(what) };
      const sent = { method: 'POST', headers, ...(body !== undefined && { body: JSON.stringify(body) }), ...more };
      await (await fetch(`http://127.0.0.1:${harness.app.mcpPort ?? 0}${to}`, sent)).text();
    };
    const tool = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'x', arguments: { argument } } };
    harness.script((response) => response.writeHead(200, json).end(resultOf(`${email} ${otherEmail}`)));
    await call('a tool', tool);
    harness.script((response) => response.writeHead(200, json).end(resultOf('Done.')));
    await call('a tool without values', { ...tool, params: {} });
    harness.script((response) => response.writeHead(200, json).end(resultOf(iban)));
    await call('a tool whose result is blocked', { ...tool, params: {} });
    await call('a message that is refused', { email });
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: { data: email } };
    harness.script((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(note)}\n\n`.repeat(3));
    });
    await call('a stream', undefined, { method: 'GET' });
    await call('a preflight', undefined, { method: 'OPTIONS' });
    await call('metadata', undefined, { method: 'GET' }, '/.well-known/oauth-protected-resource');
  }

  const eventOf = (what: string): AuditEvent | undefined => events.get(ids.get(what) ?? '');
  const emails = (count: number): AuditEvent['guardrail.entities'] => [
    { type: 'EMAIL_ADDRESS', count, action: 'pseudonymize' },
  ];

  it('has an event for restored values, with types, tenants and the session', () => {
    expect(eventOf('restored')).to.deep.include({
      ...{ 'guardrail.phase': 'restore', 'guardrail.action': 'GUARDRAIL_INTERVENED', 'http.route': '/v1/restore' },
      ...{ 'guardrail.tenant': 'crm', 'guardrail.session.tenant': 'litellm', 'session.id': session },
      ...{ 'guardrail.pseudonyms.restored': 1, 'guardrail.pseudonyms.withheld': 1, 'guardrail.pseudonyms.unknown': 1 },
      'guardrail.pseudonyms.types': [
        { type: 'EMAIL_ADDRESS', restored: 1, withheld: 0, unknown: 0 },
        { type: 'PERSON', restored: 0, withheld: 0, unknown: 1 },
        { type: 'PHONE_NUMBER', restored: 0, withheld: 1, unknown: 0 },
      ],
    });
    expect(eventOf('restored')).to.not.have.property('guardrail.suspected_enumeration');
    expect(eventOf('restored for an end user')).to.include({
      'user.hash': deriveSubject(key, 'litellm' as Tenant, endUser),
    });
  });

  it('says that a call is a suspected enumeration', () => {
    expect(eventOf('a search')).to.include({ 'guardrail.suspected_enumeration': true, 'guardrail.action': 'NONE' });
    expect(eventOf('a search that is refused')).to.include({
      ...{ 'guardrail.suspected_enumeration': true, 'guardrail.action': 'FAILED', 'error.type': 'too_many_guesses' },
      'guardrail.pseudonyms.restored': 0,
    });
  });

  it('has events for calls that are refused', () => {
    for (const [what, error] of [
      ['of a session that does not exist', 'session_not_found'],
      ['without the right', 'restore_key_required'],
      ['with a wrong key', 'unauthorized'],
    ] as const) {
      expect(eventOf(what), what).to.include({
        ...{ 'guardrail.phase': 'restore', 'guardrail.action': 'FAILED', 'error.type': error },
      });
    }
  });

  it('takes the place of the line in the log', () => {
    expect(logs.filter((line) => line.includes('values_restored'))).to.deep.equal([]);
  });

  it('has an event for a call of a tool, with what the tool got and what the model does not see', () => {
    const event = eventOf('a tool');
    expect(event).to.deep.include({
      ...{ 'guardrail.phase': 'call', 'guardrail.protocol': 'mcp', 'guardrail.action': 'GUARDRAIL_INTERVENED' },
      ...{ 'guardrail.tenant': INLINE_TENANT, 'http.route': 'mcp', 'http.response.status_code': 200 },
      ...{ 'guardrail.pseudonyms.restored': 1, 'guardrail.pseudonyms.withheld': 1, 'guardrail.pseudonyms.unknown': 0 },
      'guardrail.pseudonyms.types': [
        { type: 'EMAIL_ADDRESS', restored: 1, withheld: 0, unknown: 0 },
        { type: 'PHONE_NUMBER', restored: 0, withheld: 1, unknown: 0 },
      ],
      'guardrail.entities': emails(2),
    });
    expect(event?.['session.id']).to.match(/^[0-9a-f]{32}$/);
    expect(event?.['guardrail.policy.revision']).to.match(/^[0-9a-f]{32}$/);
    expect(eventOf('a tool without values')).to.include({ 'guardrail.action': 'NONE' });
  });

  it('has events for messages that are blocked or refused, and one for a stream', () => {
    expect(eventOf('a tool whose result is blocked')).to.deep.include({
      'guardrail.action': 'BLOCKED',
      'guardrail.entities': [{ type: 'IBAN_CODE', count: 1, action: 'block' }],
    });
    expect(eventOf('a message that is refused')).to.include({
      ...{ 'guardrail.action': 'FAILED', 'error.type': 'invalid_message', 'http.response.status_code': 400 },
    });
    expect(eventOf('a stream')).to.deep.include({
      'guardrail.action': 'GUARDRAIL_INTERVENED',
      'guardrail.entities': emails(3),
    });
    expect(eventOf('a preflight')).to.equal(undefined);
  });

  it('has an event for metadata of the server', () => {
    expect(eventOf('metadata')).to.include({
      ...{ 'guardrail.phase': 'call', 'guardrail.protocol': 'mcp', 'http.route': 'mcp/metadata' },
      ...{ 'guardrail.tenant': INLINE_TENANT, 'guardrail.action': 'FAILED', 'error.type': 'answer_unreadable' },
    });
  });

  it('contains no value', () => {
    for (const value of Object.values(PLANTED)) expect(stream).to.not.include(value);
  });
});

describe('the audit trail of tools in monitor mode', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  const path = join(folder, 'audit.jsonl');
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('says what enforce mode would have done with messages', async () => {
    const harness = await startInline({
      hasMcp: true,
      env: { GUARDRAIL_AUDIT: path, GUARDRAIL_MODE: 'monitor', GUARDRAIL_POLICY: 'entities: { IBAN_CODE: block }' },
    });
    const calls = [
      [resultOf(email), 'MONITORED_GUARDRAIL_INTERVENED'],
      [resultOf(iban), 'MONITORED_BLOCKED'],
      ['no JSON', 'MONITORED_FAILED'],
      [resultOf('Done.'), 'NONE'],
    ] as const;
    for (const [answer] of calls) {
      harness.script((response) => response.writeHead(200, json).end(answer));
      const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: {} });
      const address = `http://127.0.0.1:${harness.app.mcpPort ?? 0}/mcp`;
      expect(await (await fetch(address, { method: 'POST', headers: json, body })).text()).to.equal(answer);
    }
    await harness.stop();
    const actions = readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => auditEventSchema.parse(JSON.parse(line))['guardrail.action']);
    expect(actions).to.deep.equal(calls.map(([, action]) => action));
  });
});
