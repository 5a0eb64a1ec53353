import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually, KEY, PLANTED, startHarness, type Answer, type Harness } from '../testing/appHarness.ts';
import { startInline, TOKEN, type Inline } from '../testing/inlineHarness.ts';

const TOOL_KEY = 'key-of-the-crm-tool';
const MAIL_KEY = 'key-of-the-mail-tool';
const INLINE_KEY = 'key-of-the-inline-tool';
const SLOW_KEY = 'key-of-the-slow-tool';
const OTHER_KEY = 'key-of-another-tenant';

const ENV = {
  GUARDRAIL_API_KEYS: `litellm:${KEY},crm:${TOOL_KEY},mail:${MAIL_KEY},direct:${INLINE_KEY},slow:${SLOW_KEY},other:${OTHER_KEY}`,
  GUARDRAIL_RESTORE_KEYS: 'crm@litellm:*,mail@litellm:EMAIL_ADDRESS,direct@inline:*,slow@litellm:*,other:*',
};
const TEXT = `Mail ${PLANTED.email} or call ${PLANTED.phone}.`;
const MISSING = '0123456789abcdef'.repeat(2);

const as = (key: string, more: Record<string, string> = {}): RequestInit => ({
  headers: { 'x-api-key': key, ...more },
});
const codeOf = ({ body }: Answer): unknown => (body as { error: { code: string } }).error.code;

interface Restored {
  readonly texts?: string[];
  readonly json?: unknown;
  readonly restored: Record<string, number>;
  readonly withheld: Record<string, number>;
  readonly unknown: Record<string, number>;
}

const identity = { request_data: { user_api_key_team_id: 'red' } };

