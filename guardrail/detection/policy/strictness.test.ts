import { expect } from 'chai';
import fc from 'fast-check';
import type { Action, Policy, Span } from '../contract.ts';
import { compileDocuments } from './policy.ts';
import { parsePolicy, type PolicyDocument } from './schema.ts';
import { comparePolicies, compileCustomerPolicy, type ServiceSettings } from './strictness.ts';

const service: ServiceSettings = {
  profile: 'personal',
  recall: 'balanced',
  images: 'redact',
  remoteImages: 'block',
  mode: 'enforce',
  mappingTTL: 86_400_000,
};

const types = ['PERSON', 'EMAIL_ADDRESS', 'LOCATION', 'PUBLIC_PERSON', 'URL', 'PUBLIC_URL', 'PROJECT'] as const;
const type = fc.constantFrom(...types);
const word = fc.constantFrom('Anna', 'Falcon', 'anna@example.org', 'Paris');
const action = fc.constantFrom('pseudonymize', 'block', 'ignore');
const rule = fc.record({ action, threshold: fc.double({ min: 0, max: 1, noNaN: true }) }, { requiredKeys: [] });
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
    mode: fc.constantFrom('enforce', 'monitor'),
    mappingTTL: fc.integer({ min: 1000, max: 1e9 }),
    teams: fc.dictionary(fc.constantFrom('sales', 'legal'), fc.record(rules, { requiredKeys: [] }), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<PolicyDocument>;
const found = fc.record({
  span: fc.record({
    start: fc.constant(0),
    end: fc.constant(4),
    type,
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    detector: fc.constantFrom('builtin', 'presidio', 'deny-list', 'custom'),
  }),
  value: word,
  team: fc.constantFrom(undefined, 'sales', 'other'),
});

interface Found {
  readonly span: Span;
  readonly value: string;
  readonly team: string | undefined;
}

const decide = (policy: Policy, { span, value, team }: Found): Action | undefined => policy.actionOf(span, value, team);
const rank = (decided: Action | undefined): number => [undefined, 'pseudonymize', 'block'].indexOf(decided);
const compiled = (...documents: PolicyDocument[]): Policy => compileDocuments(documents, service.profile);

describe('the policy of a customer', () => {
  it('is never less strict than that of the service', () => {
    fc.assert(
      fc.property(document, document, found, (base, own, one) => {
        const customer = compileCustomerPolicy(base, own, service);
        expect(rank(decide(customer, one))).to.be.at.least(rank(decide(compiled(base), one)));
        const { looser } = comparePolicies(base, effectiveSettings(customer), service);
        expect(looser).to.deep.equal([]);
      }),
    );
  });

  it('is as strict as it says', () => {
    fc.assert(
      fc.property(document, document, found, (base, own, one) => {
        const customer = compileCustomerPolicy(base, own, service);
        expect(rank(decide(customer, one))).to.be.at.least(rank(decide(compiled(own, base), one)));
      }),
    );
  });

  it('is what it says where that of the service allows it', () => {
    fc.assert(
      fc.property(document, document, found, (base, own, one) => {
        const customer = compileCustomerPolicy({ ...base, allowLooserPolicies: true }, own, service);
        expect(decide(customer, one)).to.equal(decide(compiled(own, base), one));
        expect(customer.settings).to.deep.equal(compiled(own, base).settings);
      }),
    );
  });

  it('changes nothing if it is empty, or the same', () => {
    fc.assert(
      fc.property(document, found, (base, one) => {
        for (const own of [{}, base]) {
          const customer = compileCustomerPolicy(base, own, service);
          expect(decide(customer, one)).to.equal(decide(compiled(base), one));
        }
        expect(comparePolicies(base, {}, service)).to.deep.equal({ stricter: [], looser: [] });
      }),
    );
  });

  it('decides as it says where the comparison finds nothing less strict', () => {
    fc.assert(
      fc.property(document, document, found, (base, own, one) => {
        const { teams: _base, ...common } = base;
        const { teams: _own, ...changes } = own;
        fc.pre(comparePolicies(common, changes, service).looser.length === 0);
        const customer = compileCustomerPolicy(common, changes, service);
        expect(decide(customer, one)).to.equal(decide(compiled(changes, common), one));
      }),
    );
  });

  it('finds the values of both deny lists and all recognizers', () => {
    const base = parsePolicy("deny: [Falcon]\nrecognizers: [{name: a, type: BADGE, pattern: 'B-[0-9]+'}]");
    const own = parsePolicy("deny: [Osprey]\nrecognizers: [{name: b, type: CASE, pattern: 'C-[0-9]+'}]");
    const text = 'Falcon, Osprey, B-1, C-2';
    const customer = compileCustomerPolicy(base, own, service);
    const values = customer.find(text, undefined).map(({ start, end }) => text.slice(start, end));
    expect(values).to.have.members(['Falcon', 'Osprey', 'B-1', 'C-2']);
    expect(customer.customTypes).to.have.members(['DENIED', 'BADGE', 'CASE']);
  });

  const cases: readonly (readonly [base: string, own: string, stricter: string[], looser: string[]])[] = [
    ['{}', 'profile: confidential', ['profile'], []],
    ['profile: confidential', 'profile: personal', [], ['profile']],
    ['{}', 'recall: thorough\nimages: block', ['recall', 'images'], []],
    ['{}', 'recall: precise\nimages: pass\nmode: monitor', [], ['recall', 'images', 'mode']],
    ['{}', 'remoteImages: pass\nmappingTTL: 1h', ['mappingTTL'], ['remoteImages']],
    ['mappingTTL: 1h', 'mappingTTL: 2h', [], ['mappingTTL']],
    ['{}', 'entities: {CREDIT_CARD: block}', ['entities.CREDIT_CARD.action'], []],
    ['entities: {CREDIT_CARD: block}', 'entities: {CREDIT_CARD: ignore}', [], ['entities.CREDIT_CARD.action']],
    ['{}', 'entities: {ORGANIZATION: pseudonymize}', ['entities.ORGANIZATION.action'], []],
    ['{}', 'entities: {PERSON: {threshold: 0.6}}', [], ['entities.PERSON.threshold']],
    [
      'entities: {PERSON: {threshold: 0.6}}',
      'entities: {PERSON: {action: block, threshold: 0.8}}',
      ['entities.PERSON.action'],
      ['entities.PERSON.threshold'],
    ],
    ['default: ignore', 'default: pseudonymize', ['default.action'], []],
    ['{}', 'deny: [Falcon]\nallow: [Anna]', ['deny'], ['allow']],
    ['{}', "recognizers: [{name: a, type: A, pattern: 'B-[0-9]+'}]", ['recognizers'], []],
    ['profile: confidential\nrecall: thorough', 'profile: confidential', [], []],
  ];
  for (const [base, own, stricter, looser] of cases) {
    it(`is compared with that of the service: ${own.replaceAll('\n', ', ')} after ${base}`, () => {
      expect(comparePolicies(parsePolicy(base), parsePolicy(own), service)).to.deep.equal({ stricter, looser });
    });
  }
});

/** The settings of a compiled policy as a document. */
function effectiveSettings({ settings }: Policy): PolicyDocument {
  const { recall, images, remoteImages, mode, mappingTTL } = settings;
  return { recall, images, remoteImages, mode, mappingTTL };
}
