import { expect } from 'chai';
import { KEY, PLANTED, startHarness, type Answer, type Harness } from '../testing/appHarness.ts';

const TEXT = `Write to ${PLANTED.email}`;
const ANALYZE = { text: TEXT, language: 'en' };
/** As Presidio's `AnalysisExplanation`. */
const EXPLANATION = {
  recognizer: 'BuiltinRecognizer',
  original_score: 1,
  pattern_name: 'email',
  pattern: null,
  validation_result: null,
  textual_explanation: 'Found by the rule email',
  regex_flags: null,
  score: 1,
  score_context_improvement: 0,
  supportive_context_word: '',
};
const MAIL = { analysis_explanation: null, end: TEXT.length, entity_type: 'EMAIL_ADDRESS', score: 1, start: 9 };
const PATHS = [
  '/analyze',
  '/anonymize',
  '/deanonymize',
  '/supportedentities',
  '/recognizers',
  '/anonymizers',
  '/health',
];

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

describe("Presidio's API of the service", () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness({ env: { GUARDRAIL_PRESIDIO_API: 'true', GUARDRAIL_MAX_BODY: '4KiB' } });
  });
  after(async () => {
    await harness.stop();
  });

  const withHeaders = (headers: Record<string, string>): Promise<Answer> =>
    harness.call('POST', '/analyze', ANALYZE, { headers: { 'x-api-key': '', ...headers } });

  it('takes the key as each client of Presidio can send it', async () => {
    const accepted: Record<string, string>[] = [
      { 'x-api-key': KEY },
      { authorization: `Bearer ${KEY}` },
      { authorization: basic('any name', KEY) },
      { authorization: basic('', KEY), 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of accepted) {
      const { status, body } = await withHeaders(headers);
      expect({ status, body }, JSON.stringify(headers)).to.deep.equal({ status: 200, body: [MAIL] });
    }
  });

  it('refuses a call without a key, and the credentials that a browser adds for another site', async () => {
    const refused: Record<string, string>[] = [
      {},
      { authorization: basic('any name', 'wrong') },
      { authorization: basic(KEY, '') },
      { authorization: `Bearer wrong` },
      { authorization: basic('any name', KEY), 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of refused) expect((await withHeaders(headers)).status, JSON.stringify(headers)).to.equal(401);
    for (const path of ['/supportedentities', '/recognizers', '/anonymizers', '/deanonymizers']) {
      expect((await harness.call('GET', path, undefined, { headers: { 'x-api-key': '' } })).status, path).to.equal(401);
    }
  });

  it('does not take basic authentication for other paths', async () => {
    const { status } = await harness.call(
      'POST',
      '/beta/litellm_basic_guardrail_api',
      { input_type: 'request', texts: [TEXT] },
      {
        headers: { 'x-api-key': '', authorization: basic('any name', KEY) },
      },
    );
    expect(status).to.equal(401);
  });

  it('answers the health probe without a key', async () => {
    const { status, body } = await harness.call('GET', '/health', undefined, { headers: { 'x-api-key': '' } });
    expect({ status, body }).to.deep.equal({ status: 200, body: 'Presidio Analyzer service is up' });
  });

  /** What clients send, from their sources. */
  const clients: readonly (readonly [client: string, path: string, body: object, expected: unknown])[] = [
    ['LiteLLM', '/analyze', { ...ANALYZE }, [MAIL]],
    ['LiteLLM with pii_entities_config', '/analyze', { ...ANALYZE, entities: ['EMAIL_ADDRESS', 'PERSON'] }, [MAIL]],
    [
      'LiteLLM',
      '/anonymize',
      { text: 'to Anna', analyzer_results: [{ ...MAIL, start: 3, end: 7 }] },
      {
        text: 'to <EMAIL_ADDRESS>',
        items: [
          { start: 3, end: 18, entity_type: 'EMAIL_ADDRESS', text: '<EMAIL_ADDRESS>', operator: 'replace', score: 1 },
        ],
      },
    ],
    ['Bifrost', '/analyze', { ...ANALYZE, entities: ['EMAIL_ADDRESS'], score_threshold: 0.5 }, [MAIL]],
    [
      'RemoteRecognizer of Presidio',
      '/analyze',
      {
        ...ANALYZE,
        entities: ['EMAIL_ADDRESS'],
        correlation_id: null,
        score_threshold: 0.4,
        return_decision_process: true,
      },
      [{ ...MAIL, analysis_explanation: EXPLANATION }],
    ],
    ['a batch', '/analyze', { ...ANALYZE, text: [TEXT, 'nothing'] }, [[MAIL], []]],
    [
      'a client that masks',
      '/anonymize',
      {
        text: 'to Anna',
        analyzer_results: [
          { start: 3, end: 7, score: 0.85, entity_type: 'PERSON', recognition_metadata: { recognizer_name: 'x' } },
        ],
        anonymizers: {
          DEFAULT: { type: 'replace', new_value: 'X' },
          PERSON: { type: 'mask', masking_char: '*', chars_to_mask: 4, from_end: true },
        },
      },
      {
        text: 'to ****',
        items: [{ start: 3, end: 7, entity_type: 'PERSON', text: '****', operator: 'mask', score: 0.85 }],
      },
    ],
  ];
  for (const [client, path, request, expected] of clients) {
    it(`answers ${client} at ${path}`, async () => {
      const { status, body } = await harness.call('POST', path, request);
      expect({ status, body }).to.deep.equal({ status: 200, body: expected });
    });
  }

  it('lists its types, recognizers and operators', async () => {
    const list = async (path: string): Promise<unknown> => (await harness.call('GET', path)).body;
    expect(await list('/supportedentities?language=en')).to.include.members(['PERSON', 'LOCATION', 'IBAN_CODE']);
    expect(await list('/recognizers')).to.deep.equal(['BuiltinRecognizer', 'PolicyRecognizer']);
    expect(await list('/anonymizers')).to.deep.equal(['encrypt', 'hash', 'keep', 'mask', 'redact', 'replace']);
    expect(await list('/deanonymizers')).to.deep.equal(['decrypt', 'deanonymize_keep']);
    expect((await harness.call('GET', '/recognizers?language=xx')).status).to.equal(400);
  });

  it("answers each error in Presidio's format", async () => {
    const raw = (body: string, type = 'application/json'): Promise<Answer> =>
      harness.call('POST', '/analyze', undefined, { body, headers: { 'content-type': type } });
    const errors: readonly (readonly [status: number, answer: Promise<Answer>])[] = [
      [400, raw('{')],
      [400, raw('{"text":"a","text":"b","language":"en"}')],
      [400, harness.call('POST', '/analyze', { ...ANALYZE, entities: 'PERSON' })],
      [400, harness.call('POST', '/anonymize', {})],
      [413, raw(JSON.stringify({ ...ANALYZE, text: 'a'.repeat(5000) }))],
      [415, raw('{}', 'text/plain')],
      [422, harness.call('POST', '/anonymize', { text: TEXT })],
      [400, harness.call('POST', '/analyze', { language: 'en' })],
    ];
    for (const [expected, answer] of errors) {
      const { status, body } = await answer;
      expect(status).to.equal(expected);
      expect(Object.keys(body as object)).to.deep.equal(['error']);
      expect((body as { error: unknown }).error).to.be.a('string');
    }
  });

  it('counts what it reports, logs no text, and creates no session', async () => {
    const ad_hoc_recognizers = [{ supported_entity: PLANTED.endUser, deny_list: ['write'] }];
    const answer = await harness.call('POST', '/analyze', { ...ANALYZE, ad_hoc_recognizers });
    expect(answer.headers.get('x-session-id')).to.equal(null);
    const metrics = await harness.metrics();
    expect(metrics).to.match(/guardrail_entities_total\{type="AD_HOC",detector="deny-list"\} 1/);
    expect(metrics).to.match(/guardrail_http_requests_total\{route="\/analyze",method="POST",status="200"\}/);
    expect(metrics).to.match(/^guardrail_sessions 0$/m);
    const line = harness.logs.findLast((entry) => entry.includes('"route":"/analyze"')) ?? '';
    expect(JSON.parse(line)).to.include({ tenant: 'litellm', dialect: 'presidio', entities: 2, status: 200 });
  });
});

