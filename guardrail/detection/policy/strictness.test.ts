import { expect } from 'chai';
import fc from 'fast-check';
import { atOnce } from '../../eventLoop.ts';
import type { Action, Policy, Span } from '../contract.ts';
import { comparePolicies, type PolicyComparison } from './comparison.ts';
import { compileDocument, compilePolicy, layeredPolicy } from './policy.ts';
import { parsePolicy, type PolicyDocument } from './schema.ts';
import { testSettings as settings } from '../testing/serviceSettings.ts';
import { compareStrictness, strictestPolicy, type ServiceSettings } from './strictness.ts';

const types = ['PERSON', 'EMAIL_ADDRESS', 'LOCATION', 'PUBLIC_PERSON', 'URL', 'PUBLIC_URL', 'PROJECT'] as const;
const type = fc.constantFrom(...types);
const word = fc.constantFrom('Anna', 'Falcon', 'anna@example.org', 'Paris');
const action = fc.constantFrom('pseudonymize', 'block', 'ignore');
const threshold = fc.constantFrom(0, 0.3, 0.5, 0.7, 1);
const rule = fc.record({ action, threshold }, { requiredKeys: [] });
const rules = {
  profile: fc.constantFrom('personal', 'confidential'),
  default: rule,
  entities: fc.dictionary(type, rule, { maxKeys: 4 }),
  allow: fc.array(fc.record({ value: word }), { maxLength: 2 }),
  deny: fc.array(fc.record({ value: word, type }), { maxLength: 2 }),
};
const document = fc.record(
  {
    ...rules,
    recall: fc.constantFrom('precise', 'balanced', 'thorough'),
    images: fc.constantFrom('redact', 'block', 'pass'),
    remoteImages: fc.constantFrom('block', 'pass'),
    unreadText: fc.constantFrom('mask', 'block', 'note'),
    mode: fc.constantFrom('enforce', 'monitor'),
    mappingTTL: fc.constantFrom(1000, 86_400_000, 1e9),
    teams: fc.dictionary(fc.constantFrom('sales', 'legal'), fc.record(rules, { requiredKeys: [] }), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<PolicyDocument>;

/** A span that a detector or a list has found, with its text and the team of the call. */
const found = fc.record({
  span: fc.record({
    ...{ start: fc.constant(0), end: fc.constant(4), type },
    score: fc.constantFrom(0.1, 0.4, 0.6, 0.9),
    rule: fc.constant('rule'),
    detector: fc.constantFrom('builtin', 'presidio', 'deny-list', 'custom'),
  }),
  value: word,
  team: fc.constantFrom(undefined, 'sales', 'legal', 'other'),
});

interface Found {
  readonly span: Span;
  readonly value: string;
  readonly team: string | undefined;
}

const compiled = (policy: PolicyDocument): Policy => compilePolicy(policy, settings.profile);
const layered = (own: PolicyDocument, base: PolicyDocument): Policy =>
  layeredPolicy([compileDocument(own), compileDocument(base)], settings.profile);
const decide = (policy: Policy, { span, value, team }: Found): Action | undefined => policy.actionOf(span, value, team);
const compare = (service: PolicyDocument, customer: PolicyDocument): PolicyComparison =>
  comparePolicies({ service, customer, settings, types });

/** Fails if the first policy is less strict for a value, or in a setting. */
function expectNotLooser(one: Policy, other: Policy, value: Found): void {
  const actions = [decide(other, value) ?? 'ignore', decide(one, value) ?? 'ignore'] as const;
  expect(compareStrictness('action', ...actions)).to.be.at.least(0);
  const [before, after] = [completeSettings(other), completeSettings(one)];
  for (const name of ['recall', 'images', 'remoteImages', 'unreadText', 'mode'] as const) {
    expect(compareStrictness(name, before[name], after[name]), name).to.be.at.least(0);
  }
  expect(after.mappingTTL).to.be.at.most(before.mappingTTL);
}

function completeSettings({ settings: own }: Policy): ServiceSettings {
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...settings, ...(Object.fromEntries(set) as Partial<ServiceSettings>) };
}

describe('the strictest of several policies', () => {
  it('is less strict than none of them', () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 3 }), found, (documents, value) => {
        const policies = documents.map(compiled);
        const strictest = strictestPolicy(policies, settings);
        for (const policy of policies) expectNotLooser(strictest, policy, value);
      }),
    );
  });

  it('is the policy itself if there is one, and equals it if there are several the same', () => {
    fc.assert(
      fc.property(document, found, (one, value) => {
        const policy = compiled(one);
        expect(strictestPolicy([policy], settings)).to.equal(policy);
        const same = strictestPolicy([policy, compiled(one)], settings);
        expect(decide(same, value)).to.equal(decide(policy, value));
        expectNotLooser(policy, same, value);
      }),
    );
  });

  it('finds what the deny lists and recognizers of all find, each once', () => {
    const one = compiled(parsePolicy("deny: [Falcon]\nrecognizers: [{name: a, type: BADGE, pattern: 'B-[0-9]+'}]"));
    const other = compiled(
      parsePolicy("deny: [Falcon, Osprey]\nrecognizers: [{name: b, type: CASE, pattern: 'C-[0-9]+'}]"),
    );
    const policy = strictestPolicy([one, other], settings);
    const text = 'Falcon and Osprey, B-12 and C-34';
    const values = atOnce(policy.find(text, undefined)).map(({ start, end }) => text.slice(start, end));
    expect(values.sort()).to.deep.equal(['B-12', 'C-34', 'Falcon', 'Osprey']);
    expect(policy.customTypes).to.have.members(['DENIED', 'BADGE', 'CASE']);
  });
});

