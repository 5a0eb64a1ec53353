import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { KEY, PLANTED, startHarness, type Harness } from '../../testing/appHarness.ts';

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('the playground', () => {
  let harness: Harness;
  before(async () => {
    const policy = '{ entities: { IBAN_CODE: { action: block }, PHONE_NUMBER: { action: ignore } } }';
    harness = await startHarness({ env: { GUARDRAIL_PLAYGROUND: 'true', GUARDRAIL_POLICY: policy } });
  });
  after(async () => {
    await harness.stop();
  });

  it('is disabled by default', async () => {
    const plain = await startHarness();
    try {
      expect((await plain.call('GET', '/playground')).status).to.equal(404);
      expect((await plain.call('POST', '/playground/detect', { text: 'x' })).status).to.equal(404);
      expect(JSON.stringify((await plain.call('GET', '/openapi.json')).body)).to.not.include('playground');
    } finally {
      await plain.stop();
    }
  });

  it('is a page without a key, and its policy allows only its own style and script', async () => {
    const answer = await harness.call('GET', '/playground');
    expect(answer.status).to.equal(200);
    expect(JSON.stringify(answer.body)).to.not.include(KEY);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).to.match(/^default-src 'none';/);
    expect(policy).to.not.match(/unsafe|https?:|\*/);
    const page = String(answer.body);
    for (const [element, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ] as const) {
      const [, content = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(page) ?? [];
      expect(content.length).to.be.greaterThan(1000);
      expect(policy).to.include(`${directive} 'sha256-${createHash('sha256').update(content).digest('base64')}'`);
    }
    expect(page).to.not.match(/ on[a-z]+=|(?:src|href)="(?!data:,)|style="/);
  });

  it('accepts a key as the password, with any user name', async () => {
    for (const authorization of ['', basic('me', 'wrong-key'), basic(KEY, ''), 'Basic !', 'Basic', `Bearer ${KEY}`]) {
      const headers = { 'x-api-key': '', authorization };
      const refused = await harness.call('GET', '/playground', undefined, { headers });
      expect(refused.status, authorization).to.equal(401);
      expect(refused.headers.get('www-authenticate')).to.equal('Basic realm="guardrail", charset="UTF-8"');
    }
    for (const user of ['', 'me', 'somebody else']) {
      const headers = { 'x-api-key': '', authorization: basic(user, KEY) };
      expect((await harness.call('GET', '/playground', undefined, { headers })).status).to.equal(200);
    }
  });

  it('accepts the credentials of the sign-in only for calls of the page', async () => {
    const status = async (method: string, path: string, site: string): Promise<number> => {
      const headers = { 'x-api-key': '', authorization: basic('me', KEY), 'sec-fetch-site': site };
      const bodies: Readonly<Record<string, object>> = {
        '/playground/detect': { text: 'x' },
        '/playground/pseudonymize': { text: 'x', call_id: 'none' },
        '/playground/picture': { picture: 'none' },
        '/subjects/erase': { end_user_id: 'none' },
      };
      const body = method === 'GET' ? undefined : (bodies[path] ?? { input_type: 'request', texts: ['x'] });
      return (await harness.call(method, path, body, { headers })).status;
    };
    for (const path of [
      '/playground/detect',
      '/playground/pseudonymize',
      '/playground/picture',
      '/beta/gateway_basic_guardrail_api',
      '/subjects/erase',
    ]) {
      expect(await status('POST', path, 'same-origin'), path).to.equal(200);
      for (const site of ['cross-site', 'same-site', 'none']) {
        expect(await status('POST', path, site), `${path} from ${site}`).to.equal(401);
      }
    }
    // In browsers without Sec-Fetch-Site, a form of another site sends a body that is not JSON.
    const form = await harness.call('POST', '/subjects/erase', undefined, {
      body: '{"end_user_id":"none"}',
      headers: { 'x-api-key': '', authorization: basic('me', KEY), 'content-type': 'text/plain' },
    });
    expect(form.status).to.equal(415);
    for (const path of ['/openapi.json', `/sessions/${'0'.repeat(32)}`]) {
      expect(await status('GET', path, 'same-origin'), path).to.equal(401);
    }
    expect(await status('POST', '/beta/litellm_basic_guardrail_api', 'same-origin')).to.equal(401);
  });

  it('accepts no Basic credentials without the playground, and requests none without keys', async () => {
    const headers = { 'x-api-key': '', authorization: basic('me', KEY) };
    const plain = await startHarness();
    const open = await startHarness({
      env: { GUARDRAIL_PLAYGROUND: 'true', GUARDRAIL_API_KEYS: undefined, GUARDRAIL_INSECURE_NO_AUTH: 'true' },
    });
    try {
      const body = { end_user_id: 'none' };
      expect((await plain.call('POST', '/subjects/erase', body, { headers })).status).to.equal(401);
      expect((await fetch(`${open.url}/playground`)).status).to.equal(200);
    } finally {
      await plain.stop();
      await open.stop();
    }
  });

  it('returns the position and action of each entity, only with a key', async () => {
    const text = `\u{1F600} ${PLANTED.email}, ${PLANTED.iban}, ${PLANTED.phone}`;
    const body = { text };
    const refused = await harness.call('POST', '/playground/detect', body, { headers: { 'x-api-key': '' } });
    expect(refused.status).to.equal(401);
    const answer = await harness.call('POST', '/playground/detect', body);
    const { entities } = answer.body as { entities: { start: number; end: number; type: string; action: string }[] };
    expect(entities.map(({ start, end, type, action }) => [text.slice(start, end), type, action])).to.deep.equal([
      [PLANTED.email, 'EMAIL_ADDRESS', 'pseudonymize'],
      [PLANTED.iban, 'IBAN_CODE', 'block'],
      [PLANTED.phone, 'PHONE_NUMBER', 'leave'],
    ]);
  });

  it('marks what allow and ignore spared, and takes the policy of a customer from admins only', async () => {
    const text = `Mail ${PLANTED.email}, phone ${PLANTED.phone}.`;
    const policy = `{ allow: [${PLANTED.email}], entities: { PHONE_NUMBER: ignore } }`;
    const { body } = await harness.call('POST', '/playground/detect', { text, policy });
    const { entities } = body as { entities: { type: string; action: string; by: string | null }[] };
    expect(entities.map(({ type, action, by }) => [type, action, by])).to.deep.equal([
      ['EMAIL_ADDRESS', 'leave', 'allowList'],
      ['PHONE_NUMBER', 'leave', 'ignored'],
    ]);
    expect((await harness.call('POST', '/playground/detect', { text, end_user_id: 'acme' })).status).to.equal(403);
  });

  it('says what each find and each dropped candidate needs in the policy', async () => {
    const text = `Siemens: ${PLANTED.email}`;
    const { body } = await harness.call('POST', '/playground/detect', { text });
    const { entities, dropped } = body as Record<'entities' | 'dropped', { policy: string[]; reason?: string }[]>;
    expect(entities.map(({ policy }) => policy[0])).to.deep.equal([
      'entities: { ORGANIZATION: { action: pseudonymize } }',
      `allow: [{ value: "${PLANTED.email}" }]`,
    ]);
    expect(dropped).to.deep.include({
      ...dropped[0],
      reason: 'the profile of the policy leaves this type',
      policy: ['entities: { ORGANIZATION: { action: pseudonymize } }'],
    });
  });

  it('explains the error of an invalid request', async () => {
    for (const [body, expected] of [
      [{}, /^text must be a string\.$/],
      [{ text: 'x', recall: 'most' }, /^recall must be "precise" or "balanced" or "thorough"\.$/],
      [{ text: 'x', profile: 'all' }, /^profile must be "personal" or "confidential"\.$/],
      [{ text: 'x', customer: 'acme' }, /^The body has an unknown field\.$/],
    ] as const) {
      const answer = await harness.call('POST', '/playground/detect', body);
      expect(answer.status).to.equal(400);
      expect((answer.body as { error: { message: string } }).error.message).to.match(expected);
    }
  });

  describe('with a profile', () => {
    const text = `Write to ${PLANTED.email} about Contoso Ltd in Berlin, phone ${PLANTED.phone}.`;
    const actionsWith = async (profile: string | undefined): Promise<unknown[]> => {
      const answer = await harness.call('POST', '/playground/detect', { text, profile });
      const { entities } = answer.body as { entities: { start: number; end: number; type: string; action: string }[] };
      return entities.map(({ start, end, type, action }) => [text.slice(start, end), type, action]);
    };
    const left = [
      [PLANTED.email, 'EMAIL_ADDRESS', 'pseudonymize'],
      ['Contoso Ltd', 'ORGANIZATION', 'leave'],
      ['Berlin', 'LOCATION', 'leave'],
    ];
    const ignored = [PLANTED.phone, 'PHONE_NUMBER', 'leave'];

    it('tells what the profile leaves alone, and what the policy ignores', async () => {
      expect(await actionsWith(undefined)).to.deep.equal([...left, ignored]);
      expect(await actionsWith('personal')).to.deep.equal([...left, ignored]);
      expect(await actionsWith('confidential')).to.deep.equal([
        ...left.map(([value, type]) => [value, type, 'pseudonymize']),
        ignored,
      ]);
    });

    it('replaces what the profile says, and restores it as a call after the model call does', async () => {
      for (const [profile, expected] of [
        ['personal', /^Write to <EMAIL_ADDRESS_\w+> about Contoso Ltd in Berlin, phone /],
        ['confidential', /^Write to <EMAIL_ADDRESS_\w+> about <ORGANIZATION_\w+> in <LOCATION_\w+>, phone /],
      ] as const) {
        const body = { text, profile, call_id: `call-${profile}` };
        const sent = await harness.call('POST', '/playground/pseudonymize', body);
        expect(sent.body).to.have.property('action', 'GUARDRAIL_INTERVENED');
        const changed = (sent.body as { text: string }).text;
        expect(changed).to.match(expected);
        const restored = await harness.guard({
          input_type: 'response',
          litellm_call_id: body.call_id,
          request_data: { user_api_key_end_user_id: body.call_id },
          texts: [changed],
        });
        expect(restored.body).to.have.property('texts').that.deep.equals([text]);
        const erased = await harness.call('POST', '/subjects/erase', { end_user_id: body.call_id });
        expect(erased.body).to.have.property('erased', 1);
      }
    });

    it('blocks what the policy blocks, in every profile', async () => {
      const body = { text: PLANTED.iban, profile: 'personal', call_id: 'blocked' };
      const answer = await harness.call('POST', '/playground/pseudonymize', body);
      expect(answer.body).to.have.property('action', 'BLOCKED');
      expect(answer.body)
        .to.have.property('blocked_reason')
        .that.matches(/^Your request was blocked/);
      expect(answer.body).not.to.have.property('text');
    });

    it('changes nothing without a finding', async () => {
      const answer = await harness.call('POST', '/playground/pseudonymize', { text: 'Hello', call_id: 'none' });
      expect(answer.body).to.deep.equal({ action: 'NONE', text: 'Hello' });
    });
  });
});
