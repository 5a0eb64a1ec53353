import { expect } from 'chai';
import fc from 'fast-check';
import {
  compilePolicy,
  createAnalyzer,
  createBuiltinDetector,
  DetectorUnavailableError,
  nameTypes,
  parsePolicy,
  recognizedTypes,
  TooManyValuesError,
} from '../detection/detection.ts';
import { FieldError } from '../gateways/gateways.ts';
import { createPresidioAnalyzer, type PresidioResult } from './analyze.ts';
import { MAX_CONTEXT_PAIRS, MAX_DENIED, MAX_PATTERNS } from './analyzeRequest.ts';
import { PresidioError } from './errors.ts';

const call = { team: undefined, scope: undefined, signal: new AbortController().signal };
const detector = createBuiltinDetector();
const MAIL = 'Mail anna@example.org';

function analyzerWith(policy = ''): ReturnType<typeof createPresidioAnalyzer> {
  const compiled = compilePolicy(parsePolicy(policy));
  const analyzer = createAnalyzer({ detectors: [detector], policy: { current: compiled } });
  return createPresidioAnalyzer({
    analyzer,
    uncountedAnalyzer: analyzer,
    policy: () => compiled,
    profile: 'personal',
    languages: ['en', 'de'],
    types: () => [...nameTypes, ...recognizedTypes(), ...compiled.customTypes],
  });
}

/** The results of one text, as `value TYPE`. */
async function found(fields: object, policy?: string, team?: string): Promise<string[]> {
  const body = { language: 'en', ...fields };
  const { answer } = await analyzerWith(policy).analyze(body, { ...call, team });
  const points = Array.from((body as { text?: string }).text ?? '');
  return (answer as readonly PresidioResult[]).map(
    ({ start, end, entity_type }) => `${points.slice(start, end).join('')} ${entity_type}`,
  );
}

const adHoc = { supported_entity: 'ZIP', patterns: [{ name: 'zip', regex: String.raw`\d{5}`, score: 0.1 }] };
const withAdHoc = (recognizer: object, fields: object = {}): object => ({
  text: 'zip 12345',
  entities: ['ZIP'],
  ad_hoc_recognizers: [{ ...adHoc, ...recognizer }],
  ...fields,
});