describe('the comparison of policies', () => {
  const cases: readonly (readonly [own: string, stricter: string[], looser: string[], base?: string])[] = [
    ['{}', [], []],
    ['entities: {PERSON: block}', ['entities.PERSON'], []],
    ['entities: {PERSON: pseudonymize}', [], []],
    ['entities: {PERSON: ignore}', [], ['entities.PERSON']],
    ['entities: {LOCATION: pseudonymize}', ['entities.LOCATION'], []],
    ['entities: {PERSON: {action: block, threshold: 0.5}}', ['entities.PERSON'], ['entities.PERSON']],
    ['profile: confidential', ['entities.LOCATION', 'entities.PUBLIC_PERSON', 'entities.PUBLIC_URL'], []],
    [
      'profile: personal',
      [],
      ['entities.LOCATION', 'entities.PUBLIC_PERSON', 'entities.PUBLIC_URL'],
      'profile: confidential',
    ],
    ['default: block', ['default'], []],
    ['default: ignore', [], ['default'], 'entities: {EMAIL_ADDRESS: block}\ndefault: {action: block}'],
    ['deny: [Falcon]', ['deny'], []],
    ['allow: [Falcon]', [], ['allow']],
    ["recognizers: [{name: a, type: BADGE, pattern: 'B'}]", ['recognizers'], []],
    ['recall: thorough', ['recall'], []],
    ['recall: precise\nimages: block', ['images'], ['recall']],
    ['mode: monitor', [], ['mode']],
    ['mode: enforce', ['mode'], [], 'mode: monitor'],
    ['mappingTTL: 1h', ['mappingTTL'], []],
    ['teams: {sales: {entities: {PERSON: block, URL: ignore}}}', ['teams.sales'], ['teams.sales']],
    ['entities: {PERSON: block}', ['entities.PERSON'], [], 'teams: {sales: {allow: [Anna]}}'],
    ['entities: {PERSON: block}', ['entities.PERSON'], [], 'teams: {sales: {entities: {URL: block}}}'],
  ];
  for (const [own, stricter, looser, base = '{}'] of cases) {
    it(`tells what ${own.replaceAll('\n', ' ')} changes of ${base.replaceAll('\n', ' ')}`, () => {
      const compared = compare(parsePolicy(base), parsePolicy(own));
      expect(compared.stricter).to.have.members(stricter);
      expect(compared.looser).to.have.members(looser);
    });
  }

  it('misses nothing', () => {
    fc.assert(
      fc.property(document, document, found, (base, own, value) => {
        const { stricter, looser } = compare(base, own);
        const [service, wanted] = [compiled(base), layered(own, base)];
        if (looser.length === 0) expectNotLooser(wanted, service, value);
        if (stricter.length === 0) expectNotLooser(service, wanted, value);
      }),
      { numRuns: 1000 },
    );
  });

  it('finds nothing in an empty policy, or the same rules', () => {
    fc.assert(
      fc.property(document, (base) => {
        const { allow: _, deny: __, teams: ___, ...same } = base;
        for (const own of [{}, same])
          expect(compare({ ...base, teams: {} }, own)).to.deep.equal({ stricter: [], looser: [] });
      }),
    );
  });
});
