import { expect } from 'chai';
import fc from 'fast-check';
import { startPresidio, startPresidioAnonymizer, type PresidioServer } from '../../hack/harness/presidio.ts';
import { startHarness, type Harness } from '../testing/appHarness.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const log = (line: string): void => void process.stderr.write(`${line}\n`);

async function callPresidio({ url }: PresidioServer, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { connection: 'close', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // Its analyzer calls a wrong request an error of the server.
  const status = response.status === 500 ? 400 : response.status;
  return { status, body: await response.json() };
}

describe("Presidio's API beside the real Presidio", function () {
  this.timeout(600_000);
  let analyzer: PresidioServer;
  let anonymizer: PresidioServer;
  let harness: Harness;

  before(async () => {
    harness = await startHarness({ env: { GUARDRAIL_PRESIDIO_API: 'true' } });
    analyzer = await startPresidio(log);
    anonymizer = await startPresidioAnonymizer(log);
  });
  after(async () => {
    await Promise.all([analyzer.close(), anonymizer.close()]);
    await harness.stop();
  });

  /** The answers of ours and of Presidio. */
  const both = async (server: PresidioServer, method: string, path: string, body?: unknown): Promise<Answer[]> => {
    const { status, body: own } = await harness.call(method, path, body);
    return [{ status, body: own }, await callPresidio(server, method, path, body)];
  };

  const text = fc
    .array(fc.constantFrom('a', 'Ä', ' ', '  ', '😀', '👩‍👧', '\n', '<', 'anna'), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join(''));
  const salt = 'a salt of sixteen bytes';
  const operator = fc.oneof(
    fc.constantFrom(
      { type: 'replace' },
      { type: 'replace', new_value: '' },
      { type: 'replace', new_value: '😀 new' },
      { type: 'redact' },
      { type: 'keep' },
      { type: 'hash', salt },
      { type: 'hash', hash_type: 'sha512', salt },
    ),
    fc.record({
      type: fc.constant('mask'),
      masking_char: fc.constantFrom('*', '😀', ''),
      chars_to_mask: fc.integer({ min: -2, max: 8 }),
      from_end: fc.boolean(),
    }),
  );
  const types = ['PERSON', 'URL', 'EMAIL_ADDRESS'];
  const anonymizers = fc.option(
    fc.dictionary(fc.constantFrom('DEFAULT', ...types), operator, { noNullPrototype: true }),
    { nil: undefined },
  );
  const request = text.chain((value) => {
    const length = Array.from(value).length;
    const result = fc
      .tuple(fc.nat(length), fc.nat(length), fc.constantFrom(...types), fc.constantFrom(0.1, 0.5, 1))
      .map(([a, b, entity_type, score]) => ({ start: Math.min(a, b), end: Math.max(a, b), entity_type, score }));
    return fc.record(
      { text: fc.constant(value), analyzer_results: fc.array(result, { maxLength: 8 }), anonymizers },
      { requiredKeys: ['text', 'analyzer_results'] },
    );
  });

  it('anonymizes any results, apart or overlapping, with any operators, as Presidio does', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (body) => {
        const [own, real] = await both(anonymizer, 'POST', '/anonymize', body);
        expect(own).to.deep.equal(real);
      }),
      { numRuns: 400, plugins: [fc.interruptAfterTimeLimit(60_000)], endOnFailure: false },
    );
  });

  const result = { start: 0, end: 1, entity_type: 'PERSON', score: 1 };
  const withResult = (changes: object): object => ({ text: 'abc', analyzer_results: [{ ...result, ...changes }] });
  const withOperator = (operator: object): object => ({ ...withResult({}), anonymizers: { DEFAULT: operator } });
  const masked = { type: 'mask', masking_char: '*', chars_to_mask: 1, from_end: true };
  const restored = (operator: object): object => ({
    text: 'abc',
    anonymizer_results: [
      { ...result, score: null },
      { ...result, end: 2 },
    ],
    deanonymizers: { DEFAULT: operator },
  });
  const adHoc = (changes: object, fields: object = {}): object => ({
    text: 'see 12345',
    language: 'en',
    entities: ['ZIP'],
    ad_hoc_recognizers: [{ ...zip, ...changes }],
    ...fields,
  });
  const zip = {
    name: 'zip',
    supported_language: 'en',
    supported_entity: 'ZIP',
    patterns: [{ name: 'zip', regex: String.raw`\d{5}`, score: 0.1 }],
    context: ['zip'],
  };
  const mails = { text: '😀 anna@example.org, ann@example.com', language: 'en', entities: ['EMAIL_ADDRESS'] };

  const anonymized: readonly object[] = [
    ...[{}, [], { text: 'a' }, { analyzer_results: [] }],
    ...[{ start: -1 }, { start: 2 }, { end: 99 }, { entity_type: '' }, { score: null }].map(withResult),
    ...[{ start: '0' }, { start: 0.5 }, { start: null }, { end: null }].map(withResult),
    ...[{ type: 'custom' }, {}, { type: 'replace', new_value: 5 }, { type: 'replace', new_value: ['a'] }].map(
      withOperator,
    ),
    ...[{ type: 'mask' }, masked, { ...masked, masking_char: '**' }, { ...masked, masking_char: 5 }].map(withOperator),
    ...[
      { ...masked, chars_to_mask: '1' },
      { ...masked, chars_to_mask: 1.5 },
      { ...masked, chars_to_mask: true },
    ].map(withOperator),
    ...[
      { ...masked, from_end: 1 },
      { ...masked, from_end: 0 },
      { ...masked, from_end: null },
    ].map(withOperator),
    ...[
      { type: 'hash', hash_type: null },
      { type: 'hash', salt: '' },
      { type: 'hash', salt: 'short' },
    ].map(withOperator),
    ...[{ type: 'encrypt' }, { type: 'encrypt', key: 'short' }, { type: 'encrypt', key: 5 }].map(withOperator),
    { ...withResult({}), anonymizers: { URL: { type: 'unknown' } } },
    { ...withResult({}), anonymizers: null },
  ];
  const deanonymized: readonly object[] = [
    {},
    ...[{ type: 'deanonymize_keep' }, { type: 'decrypt' }, { type: 'decrypt', key: 'short' }].map(restored),
    { text: 'abc', anonymizer_results: null },
  ];
  const analyzed: readonly object[] = [
    ...[{}, { text: '', language: 'en' }, { text: [], language: 'en' }, { text: 'a' }, { text: 'a', language: '' }],
    ...[
      { text: 'a', language: 'xx' },
      { text: 'a', language: 'en', entities: ['NOBODY'] },
    ],
    ...[mails, { ...mails, text: [mails.text, '', 'none'] }, { ...mails, score_threshold: 1.1 }],
    { ...mails, allow_list: ['anna@example.org'] },
    { ...mails, allow_list: ['^ANNA@'], allow_list_match: 'regex' },
    { ...mails, allow_list: ['^ANNA@'], allow_list_match: 'regex', regex_flags: 0 },
    ...[
      adHoc({}),
      adHoc({}, { context: ['zip'] }),
      adHoc({ supported_language: 'de' }, { entities: ['ZIP', 'PERSON'] }),
    ],
    adHoc({ patterns: undefined, deny_list: ['SEE', 'ee'] }),
  ];
  const paths: readonly (readonly [path: string, server: () => PresidioServer, bodies: readonly object[]])[] = [
    ['/anonymize', () => anonymizer, anonymized],
    ['/deanonymize', () => anonymizer, deanonymized],
    ['/analyze', () => analyzer, analyzed],
  ];
  for (const [path, server, bodies] of paths) {
    it(`answers requests to ${path}, right or wrong, as Presidio does`, async () => {
      for (const body of bodies) {
        const [own, real] = await both(server(), 'POST', path, body);
        expect(own, JSON.stringify(body)).to.deep.equal(real);
      }
    });
  }

  it('has the same status where only the message differs, because Presidio repeats what a caller sent', async () => {
    for (const operator of [{ type: 'unknown' }, { type: 'hash', hash_type: 'md5' }]) {
      const [own, real] = await both(anonymizer, 'POST', '/anonymize', withOperator(operator));
      expect(own?.status).to.equal(real?.status);
      expect(own?.body).to.have.all.keys('error');
    }
  });

  it('has the operators of Presidio that work over HTTP, and its answers about an unknown language', async () => {
    const [own, real] = await both(anonymizer, 'GET', '/anonymizers');
    expect(real?.body).to.have.members([...(own?.body as string[]), 'custom', 'surrogate_ahds']);
    for (const path of ['/supportedentities?language=xx', '/recognizers?language=xx']) {
      const [ours, theirs] = await both(analyzer, 'GET', path);
      expect(ours, path).to.deep.equal(theirs);
    }
    const [ours, theirs] = await both(anonymizer, 'GET', '/deanonymizers');
    expect(ours).to.deep.equal(theirs);
  });

  it('restores what Presidio has encrypted, and Presidio what it has encrypted', async () => {
    const key = 'a key with 24 characters';
    const text = 'from 😀 to Ännchen';
    const results = [
      { ...result, start: 5, end: 6 },
      { ...result, start: 10, end: 17 },
    ];
    const encrypt = { text, analyzer_results: results, anonymizers: { DEFAULT: { type: 'encrypt', key } } };
    const encrypted = await both(anonymizer, 'POST', '/anonymize', encrypt);
    for (const { body } of encrypted) {
      const { text: secret, items } = body as { text: string; items: object[] };
      const decrypt = { text: secret, anonymizer_results: items, deanonymizers: { DEFAULT: { type: 'decrypt', key } } };
      const [own, real] = await both(anonymizer, 'POST', '/deanonymize', decrypt);
      expect((own?.body as { text: string }).text).to.equal(text);
      expect(own).to.deep.equal(real);
    }
  });
});