describe('analyze', () => {
  const berlin = 'Anna Schmidt visited the city of Berlin.';
  const cases: readonly (readonly [what: string, fields: object, expected: readonly string[], policy?: string])[] = [
    ['reports what the policy hides', { text: MAIL }, ['anna@example.org EMAIL_ADDRESS']],
    ['leaves out what the policy ignores', { text: berlin }, ['Anna Schmidt PERSON']],
    ['reports what the policy ignores if asked for it', { text: berlin, entities: ['LOCATION'] }, ['Berlin LOCATION']],
    ['reports no type that is not asked for', { text: MAIL, entities: ['PERSON'] }, []],
    ['takes no types for all types', { text: MAIL, entities: [] }, ['anna@example.org EMAIL_ADDRESS']],
    [
      'takes null for a missing field',
      { text: MAIL, entities: null, context: null },
      ['anna@example.org EMAIL_ADDRESS'],
    ],
    [
      'reports what the policy blocks',
      { text: MAIL },
      ['anna@example.org EMAIL_ADDRESS'],
      'entities: {EMAIL_ADDRESS: block}',
    ],
    ['leaves out what the policy allows', { text: MAIL, entities: ['EMAIL_ADDRESS'] }, [], 'allow: [anna@example.org]'],
    ['reports the deny list of the policy', { text: 'Project Atlas' }, ['Atlas DENIED'], 'deny: [Atlas]'],
    [
      'reports the deny list if asked for it',
      { text: 'Project Atlas', entities: ['DENIED'] },
      ['Atlas DENIED'],
      'deny: [Atlas]',
    ],
    ['leaves out low scores', { text: MAIL, score_threshold: 1.1 }, []],
    ['leaves out allowed values', { text: MAIL, allow_list: ['anna@example.org'] }, []],
    [
      'compares allowed values exactly',
      { text: MAIL, allow_list: ['ANNA@example.org', 'anna'] },
      ['anna@example.org EMAIL_ADDRESS'],
    ],
    ['leaves out values with an allowed part', { text: MAIL, allow_list: ['^ANNA@'], allow_list_match: 'regex' }, []],
    [
      'obeys the flags of allowed patterns',
      { text: MAIL, allow_list: ['^ANNA@'], allow_list_match: 'regex', regex_flags: 0 },
      ['anna@example.org EMAIL_ADDRESS'],
    ],
    ['uses a recognizer of the request, whatever its score', withAdHoc({}), ['12345 ZIP']],
    ['takes a list with one type', withAdHoc({ supported_entity: null, supported_entities: ['ZIP'] }), ['12345 ZIP']],
    ['uses a recognizer without asking for its type', withAdHoc({}, { entities: null }), ['12345 ZIP']],
    ['leaves out a recognizer for another language', withAdHoc({ supported_language: 'de' }, { entities: null }), []],
    ['leaves out the type of a recognizer that is not asked for', withAdHoc({}, { entities: ['PERSON'] }), []],
    ['finds the words of a recognizer', withAdHoc({ patterns: null, deny_list: ['Zip'] }), ['zip ZIP']],
    ['finds nothing in a blank text', { text: ' \n' }, []],
  ];
  for (const [what, fields, expected, policy] of cases) {
    it(what, async () => {
      expect(await found(fields, policy)).to.deep.equal(expected);
    });
  }

  it('applies the policy of the team', async () => {
    const policy = 'teams: {red: {entities: {EMAIL_ADDRESS: ignore}}}';
    expect(await found({ text: MAIL }, policy, 'red')).to.deep.equal([]);
    expect(await found({ text: MAIL }, policy, 'blue')).to.have.lengthOf(1);
  });

  it('raises the score of a recognizer by the context words of the request', async () => {
    const scoreOf = async (fields: object): Promise<number | undefined> => {
      const { answer } = await analyzerWith().analyze({ language: 'en', ...fields }, call);
      return (answer as readonly PresidioResult[])[0]?.score;
    };
    expect(await scoreOf(withAdHoc({ context: ['postal'] }))).to.equal(0.1);
    expect(await scoreOf(withAdHoc({ context: ['postal'] }, { context: ['the POSTAL code'] }))).to.be.closeTo(
      0.45,
      1e-9,
    );
  });

  it('answers a list for each text of a list, and each as if it were alone', async () => {
    const parts = fc.constantFrom(
      'Anna Schmidt',
      'anna@example.org',
      '😀',
      'Schmidt',
      ' ',
      'IBAN DE89370400440532013000',
    );
    const text = fc.array(parts, { maxLength: 4 }).map((some) => some.join(' '));
    const analyzer = analyzerWith();
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (texts) => {
        const { answer } = await analyzer.analyze({ text: texts, language: 'en' }, call);
        const alone = await Promise.all(
          texts.map(async (one) =>
            one === '' ? [] : (await analyzer.analyze({ text: one, language: 'en' }, call)).answer,
          ),
        );
        expect(answer).to.deep.equal(alone);
      }),
      { numRuns: 50 },
    );
  });

  const wrong: readonly (readonly [what: string, body: unknown, status: number, message: string])[] = [
    ['no text', { language: 'en' }, 400, 'No text provided'],
    ['an empty list', { text: [], language: 'en' }, 400, 'No text provided'],
    ['no language', { text: MAIL }, 400, 'No language provided'],
    [
      'a language that the service does not have',
      { text: MAIL, language: 'fr' },
      400,
      'No matching recognizers were found to serve the request.',
    ],
    [
      'only unknown types',
      { text: MAIL, language: 'en', entities: ['X'] },
      400,
      'No matching recognizers were found to serve the request.',
    ],
    [
      'a text of another type',
      { text: { a: 1 }, language: 'en' },
      400,
      'text must be a string or an array of strings.',
    ],
    [
      'a pattern that RE2 does not support',
      { language: 'en', ...withAdHoc({ patterns: [{ regex: '(?=a)', score: 1 }] }) },
      400,
      'ad_hoc_recognizers[0].patterns[0].regex uses look-around, which RE2 does not support: match the surrounding text, or use context words.',
    ],
    [
      'a recognizer without patterns',
      { language: 'en', ...withAdHoc({ patterns: null }) },
      400,
      'ad_hoc_recognizers[0] must have patterns or a deny_list.',
    ],
    [
      'a flag that RE2 does not have',
      { text: MAIL, language: 'en', allow_list: ['a'], allow_list_match: 'regex', regex_flags: 64 },
      400,
      'regex_flags must be a sum of 2, 8, 16 and 32.',
    ],
  ];
  for (const [what, body, status, message] of wrong) {
    it(`refuses ${what}`, async () => {
      const error: unknown = await analyzerWith()
        .analyze(body, call)
        .catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(PresidioError);
      expect({ status: (error as PresidioError).status, message: (error as PresidioError).message }).to.deep.equal({
        status,
        message,
      });
    });
  }

  it('names the field of a wrong type, and not its value', async () => {
    const error: unknown = await analyzerWith()
      .analyze({ text: MAIL, language: 'en', ...withAdHoc({ surprise: 1 }) }, call)
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(FieldError);
    expect((error as Error).message).to.equal('ad_hoc_recognizers[0] has an unknown field.');
  });

  it('finds a hostile pattern in linear time', async () => {
    const text = `${'a'.repeat(20_000)}!`;
    const patterns = [{ regex: '(a+)+$', score: 1 }];
    expect(await found(withAdHoc({ patterns }, { text, entities: ['ZIP'] }))).to.have.lengthOf(0);
  });

  it('refuses patterns that would keep other calls waiting', async () => {
    const regex = '(?:[ab]{300}|a[ab]{200}c)';
    const large = withAdHoc({ patterns: [{ regex, score: 1 }] }, { text: 'ab'.repeat(100_000), language: 'en' });
    const many = withAdHoc({ patterns: Array.from({ length: MAX_PATTERNS }, () => ({ regex: 'a', score: 1 })) });
    const allowed = { allow_list: ['a'], allow_list_match: 'regex' };
    for (const body of [large, { ...many, ...allowed, language: 'en' }]) {
      const error = await analyzerWith()
        .analyze(body, call)
        .catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(PresidioError).with.property('status', 400);
    }
    expect(await found(many)).to.deep.equal([]);
  });

  const longWord = 'a '.repeat(100).slice(0, 199);
  const hostile: readonly (readonly [what: string, text: string, recognizer: object])[] = [
    ['context words', 'a '.repeat(200_000), { patterns: [{ regex: 'a', score: 0.1 }], context: [longWord] }],
    ['denied values', 'a '.repeat(200_000), { patterns: null, deny_list: [longWord] }],
  ];
  for (const [what, text, recognizer] of hostile) {
    it(`refuses ${what} that are too long for the text`, async () => {
      const error = await analyzerWith()
        .analyze({ language: 'en', ...withAdHoc(recognizer, { text }) }, call)
        .catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(PresidioError).with.property('status', 400);
      expect(error)
        .to.have.property('message')
        .that.matches(/Split the texts/);
    });
  }

  it('refuses more matches than a call may have, also such as are not reported', async () => {
    const recognizer = { patterns: [{ regex: 'a', score: 0.1 }], context: ['b'] };
    const error = await analyzerWith()
      .analyze({ language: 'en', ...withAdHoc(recognizer, { text: 'a '.repeat(10_001), score_threshold: 1 }) }, call)
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TooManyValuesError);
  });

  it('refuses more context words than it compares quickly', async () => {
    const recognizer = { context: Array.from({ length: 100 }, (_, at) => `word ${at}`) };
    const bodyWith = (length: number): object => ({
      language: 'en',
      ...withAdHoc(recognizer, { context: Array.from({ length }, () => 'given') }),
    });
    const most = MAX_CONTEXT_PAIRS / 100;
    expect((await analyzerWith().analyze(bodyWith(most), call)).answer).to.have.lengthOf(1);
    const two = { ...bodyWith(most), ad_hoc_recognizers: [1, 2].map(() => ({ ...adHoc, ...recognizer })) };
    const error = await analyzerWith()
      .analyze(two, call)
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(PresidioError).with.property('status', 400);
  });

  it('refuses deny lists that together are too long', async () => {
    const listOf = (length: number) => Array.from({ length }, () => 'x');
    const recognizersOf = (lists: readonly string[][]) =>
      lists.map((deny_list) => ({ supported_entity: 'ZIP', deny_list }));
    const full = Array.from({ length: MAX_DENIED / 10_000 }, () => listOf(10_000));
    const error = await analyzerWith()
      .analyze({ text: 'none', language: 'en', ad_hoc_recognizers: recognizersOf([...full, ['x']]) }, call)
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(PresidioError).with.property('status', 400);
    const body = { text: 'none', language: 'en', ad_hoc_recognizers: recognizersOf(full) };
    expect((await analyzerWith().analyze(body, call)).answer).to.deep.equal([]);
  });

  it('ends when the client leaves', async () => {
    const left = { ...call, signal: AbortSignal.abort() };
    const error = await analyzerWith()
      .analyze({ text: [MAIL], language: 'en' }, left)
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(DetectorUnavailableError);
  });

  it('counts a type that only the request names without its name', async () => {
    const { counts } = await analyzerWith().analyze(
      { language: 'en', ...withAdHoc({}, { entities: null, text: `${MAIL} 12345` }) },
      call,
    );
    expect(counts.map(({ type, count }) => `${type} ${count}`).sort()).to.deep.equal(['AD_HOC 1', 'EMAIL_ADDRESS 1']);
  });

  it("lists the types of results by Presidio's names", () => {
    const types = analyzerWith('deny: [{value: Atlas, type: PROJECT}]').supportedEntities();
    expect(types).to.include.members(['PERSON', 'LOCATION', 'DATE_TIME', 'EMAIL_ADDRESS', 'PROJECT', 'ZA_ID_NUMBER']);
    expect(types).to.not.include.members(['ADDRESS']);
    expect(types).to.not.include.members(['PUBLIC_PERSON']);
  });
});