describe('POST /v1/restore', () => {
  let harness: Inline;
  before(async () => {
    harness = await startInline({ env: ENV });
  });
  after(async () => {
    await harness.stop();
  });

  const restore = (body: object, key = TOOL_KEY): Promise<Answer> => harness.call('POST', '/v1/restore', body, as(key));
  const restored = async (body: object, key = TOOL_KEY): Promise<Restored> => {
    const answer = await restore(body, key);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Restored;
  };
  /** Pseudonymizes a text. */
  const masked = async (text: string, key = KEY): Promise<{ text: string; session_id: string }> => {
    const answer = await harness.guard({ ...identity, input_type: 'request', texts: [text] }, as(key));
    const [changed = ''] = (answer.body as { texts: string[] }).texts;
    expect(changed).to.match(/<[A-Z_]+_[0-9A-Z]{8}>/);
    return { text: changed, session_id: answer.headers.get('x-session-id') ?? '' };
  };

  it('gives the values, by the id of the session and by the identity of the caller', async () => {
    const { text, session_id } = await masked(TEXT);
    for (const named of [{ session_id }, identity]) {
      expect(await restored({ ...named, texts: ['Nothing.', text, text] })).to.deep.equal({
        texts: ['Nothing.', TEXT, TEXT],
        restored: { EMAIL_ADDRESS: 2, PHONE_NUMBER: 2 },
        withheld: {},
        unknown: {},
      });
    }
  });

  it('keeps pseudonyms of types that the key may not see', async () => {
    const { text, session_id } = await masked(TEXT);
    const [email = '', phone = ''] = text.match(/<[^>]+>/g) ?? [];
    const { texts, json, ...counts } = await restored(
      { session_id, texts: [text], json: { to: email, phone } },
      MAIL_KEY,
    );
    expect(texts).to.deep.equal([`Mail ${PLANTED.email} or call ${phone}.`]);
    expect(json).to.deep.equal({ to: PLANTED.email, phone });
    expect(counts).to.deep.equal({ restored: { EMAIL_ADDRESS: 2 }, withheld: { PHONE_NUMBER: 2 }, unknown: {} });
  });

  it('leaves the expiry of the session to the policies of the calls of the model', async () => {
    const { text, session_id } = await masked(TEXT);
    const expiry = async (): Promise<number> => {
      const { body } = await harness.call('GET', `/sessions/${session_id}`);
      return Date.parse((body as { expires_at: string }).expires_at);
    };
    const before = await expiry();
    const start = Date.now();
    await eventually(() => Date.now() > start + 100);
    expect((await restored({ session_id, texts: [text] })).texts).to.deep.equal([TEXT]);
    expect(await expiry()).to.be.closeTo(before, 50);
  });

  it('counts pseudonyms that the session does not have', async () => {
    const { session_id } = await masked(TEXT);
    const texts = ['Mail <EMAIL_ADDRESS_AAAA2222>.', 'Ask <PERSON_BBBB3333>.'];
    expect(await restored({ session_id, texts })).to.deep.equal({
      texts,
      restored: {},
      withheld: {},
      unknown: { EMAIL_ADDRESS: 1, PERSON: 1 },
    });
  });

  it('restores JSON as JSON: names, nested JSON, numbers with all their digits, and any root', async () => {
    const { text, session_id } = await masked(`${PLANTED.email} ${PLANTED.card}`);
    const [email = '', card = ''] = text.match(/<[^>]+>/g) ?? [];
    const number = card.replace('<', '[').replace('>', ']');
    const json = `{"to":"${email}","${email}":[1e400,12345678901234567890],"n":"${number}","inner":"{\\"to\\":\\"${email}\\"}"}`;
    const answer = await fetch(`${harness.url}/v1/restore`, {
      method: 'POST',
      body: `{"session_id":"${session_id}","json":${json}}`,
      headers: { 'x-api-key': TOOL_KEY, 'content-type': 'application/json' },
    });
    const body = await answer.text();
    expect(body).to.include(
      `"json":{"to":"${PLANTED.email}","${PLANTED.email}":[1e400,12345678901234567890],"n":${PLANTED.card},"inner":"{\\"to\\":\\"${PLANTED.email}\\"}"}`,
    );
    for (const root of [null, 7, '', `Mail ${email}.`, [email]]) {
      const expected = JSON.parse(JSON.stringify(root).replaceAll(email, PLANTED.email)) as unknown;
      expect((await restored({ session_id, json: root })).json).to.deep.equal(expected);
    }
  });

  it('finds the sessions of the inline proxy, and those whose pseudonyms belong to a team', async () => {
    const inline = await harness.chat(`Mail ${PLANTED.email}.`, {}, { headers: { authorization: `Bearer ${TOKEN}` } });
    const session = inline.headers.get('x-session-id') ?? '';
    const sent = (JSON.parse(harness.received.at(-1)?.body ?? '') as { messages: { content: string }[] }).messages[0]
      ?.content;
    expect(sent).to.not.include(PLANTED.email);
    expect((await restored({ session_id: session, texts: [sent] }, INLINE_KEY)).texts).to.deep.equal([
      `Mail ${PLANTED.email}.`,
    ]);
    expect((await restore({ session_id: session, texts: [sent] })).status).to.equal(404);

    for (const team of ['', 'red']) {
      const headers = { 'x-session-id': 'c'.repeat(40), ...(team === '' ? {} : { 'x-guardrail-team': team }) };
      const shield = await harness.call('POST', '/v1/guard/redact', { texts: [TEXT] }, as(KEY, headers));
      const { texts } = shield.body as { texts: string[] };
      const call = { session_id: shield.headers.get('x-session-id'), texts };
      const answer = await harness.call('POST', '/v1/restore', call, as(TOOL_KEY, headers));
      expect((answer.body as Restored).texts).to.deep.equal([TEXT]);
    }
  });

  it('tells nothing of the sessions of another tenant', async () => {
    const { text, session_id } = await masked(TEXT);
    const plain = ({ status, body }: Answer): string =>
      JSON.stringify([status, body]).replace(/"request_id":"[^"]*"/, '');
    for (const id of [session_id, MISSING, PLANTED.email]) {
      const answer = await restore({ session_id: id, texts: [text] }, OTHER_KEY);
      expect(codeOf(answer)).to.equal('session_not_found');
      expect(plain(answer)).to.equal(plain(await restore({ session_id: MISSING, texts: [text] }, OTHER_KEY)));
    }
    const other = await restored({ ...identity, texts: [text] }, OTHER_KEY);
    expect(other).to.deep.include({ texts: [text], restored: {}, unknown: { EMAIL_ADDRESS: 1, PHONE_NUMBER: 1 } });
  });

  it('refuses keys without the right, and other calls of a key that may only restore', async () => {
    const { session_id } = await masked(TEXT);
    expect((await restore({ session_id, texts: [] }, KEY)).status).to.equal(403);
    const calls: [method: string, path: string, body?: object][] = [
      ['POST', '/beta/litellm_basic_guardrail_api', { input_type: 'request', texts: ['x'] }],
      ['GET', `/sessions/${session_id}`],
      ['DELETE', `/sessions/${session_id}`],
      ['POST', '/subjects/erase', { end_user_id: 'x' }],
      ['GET', '/openapi.json'],
      ['GET', '/unknown'],
    ];
    for (const [method, path, body] of calls) {
      const answer = await harness.call(method, path, body, as(TOOL_KEY));
      expect([answer.status, codeOf(answer)], path).to.deep.equal([403, 'restore_key_only']);
    }
    expect((await harness.call('GET', `/sessions/${session_id}`)).status).to.equal(200);
    expect((await masked(TEXT, OTHER_KEY)).text).to.not.include(PLANTED.email);
  });

  it('refuses bodies without a session or without texts', async () => {
    const WRONG: [body: object, problem: RegExp][] = [
      [{ texts: [] }, /session_id or request_data/],
      [{ session_id: MISSING }, /texts or json/],
      [{ ...identity, session_id: MISSING, texts: [] }, /not contain both/],
      [{ session_id: 7, texts: [] }, /session_id must be a string/],
      [{ session_id: MISSING, texts: ['x', 1] }, /texts\[1\] must be a string/],
    ];
    for (const [body, problem] of WRONG) {
      const answer = await restore(body);
      expect(answer.status, String(problem)).to.equal(400);
      expect((answer.body as { error: { message: string } }).error.message).to.match(problem);
    }
  });

  it('makes a key that searches for pseudonyms wait, also over several calls', async () => {
    const { text, session_id } = await masked(TEXT);
    const guesses = (from: number, count: number): string[] =>
      Array.from({ length: count }, (_, at) => `<EMAIL_ADDRESS_AAAA${from + at}>`);
    const search = (from: number, count: number) =>
      restore({ session_id, texts: [text, ...guesses(from, count)] }, SLOW_KEY);
    const inOneCall = (await search(1000, 33)).body as Restored;
    expect(inOneCall).to.deep.include({ restored: {}, withheld: { EMAIL_ADDRESS: 1, PHONE_NUMBER: 1 } });
    expect(((await search(1100, 20)).body as Restored).texts?.[0]).to.equal(TEXT);
    const refused = await search(1200, 20);
    expect([refused.status, codeOf(refused)]).to.deep.equal([429, 'too_many_guesses']);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await restored({ session_id, texts: [text] }, SLOW_KEY)).texts).to.deep.equal([TEXT]);
    expect(await harness.metrics()).to.match(/^guardrail_suspected_enumerations_total [2-9]/m);
  });

  it('counts by type in metrics, the access log and the audit', async () => {
    const { text, session_id } = await masked(TEXT);
    await restored({ session_id, texts: [text, '<PERSON_BBBB3333>'] }, MAIL_KEY);
    const lines = harness.logs.filter((line) => line.includes('"tenant":"mail"') && line.includes('"unknown"'));
    const [audit, access] = lines.slice(-2).map((line) => JSON.parse(line) as object);
    expect(audit).to.deep.include({
      ...{ audit: true, event: 'values_restored', tenant: 'mail', of_tenant: 'litellm', session_id },
      ...{ restored: { EMAIL_ADDRESS: 1 }, withheld: { PHONE_NUMBER: 1 }, unknown: { PERSON: 1 } },
    });
    expect(access).to.include({ route: '/v1/restore', session_id, restored: 1, withheld: 1, unknown: 1 });
    const metrics = await harness.metrics();
    for (const [type, outcome] of Object.entries({ PHONE_NUMBER: 'withheld', PERSON: 'unknown' })) {
      expect(metrics).to.match(
        new RegExp(`guardrail_tool_pseudonyms_total\\{way="restore",type="${type}",outcome="${outcome}"\\} \\d`),
      );
    }
  });
});