describe("Presidio's API with other settings", () => {
  let harness: Harness | undefined;
  afterEach(async () => {
    await harness?.stop();
    harness = undefined;
  });
  const start = async (env: NodeJS.ProcessEnv): Promise<Harness> => (harness = await startHarness({ env }));

  it('is off by default', async () => {
    const service = await start({});
    for (const path of PATHS) expect((await service.call('GET', path)).status, path).to.equal(404);
  });

  it('serves everybody who can reach the port if authentication is off', async () => {
    const off = { GUARDRAIL_API_KEYS: undefined, GUARDRAIL_INSECURE_NO_AUTH: 'true' };
    const service = await start({ GUARDRAIL_PRESIDIO_API: 'true', ...off });
    expect((await service.call('POST', '/analyze', ANALYZE, { headers: { 'x-api-key': '' } })).body).to.deep.equal([
      MAIL,
    ]);
  });

  it('applies the policy of the team that the client names', async () => {
    const policy = 'entities: {EMAIL_ADDRESS: ignore}\nteams: {red: {entities: {EMAIL_ADDRESS: block}}}';
    const service = await start({ GUARDRAIL_PRESIDIO_API: 'true', GUARDRAIL_POLICY: policy });
    const ofTeam = async (team: string): Promise<unknown> =>
      (await service.call('POST', '/analyze', ANALYZE, { headers: { 'x-guardrail-team': team } })).body;
    expect(await ofTeam('red')).to.deep.equal([MAIL]);
    expect(await ofTeam('blue')).to.deep.equal([]);
    expect((await service.call('POST', '/analyze', { ...ANALYZE, entities: ['EMAIL_ADDRESS'] })).body).to.deep.equal([
      MAIL,
    ]);
  });
});
