import { expect } from 'chai';
import { atOnce } from '../../eventLoop.ts';
import { expectLinearTime } from '../../../hack/harness/linearTime.ts';
import { compilePolicy, compilingDocument } from './policy.ts';
import { PolicyError } from './policyError.ts';
import { parsePolicy } from './schema.ts';
import { MAX_VALUES, TooManyValuesError, type Span } from '../contract.ts';

const policyOf = (yaml: string): ReturnType<typeof compilePolicy> => compilePolicy(parsePolicy(yaml), 'confidential');
const span = (type: string, score = 0.9, detector = 'builtin'): Span => ({
  start: 0,
  end: 4,
  type,
  score,
  detector,
  rule: 'rule',
});
const problemsOf = (yaml: string): readonly string[] => {
  try {
    parsePolicy(yaml);
  } catch (error) {
    if (error instanceof PolicyError) return error.problems;
    throw error;
  }
  return [];
};

describe('policy', () => {
  it('pseudonymizes types without a rule', () => {
    expect(policyOf('{}').actionOf(span('PERSON', 0.01), 'Anna', undefined)).to.equal('pseudonymize');
  });

  it('applies the action and the threshold of each type', () => {
    const policy = policyOf(
      'entities: {CREDIT_CARD: block, PERSON: {threshold: 0.8}, URL: {action: ignore}}\ndefault: {threshold: 0.3}',
    );
    expect(policy.actionOf(span('CREDIT_CARD'), '4111', undefined)).to.equal('block');
    expect(policy.actionOf(span('PERSON', 0.79), 'Anna', undefined)).to.equal(undefined);
    expect(policy.actionOf(span('PERSON', 0.8), 'Anna', undefined)).to.equal('pseudonymize');
    expect(policy.actionOf(span('URL'), 'x', undefined)).to.equal(undefined);
    expect(policy.actionOf(span('LOCATION', 0.2), 'x', undefined)).to.equal(undefined);
  });

  it('merges the overrides of a team with the common rules', () => {
    const policy = policyOf(
      'entities: {CREDIT_CARD: block, PERSON: {action: block, threshold: 0.5}}\nteams: {sales: {entities: {PERSON: pseudonymize}, allow: [Anna]}}',
    );
    expect(policy.actionOf(span('PERSON'), 'Bert', 'sales')).to.equal('pseudonymize');
    expect(policy.actionOf(span('PERSON', 0.4), 'Bert', 'sales')).to.equal(undefined);
    expect(policy.actionOf(span('CREDIT_CARD'), '4111', 'sales')).to.equal('block');
    expect(policy.actionOf(span('PERSON'), 'Bert', 'other')).to.equal('block');
    expect(policy.actionOf(span('PERSON'), 'Anna', 'sales')).to.equal(undefined);
    expect(policy.actionOf(span('PERSON'), 'Anna', undefined)).to.equal('block');
  });

  it('allows whole values of the listed types, ignoring case and accents', () => {
    const policy = policyOf('allow: [Müller Support, {value: Paris, types: [PERSON]}, {pattern: "test-[0-9]+"}]');
    expect(policy.actionOf(span('PERSON'), 'MULLER support', undefined)).to.equal(undefined);
    expect(policy.actionOf(span('PERSON'), 'Müller Supporters', undefined)).to.equal('pseudonymize');
    expect(policy.actionOf(span('PERSON'), 'paris', undefined)).to.equal(undefined);
    expect(policy.actionOf(span('LOCATION'), 'paris', undefined)).to.equal('pseudonymize');
    expect(policy.actionOf(span('ID'), 'test-42', undefined)).to.equal(undefined);
    expect(policy.actionOf(span('ID'), 'test-42x', undefined)).to.equal('pseudonymize');
  });

  it('finds denied values as whole words, even if they are on the allow list', () => {
    const policy = policyOf('deny: [{value: Project Falcon, type: PROJECT}, ACME]\nallow: [acme]');
    const text = '😀 PROJECT FALCON, acme and acmex';
    const found = atOnce(policy.find(text, undefined));
    expect(found.map(({ start, end, type }) => `${text.slice(start, end)}|${type}`)).to.deep.equal([
      'PROJECT FALCON|PROJECT',
      'acme|DENIED',
    ]);
    expect(found.map((one) => policy.actionOf(one, text.slice(one.start, one.end), undefined))).to.deep.equal([
      'pseudonymize',
      'pseudonymize',
    ]);
    expect(policy.customTypes).to.deep.equal(['PROJECT', 'DENIED']);
  });

  it('raises the score of a custom recognizer above the threshold near a context word', () => {
    const policy = policyOf(
      "recognizers: [{name: badge, type: BADGE, pattern: 'B-\\d{4}', score: 0.3, context: [badge number]}]",
    );
    const judged = (text: string): (string | undefined)[] =>
      atOnce(policy.find(text, undefined)).map(
        (one) =>
          `${text.slice(one.start, one.end)}|${String(policy.actionOf(one, text.slice(one.start, one.end), undefined))}`,
      );
    expect(judged('😀 badge number B-1234')).to.deep.equal(['B-1234|pseudonymize']);
    expect(judged('😀 part B-1234')).to.deep.equal(['B-1234|undefined']);
  });

  for (const [what, yaml] of [
    ['of its recognizers', 'recognizers: [{name: a, type: A, pattern: aa}, {name: b, type: B, pattern: bb}]'],
    ['of its deny lists', 'deny: [aa, bb]'],
    ['of both', 'deny: [aa]\nrecognizers: [{name: b, type: B, pattern: bb}]'],
  ] as const) {
    it(`ends a search for more values ${what} than a call may have`, () => {
      const policy = policyOf(yaml);
      const text = 'aa bb '.repeat(MAX_VALUES / 2);
      expect(atOnce(policy.find(text, undefined))).to.have.length(MAX_VALUES);
      expect(() => atOnce(policy.find(`${text}aa`, undefined))).to.throw(TooManyValuesError);
      // A value in the text and in its folded view is one.
      expect(atOnce(policy.find(`\uff41 ${text}`, undefined)).length).to.be.at.least(MAX_VALUES);
    });
  }

  describe('in other spellings', () => {
    const policy = policyOf(
      "deny: [{value: Project Falcon, type: PROJECT}]\nrecognizers: [{name: badge, type: BADGE, pattern: 'B-\\d{4}'}]",
    );
    const cases: readonly (readonly [string, string, string, string])[] = [
      ['full-width digits', 'badge B-１２３４ ok', 'B-１２３４', 'BADGE'],
      ['zero-width characters', 'badge B-1\u200b2\u200b34 ok', 'B-1\u200b2\u200b34', 'BADGE'],
      ['another hyphen', 'badge B\u20111234 ok', 'B\u20111234', 'BADGE'],
      ['percent encoding', 'badge=B%2D1234&x=1', 'B%2D1234', 'BADGE'],
      ['character references', 'badge B&#45;1234', 'B&#45;1234', 'BADGE'],
      ['escapes', '"badge": "B\\u002d1234"', 'B\\u002d1234', 'BADGE'],
      ['a non-breaking space', 'the Project\u00a0Falcon plan', 'Project\u00a0Falcon', 'PROJECT'],
      ['percent-encoded space', '/plans/Project%20Falcon?x', 'Project%20Falcon', 'PROJECT'],
      ['a soft hyphen', 'the Project Fal\u00adcon plan', 'Project Fal\u00adcon', 'PROJECT'],
      ['look-alike letters', 'the Project F\u0430lcon plan', 'Project F\u0430lcon', 'PROJECT'],
    ];
    for (const [spelling, text, value, type] of cases) {
      it(`finds a value in ${spelling}`, () => {
        expect(
          atOnce(policy.find(text, undefined)).map(({ start, end, type }) => [text.slice(start, end), type]),
        ).to.deep.equal([[value, type]]);
      });
    }

    it('finds a value once that is written as usual', () => {
      const text = '\u00a0B-1234 in Project Falcon, ４２';
      expect(atOnce(policy.find(text, undefined)).map(({ start, end }) => text.slice(start, end))).to.deep.equal([
        'Project Falcon',
        'B-1234',
      ]);
    });

    it('does not join the cells of a table', () => {
      const spaced = policyOf("recognizers: [{name: a, type: A, pattern: '\\d{3} \\d{3}'}]");
      expect(atOnce(spaced.find('123\t456', undefined))).to.deep.equal([]);
    });
  });

  it('replaces settings of the service, each on its own', () => {
    const yaml =
      'recall: thorough\nimages: block\nremoteImages: pass\nunreadText: note\nmode: monitor\nmappingTTL: 1h30m';
    expect(policyOf(yaml).settings).to.deep.equal({
      recall: 'thorough',
      images: 'block',
      remoteImages: 'pass',
      unreadText: 'note',
      mode: 'monitor',
      mappingTTL: 5_400_000,
    });
    expect(Object.values(policyOf('{images: block}').settings).filter((value) => value !== undefined)).to.deep.equal([
      'block',
    ]);
    expect(problemsOf('{recall: high, images: paint, remoteImages: redact, mode: off, mappingTTL: 24}')).to.deep.equal([
      'recall must be precise, balanced or thorough.',
      'images must be redact, block or pass.',
      'remoteImages must be block or pass.',
      'mode must be enforce or monitor.',
      'mappingTTL must be a duration such as 500ms, 15m, 24h or 1h30m, from 1000 ms to 365 days.',
    ]);
  });

  it('reports all errors with their fields', () => {
    expect(
      problemsOf(
        "entities: {person: block, URL: {threshold: 2}, ID: {treshold: 1}}\nallow: [{value: xyz, types: []}]\nrecognizers:\n  - {name: a, type: A, pattern: '(?=a)b'}\n  - {name: b, type: B, pattern: '(a)\\1'}\n  - {name: c, type: C, pattern: 'a*'}\n  - {name: d, type: D, pattern: '('}\nmore: 1",
      ),
    ).to.deep.equal([
      'entities.person must be upper snake case of at most 40 characters, for example EMPLOYEE_ID.',
      'entities.URL.threshold must be between 0 and 1.',
      'entities.ID.treshold is unknown: remove it or correct its spelling.',
      'allow[0].types must name at least one type.',
      'recognizers[0].pattern uses look-around, which RE2 does not support: match the surrounding text, or use context words.',
      'recognizers[1].pattern uses a back reference, which RE2 does not support: write out the repeated part.',
      'recognizers[2].pattern matches the empty text: add a required part.',
      'recognizers[3].pattern is not a valid RE2 pattern: correct its syntax.',
      'more is unknown: remove it or correct its spelling.',
    ]);
  });

  it('compiles each denied value and each recognizer in a step of its own', () => {
    const deny = Array.from({ length: 1000 }, (_, at) => ({ value: `value ${at}`, type: 'A' }));
    const recognizers = [{ name: 'a', type: 'A', pattern: 'a', score: 1 }];
    let steps = 0;
    for (const work = compilingDocument({ deny, recognizers, teams: { a: { deny } } }); work.next().done !== true;) {
      steps += 1;
    }
    expect(steps).to.equal(2001);
  });

  it('rejects invalid YAML, duplicate keys, aliases, and a document that is not a mapping', () => {
    expect(problemsOf('entities: {')).to.have.length(1);
    expect(problemsOf('deny: [aa]\ndeny: [bb]')[0]).to.match(/^Line 2 /);
    expect(problemsOf('deny: &a [xx]\nallow: *a')).to.deep.equal(['Aliases are not allowed: write the values out.']);
    expect(problemsOf('just a text')).to.have.length(1);
  });

  it('matches in linear time a pattern that takes backtracking engines exponential time', async () => {
    const policy = policyOf("recognizers: [{name: a, type: A, pattern: '(a+)+b'}]");
    await expectLinearTime('a', 20_000, (length) => {
      expect(atOnce(policy.find('a'.repeat(length), undefined))).to.deep.equal([]);
    });
  });
});