describe('the rate of /v1/restore', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness({ env: { ...ENV, GUARDRAIL_RESTORE_RATE: '2' } });
  });
  after(async () => {
    await harness.stop();
  });

  it('is limited for each key', async () => {
    const call = (key: string): Promise<Answer> =>
      harness.call('POST', '/v1/restore', { session_id: MISSING, texts: [] }, as(key));
    for (let n = 0; n < 2; n++) expect((await call(TOOL_KEY)).status).to.equal(404);
    const limited = await call(TOOL_KEY);
    expect([limited.status, codeOf(limited)]).to.deep.equal([429, 'rate_limited']);
    expect(Number(limited.headers.get('retry-after'))).to.be.within(1, 30);
    expect((await call(MAIL_KEY)).status).to.equal(404);
  });

  const withHarness = async (env: NodeJS.ProcessEnv, test: (one: Harness) => Promise<void>): Promise<void> => {
    const one = await startHarness({ env: { ...ENV, ...env } });
    try {
      await test(one);
    } finally {
      await one.stop();
    }
  };

  for (const scope of ['call', 'conversation']) {
    it(`refuses a call that does not name its ${scope}, if each has its own session`, () =>
      withHarness({ GUARDRAIL_SESSION_SCOPE: scope }, async (one) => {
        const ids = { litellm_call_id: 'call-1', litellm_trace_id: 'trace-1' };
        const request = await one.guard({ ...identity, ...ids, input_type: 'request', texts: [TEXT] });
        const { texts } = request.body as { texts: string[] };
        const refused = await one.call('POST', '/v1/restore', { ...identity, texts }, as(TOOL_KEY));
        expect(refused.status).to.equal(400);
        expect(refused.body)
          .to.have.nested.property('error.message')
          .that.matches(/does not identify a session: add/);
        const named = { ...identity, texts, call_id: 'call-1', trace_id: 'trace-1' };
        const answer = await one.call('POST', '/v1/restore', named, as(TOOL_KEY));
        expect((answer.body as Restored).texts).to.deep.equal([TEXT]);
      }));
  }

  it('restores in monitor mode what was replaced before, and counts what is unknown', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'policy-'));
    const path = join(folder, 'policy.yaml');
    writeFileSync(path, 'mode: enforce');
    try {
      await withHarness({ GUARDRAIL_POLICY: path }, async (one) => {
        const request = await one.guard({ ...identity, input_type: 'request', texts: [TEXT] });
        const { texts } = request.body as { texts: string[] };
        writeFileSync(path, 'mode: monitor');
        const isMonitoring = async (): Promise<boolean> =>
          ((await one.guard({ ...identity, input_type: 'request', texts: [TEXT] })).body as { action: string })
            .action === 'NONE';
        await eventually(isMonitoring);
        const sent = { ...identity, texts: [...texts, '<PERSON_BBBB3333>'] };
        const answer = await one.call('POST', '/v1/restore', sent, as(TOOL_KEY));
        expect(answer.body).to.deep.equal({
          texts: [TEXT, '<PERSON_BBBB3333>'],
          ...{ restored: { EMAIL_ADDRESS: 1, PHONE_NUMBER: 1 }, withheld: {}, unknown: { PERSON: 1 } },
        });
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('and the path do not exist without keys', async () => {
    const off = await startHarness();
    try {
      expect((await off.call('POST', '/v1/restore', { session_id: MISSING, texts: [] })).status).to.equal(404);
    } finally {
      await off.stop();
    }
  });
});
